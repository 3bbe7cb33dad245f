/*
 * SPDX-License-Identifier: MIT
 *
 * test_pprof.c - makes profiles that are known to the last byte; test_pprof.py reads them.
 *
 *   test_pprof FOLDER    writes times.pb.gz, counts.pb.gz, other-order.pb.gz, threads.pb.gz, bytes.pb.gz, places.pb.gz,
 *                        and packages.pb.gz of images that lie in FOLDER, beside what tells of them
 */
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "calltree.h"
#include "spool-pprof.h"

static const char *folder;

static size_t
name_method (void *method, char *buffer, size_t size)
{
	const char *name = method, *image = strchr (name, '@') + 1;
	memcpy (buffer, name, (size_t) (image - name));
	buffer[image - name - 1] = '\0';
	strcpy (buffer + (image - name), image);
	char *origin = strchr (buffer + (image - name), '@');
	if (origin)
		*origin = '\0';
	return strlen (name) + 1;
}

static monocle_kit_spool *
open_tree (bool times, bool threads)
{
	char output[4096];
	snprintf (output, sizeof output, "%s/unused.pb.gz", folder);
	monocle_kit_spool_config config = {
		.size = sizeof config,
		.module = "calls",
		.output = output,
		.desc = "calls:output=x",
		.runtime = "6.8",
		.name_method = name_method,
		.times = times,
		.threads = threads,
		.max_depth = 8,
	};
	monocle_kit_spool *spool = monocle_kit_spool_open (&config);
	if (!spool)
		exit (1);
	return spool;
}

/* Replaces what differs from run to run, then writes the profile. */
static void
write_as (monocle_kit_spool *spool, const char *name)
{
	struct monocle__spool_view view;
	const char *error;
	char path[4096];
	void *data;
	size_t length;
	struct monocle__spool_header *header = spool->header;
	header->flags &= ~(uint32_t) MONOCLE__SPOOL_TICKS;
	header->realtime_ns = 1790000000000000000u;
	header->pid = 4711;
	header->ended = 1;
	strcpy (header->program, "fib");
	strcpy (header->host, "here");
	if (monocle__spool_view_init (&view, header, spool->allocated, &error))
		exit (2);
	view.duration_ns = 5000000000u;
	if (monocle__spool_pprof_write (&view, &data, &length))
		exit (3);
	snprintf (path, sizeof path, "%s/%s.pb.gz", folder, name);
	int fd = open (path, O_WRONLY | O_CREAT | O_TRUNC, 0600);
	if (fd < 0 || write (fd, data, length) != (ssize_t) length)
		exit (4);
	close (fd);
	free (data);
	unlink (spool->path);
	monocle__spool_open_reset ();
}

static void
set_self (monocle_kit_spool *spool)
{
	/* Nodes in the order of their first visit: root, Main, A, G<T>, B. */
	struct monocle__node *nodes = monocle__spool_nodes (spool);
	uint32_t first = 0;
	for (uint32_t i = 1; i < spool->header->extent_count; i++) {
		struct monocle__extent *extent = (void *) ((uint8_t *) spool->header + (size_t) i * MONOCLE__EXTENT_SIZE);
		if (extent->kind == MONOCLE__EXTENT_NODES)
			first = (uint32_t) ((i * MONOCLE__EXTENT_SIZE + MONOCLE__EXTENT_HEADER) / sizeof *nodes);
	}
	for (uint32_t i = 1; i < 5; i++)
		nodes[first + i].self = i * 1000;
	nodes[first + 4].self = 0;
}

static char main_[] = "P:Main (string[])@/app/fib.exe", a[] = "P:A (int)@/app/fib.exe";
static char g[] = "P:G<T> (T)@/app/lib.dll", b[] = "System.String:B ()@";

/* Overlong, surrogate, beyond the last code, cut off: none of it is UTF-8. What is, stays. */
static char bytes[] =
    "P:\xff\xc0\x80-\xed\xa0\x80-\xf4\x90\x80\x80-\xe2\x82-\xe2\x82\xac\xf0\x9f\x98\x80\xc3@/app/\xfe.exe";

/* Two places in one method, one of another method of the same image, and one that is of another build of it. */
#define FIB "@/app/fib.exe@0A1B2C3D-4E5F-6071-8293-A4B5C6D7E8F9 "
static char a_14[] = "P:A (int)" FIB "06000002 14", a_20[] = "P:A (int)" FIB "06000002 80000020";
static char main_placed[] = "P:Main (string[])" FIB "06000001";
static char stranger[] = "P:Z ()@/app/fib.exe@11111111-2222-3333-4444-555555555555 06000003 1";

#define call(method, calls) \
	do { \
		monocle_kit_calls_enter (spool, method); \
		calls; \
		monocle_kit_calls_leave (spool, method); \
	} while (0)

static void
write_packages (void)
{
	static char methods[4][4200];
	static const char *const images[] = { "app.dll", "Pack.dll", "System.Text.Json.dll", "Pack.so" };
	monocle_kit_spool *spool = open_tree (false, false);
	for (size_t i = 0; i < sizeof images / sizeof *images; i++) {
		snprintf (methods[i], sizeof methods[i], "P:M%zu ()@%s/%s", i, folder, images[i]);
		call (methods[i], (void) 0);
	}
	write_as (spool, "packages");
}

int
main (int argc, char **argv)
{
	folder = argc > 1 ? argv[1] : ".";
	monocle_kit_spool *spool = open_tree (true, false);
	call (main_, call (a, call (g, (void) 0); call (g, (void) 0)); call (b, (void) 0));
	set_self (spool);
	write_as (spool, "times");

	spool = open_tree (false, false);
	call (main_, call (a, call (g, (void) 0); call (g, (void) 0)); call (b, (void) 0));
	write_as (spool, "counts");

	spool = open_tree (false, false);
	call (main_, call (b, (void) 0); call (a, call (g, (void) 0); call (g, (void) 0)));
	write_as (spool, "other-order");

	spool = open_tree (false, true);
	monocle_kit_calls_thread_name (spool, (uintptr_t) pthread_self (), "Wörker");
	call (main_, (void) 0);
	monocle_kit_calls_thread_end (spool);
	call (main_, (void) 0);
	spool->header->losses[MONOCLE__LOSS_UNMATCHED] = 3;
	write_as (spool, "threads");

	spool = open_tree (false, false);
	call (bytes, (void) 0);
	write_as (spool, "bytes");

	spool = open_tree (false, false);
	call (main_placed, call (a_14, (void) 0); call (a_20, call (stranger, (void) 0)); call (g, (void) 0));
	write_as (spool, "places");
	write_packages ();
	return 0;
}
