/* SPDX-License-Identifier: MIT */
#include "tree.h"

#include <dirent.h>
#include <fcntl.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cmocka.h>

char tree_folder[64];

int
tree_setup (void **state)
{
	strcpy (tree_folder, "/tmp/monocle-kit-XXXXXX");
	unsetenv ("MONOCLE_RUN_DIR");
	unsetenv ("MONOCLE_LOG");
	return mkdtemp (tree_folder) ? 0 : -1;
}

int
tree_teardown (void **state)
{
	char command[128];
	monocle__spool_open_reset ();
	snprintf (command, sizeof command, "rm -rf %s", tree_folder);
	return system (command);
}

const char *
tree_file (const char *name)
{
	static char path[256];
	snprintf (path, sizeof path, "%s/%s", tree_folder, name);
	return path;
}

size_t
tree_name (void *method, char *buffer, size_t size)
{
	const char *text = method, *at = strchr (text, '@');
	size_t name_length = at ? (size_t) (at - text) : strlen (text);
	const char *image = at ? at + 1 : "test.exe";
	if (name_length + strlen (image) + 2 <= size) {
		memcpy (buffer, text, name_length);
		buffer[name_length] = '\0';
		strcpy (buffer + name_length + 1, image);
	}
	return name_length + strlen (image) + 2;
}

static monocle_kit_spool *
open_with (const char *output, bool times, bool threads, uint32_t max_depth, bool cpu)
{
	monocle_kit_spool_config config = {
		.size = sizeof config,
		.module = "calls",
		.output = output,
		.desc = "calls:test",
		.runtime = "scripted",
		.name_method = tree_name,
		.times = times,
		.threads = threads,
		.max_depth = max_depth,
		.cpu = cpu,
	};
	return monocle_kit_spool_open (&config);
}

monocle_kit_spool *
tree_open (bool times, bool threads, uint32_t max_depth)
{
	return open_with (tree_file ("p.pb.gz"), times, threads, max_depth, false);
}

monocle_kit_spool *
tree_open_cpu (void)
{
	return open_with (tree_file ("p.pb.gz"), true, false, 0, true);
}

monocle_kit_spool *
tree_open_at (const char *output)
{
	return open_with (output, true, false, 0, false);
}

/* Does `path` end the text at `end`? Then where its parent's text ends. */
static bool
is_path (const struct monocle__call_paths *paths, const struct monocle__path *path, const char *text)
{
	size_t end = strlen (text);
	const char *colon = strchr (text, ':');
	if (colon) {
		size_t length = (size_t) (colon - text);
		if (path->label == UINT32_MAX || strlen (paths->labels[path->label].text) != length ||
		    strncmp (paths->labels[path->label].text, text, length))
			return false;
		text = colon + 1;
		end -= length + 1;
	}
	for (;; path = &paths->paths[path->parent]) {
		const struct monocle__function *function = &paths->functions[path->function];
		if (end < function->name_length ||
		    strncmp (text + end - function->name_length, function->name, function->name_length))
			return false;
		end -= function->name_length;
		if (path->parent == UINT32_MAX || !end)
			return path->parent == UINT32_MAX && !end;
		if (text[--end] != ';')
			return false;
	}
}

static struct monocle__path
find_path (const void *base, size_t size, const char *text, double *ret_rate)
{
	struct monocle__spool_view view;
	struct monocle__call_paths paths;
	struct monocle__path found = { .calls = 0, .self = 0 };
	const char *error;
	assert_int_equal (monocle__spool_view_init (&view, base, size, &error), 0);
	assert_int_equal (monocle__call_paths_init (&paths, &view), 0);
	for (uint32_t i = 0; i < paths.path_count; i++)
		if (is_path (&paths, &paths.paths[i], text))
			found = paths.paths[i];
	*ret_rate = view.rate;
	monocle__call_paths_done (&paths);
	return found;
}

uint64_t
tree_calls (monocle_kit_spool *spool, const char *path)
{
	double rate;
	return find_path (spool->header, spool->allocated, path, &rate).calls;
}

uint64_t
tree_self_ns (monocle_kit_spool *spool, const char *path)
{
	double rate;
	monocle__spool_pair (spool, true);
	struct monocle__path found = find_path (spool->header, spool->allocated, path, &rate);
	return spool->header->flags & MONOCLE__SPOOL_CPU ? found.self : (uint64_t) ((double) found.self * rate);
}

uint64_t
tree_file_calls (const char *spool_path, const char *path)
{
	struct stat status;
	double rate;
	int fd = open (spool_path, O_RDONLY);
	assert_true (fd >= 0);
	assert_int_equal (fstat (fd, &status), 0);
	void *base = mmap (NULL, (size_t) status.st_size, PROT_READ, MAP_PRIVATE, fd, 0);
	assert_true (base != MAP_FAILED);
	close (fd);
	uint64_t calls = find_path (base, (size_t) status.st_size, path, &rate).calls;
	munmap (base, (size_t) status.st_size);
	return calls;
}

uint64_t
tree_loss (monocle_kit_spool *spool, enum monocle__loss loss)
{
	return __atomic_load_n (&spool->header->losses[loss], __ATOMIC_RELAXED);
}

char *
tree_messages (void (*body) (void *data), void *data)
{
	char *text = calloc (1, 8192);
	int saved = dup (STDERR_FILENO), file = memfd_create ("stderr", MFD_CLOEXEC);
	assert_true (text && saved >= 0 && file >= 0);
	dup2 (file, STDERR_FILENO);
	body (data);
	dup2 (saved, STDERR_FILENO);
	close (saved);
	assert_true (pread (file, text, 8191, 0) >= 0);
	close (file);
	return text;
}
