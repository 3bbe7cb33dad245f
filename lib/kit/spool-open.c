/*
 * SPDX-License-Identifier: MIT
 *
 * spool-open.c - opening and closing a spool with all that belongs to its file, and the call tree of this process.
 *
 * There is one call tree, in static storage: the hot path finds its part through one word of each thread. Open and
 * close run on one thread each, when the runtime starts and ends.
 */
#include "spool-open.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "calltree.h"
#include "complete.h"
#include "environment.h"
#include "output-place.h"
#include "output-plan.h"
#include "slow.h"

static monocle_kit_spool the_spool;
static uint32_t in_use; /* taken with an atomic exchange */

/* --- open --------------------------------------------------------------------------------------------------------- */

struct plan {
	const monocle_kit_spool_config *config;
	char subject[256];
	char output[PATH_MAX];
	enum monocle__output_kind kind;
	char run_directory[PATH_MAX]; /* "": none */
};

static bool
make_plan (struct plan *plan, const monocle_kit_spool_config *config)
{
	plan->config = config;
	monocle__output_name_subject (plan->subject, sizeof plan->subject);
	struct monocle__output_words words = { plan->subject, config->module, (uint32_t) getpid (), time (NULL), "pb.gz" };
	int error = monocle__output_place (config->output, &words, plan->output, sizeof plan->output, &plan->kind);
	if (error) {
		monocle_kit_log_failure (config->module, "cannot write %s: %s; the program runs unprofiled", plan->output,
		                         monocle__output_name_problem (plan->output, error));
		return false;
	}
	const char *directory = monocle__variable ("MONOCLE_RUN_DIR");
	if (!config->apart && directory && *directory == '/' && strlen (directory) < sizeof plan->run_directory)
		strcpy (plan->run_directory, directory);
	return true;
}

/* The spool's name, `number` from 1. */
static int
name_spool (const struct plan *plan, unsigned number, char *path, size_t size)
{
	const char *temporary = monocle__variable ("TMPDIR");
	char suffix[16] = "";
	int length;
	if (number > 1)
		snprintf (suffix, sizeof suffix, ".%u", number);
	if (*plan->run_directory)
		length = snprintf (path, size, "%s/%s.%d.%u.spool", plan->run_directory, plan->config->module, (int) getpid (),
		                   number);
	else if (plan->kind == MONOCLE__OUTPUT_FILE || plan->kind == MONOCLE__OUTPUT_NEW)
		length = snprintf (path, size, "%s%s.spool", plan->output, suffix);
	else
		length = snprintf (path, size, "%s/%s.%d%s.spool", temporary && *temporary == '/' ? temporary : "/tmp",
		                   plan->config->module, (int) getpid (), suffix);
	return length < 0 || (size_t) length >= size ? -ENAMETOOLONG : 0;
}

/* A device has no room beside it for a spool. */
static void
avoid_devices (struct plan *plan, unsigned number, char *path, size_t size)
{
	struct stat status;
	if (*plan->run_directory || plan->kind != MONOCLE__OUTPUT_FILE || stat (plan->output, &status) ||
	    S_ISREG (status.st_mode))
		return;
	enum monocle__output_kind kind = plan->kind;
	plan->kind = MONOCLE__OUTPUT_FD; /* Named as those: in the folder for temporary files. */
	name_spool (plan, number, path, size);
	plan->kind = kind;
}

/* In the folder of a run the plan is there before the spool. 0 or -errno. */
static int
create_at (monocle_kit_spool *spool, const struct plan *plan, const char *path)
{
	bool has_plan = *plan->run_directory && (plan->kind == MONOCLE__OUTPUT_FILE || plan->kind == MONOCLE__OUTPUT_NEW);
	int error = has_plan ? monocle__output_plan_write (path, plan->kind, plan->output) : 0;
	if (error)
		return error;
	error = monocle__spool_create (spool, path);
	if (error && has_plan)
		monocle__output_plan_remove (AT_FDCWD, path);
	return error;
}

static bool
create (monocle_kit_spool *spool, struct plan *plan)
{
	char path[PATH_MAX];
	int error = -EEXIST;
	for (unsigned number = 1; error == -EEXIST && number < 1000; number++) {
		error = name_spool (plan, number, path, sizeof path);
		if (!error)
			avoid_devices (plan, number, path, sizeof path);
		if (!error)
			error = create_at (spool, plan, path);
	}
	if (error)
		monocle_kit_log_failure (plan->config->module, "cannot make %s: %s; the program runs unprofiled", path,
		                         strerror (-error));
	return !error;
}

static void
copy_text (char *to, size_t size, const char *from)
{
	snprintf (to, size, "%s", from ? from : "");
}

static void
describe (monocle_kit_spool *spool, const struct plan *plan)
{
	const monocle_kit_spool_config *config = plan->config;
	struct monocle__spool_header *header = spool->header;
	uint32_t depth = config->max_depth;
	header->flags |= (config->times ? MONOCLE__SPOOL_TIMES : 0) | (config->threads ? MONOCLE__SPOOL_THREADS : 0) |
	                 (config->late ? MONOCLE__SPOOL_LATE : 0) | (config->times && config->cpu ? MONOCLE__SPOOL_CPU : 0);
	header->max_depth = depth && depth < MONOCLE_KIT_MAX_DEPTH ? depth : MONOCLE_KIT_MAX_DEPTH;
	header->output_kind = plan->kind;
	copy_text (header->module, sizeof header->module, config->module);
	monocle__program_name (header->program, sizeof header->program);
	copy_text (header->runtime, sizeof header->runtime, config->runtime);
	copy_text (header->desc, sizeof header->desc, config->desc);
	copy_text (header->output, sizeof header->output, plan->output);
	copy_text (header->run_directory, sizeof header->run_directory, plan->run_directory);
	header->value_count = config->times ? 2 : 1;
	header->values[0] = (struct monocle__value_name) { "calls", "count" };
	header->values[1] = (struct monocle__value_name) { "self", "nanoseconds" };
	if (config->cpu)
		strcpy (header->values[1].type, "cpu");
	spool->name_method = config->name_method;
}

/* Remembers which file a `#FD` is, so that at the end nothing is written into what took its number. */
static void
remember_descriptor (monocle_kit_spool *spool)
{
	struct stat status;
	if (spool->header->output_kind != MONOCLE__OUTPUT_FD || fstat (atoi (spool->header->output), &status))
		return;
	spool->header->output_device = status.st_dev;
	spool->header->output_inode = status.st_ino;
}

void
monocle__spool_open_remove (const monocle_kit_spool *spool)
{
	unlink (spool->path);
	if (*spool->header->run_directory)
		monocle__output_plan_remove (AT_FDCWD, spool->path);
}

bool
monocle__spool_open_make (monocle_kit_spool *spool, const monocle_kit_spool_config *config)
{
	struct plan plan = { .run_directory = "" };
	monocle_kit_clock_init ();
	memset (spool, 0, sizeof *spool);
	if (!make_plan (&plan, config) || !create (spool, &plan))
		return false;
	describe (spool, &plan);
	remember_descriptor (spool);
	monocle__path_room_init (&spool->paths, config->paths, "");
	monocle__path_room_fit (&spool->paths, spool->reserved);
	return true;
}

monocle_kit_spool *
monocle_kit_spool_open (const monocle_kit_spool_config *given)
{
	monocle_kit_spool_config config = { .size = 0 };
	/* An older module's struct is shorter; what it does not know is zero. */
	memcpy (&config, given, given->size < sizeof config ? given->size : sizeof config);
	if (__atomic_exchange_n (&in_use, 1, __ATOMIC_ACQ_REL)) {
		monocle_kit_log_failure (config.module, "this process has a call tree already; the second one is left out");
		return NULL;
	}
	int saved_errno = errno;
	bool good = monocle__call_thread_prepare ();
	if (!good)
		monocle_kit_log_failure (config.module, "no memory to know threads by; the program runs unprofiled");
	good = good && monocle__spool_open_make (&the_spool, &config);
	if (good && config.threshold && config.times && !config.cpu) {
		the_spool.watch = monocle__slow_new (&the_spool, &config);
		if (!the_spool.watch)
			monocle_kit_log (config.module, "no memory for slow calls: none is listed");
	}
	if (good) {
		monocle__spool_publish (&the_spool);
		if (config.times)
			monocle__heart_start (&the_spool);
	} else {
		__atomic_store_n (&in_use, 0, __ATOMIC_RELEASE);
	}
	errno = saved_errno;
	return good ? &the_spool : NULL;
}

/* --- close -------------------------------------------------------------------------------------------------------- */

/* One line about what is missing; leaves without an enter are nothing to worry a user with. */
static void
report_losses (const struct monocle__spool_header *header)
{
	uint64_t calls = __atomic_load_n (&header->losses[MONOCLE__LOSS_SPACE], __ATOMIC_RELAXED) +
	                 __atomic_load_n (&header->losses[MONOCLE__LOSS_THREADS], __ATOMIC_RELAXED);
	uint64_t nested = __atomic_load_n (&header->losses[MONOCLE__LOSS_NESTED], __ATOMIC_RELAXED);
	if (calls || nested)
		monocle_kit_log (header->module,
		                 "%llu calls are missing from %s (%llu found no room, %llu were in signal handlers)",
		                 (unsigned long long) (calls + nested), header->output, (unsigned long long) calls,
		                 (unsigned long long) nested);
	uint64_t stacks = __atomic_load_n (&header->losses[MONOCLE__LOSS_STACKS], __ATOMIC_RELAXED);
	if (stacks)
		monocle_kit_log (header->module, "%llu stacks are missing from %s: they came faster than they could be counted",
		                 (unsigned long long) stacks, header->output);
}

static bool
descriptor_is_the_same (const struct monocle__spool_header *header)
{
	struct stat status;
	return header->output_kind != MONOCLE__OUTPUT_FD ||
	       (fstat (atoi (header->output), &status) == 0 && status.st_dev == header->output_device &&
	        status.st_ino == header->output_inode);
}

static bool
is_for_a_file (const struct monocle__spool_header *header)
{
	return header->output_kind == MONOCLE__OUTPUT_FILE || header->output_kind == MONOCLE__OUTPUT_NEW;
}

static int
write_profile (monocle_kit_spool *spool)
{
	struct monocle__spool_view view;
	struct monocle__spool_header *header = spool->header;
	const char *damage;
	char path[sizeof header->output];
	if (!descriptor_is_the_same (header))
		return -EBADF;
	if (monocle__spool_view_init (&view, header, spool->allocated, &damage))
		return -EINVAL;
	int error = monocle__complete_name (header, path);
	if (!error)
		error = monocle__complete_view (&view, path, header->output_kind);
	if (!error && is_for_a_file (header) && *header->run_directory)
		monocle__leave_note (header->run_directory, header->pid, path);
	return error;
}

int
monocle__spool_open_piece (monocle_kit_spool *spool)
{
	struct monocle__spool_header *header = spool->header;
	monocle__spool_pair (spool, true);
	int error = write_profile (spool);
	if (error)
		monocle_kit_log_failure (header->module, "cannot write %s: %s", header->output,
		                         monocle__output_name_problem (header->output, error));
	else
		__atomic_store_n (&header->pieces, header->pieces + 1, __ATOMIC_RELEASE);
	return error ? -1 : 0;
}

int
monocle__spool_open_finish (monocle_kit_spool *spool)
{
	struct monocle__spool_header *header = spool->header;
	monocle__spool_pair (spool, true);
	__atomic_store_n (&header->ended, 1, __ATOMIC_RELEASE);
	report_losses (header);
	int error = write_profile (spool);
	/* Whoever collects makes a profile of the spool, in the same directory. */
	if (error && *header->run_directory)
		monocle_kit_log_failure (header->module, "cannot write %s: %s; the profile stays in %s", header->output,
		                         monocle__output_name_problem (header->output, error), header->run_directory);
	else if (error)
		monocle_kit_log_failure (header->module, "cannot write %s: %s; the raw profile is in %s", header->output,
		                         monocle__output_name_problem (header->output, error), spool->path);
	else
		monocle__spool_open_remove (spool);
	return error ? -1 : 0;
}

const char *
monocle_kit_spool_file (const monocle_kit_spool *spool)
{
	return spool->path;
}

void
monocle_kit_spool_stop (monocle_kit_spool *spool)
{
	if (spool && monocle__spool_is_ours (spool) && !spool->header->stopped)
		__atomic_store_n (&spool->header->stopped, monocle__clock_now (), __ATOMIC_RELAXED);
}

int
monocle_kit_spool_close (monocle_kit_spool *spool)
{
	int saved_errno = errno;
	if (!spool || !monocle__spool_is_ours (spool) || __atomic_load_n (&spool->closed, __ATOMIC_ACQUIRE))
		return 0;
	monocle__slow_finish (spool); /* While there may be more extents. */
	if (__atomic_exchange_n (&spool->closed, 1, __ATOMIC_ACQ_REL))
		return 0;
	monocle__heart_stop (spool);
	int result = monocle__spool_open_finish (spool);
	errno = saved_errno;
	return result;
}

static void
forget (void)
{
	monocle__spool_names_reset (&the_spool);
	monocle__spool_unmap (&the_spool);
	monocle__slow_free (the_spool.watch);
	the_spool.watch = NULL;
	__atomic_store_n (&in_use, 0, __ATOMIC_RELEASE);
}

/* The name that threads know it by stays valid: it is static. */
void
monocle_kit_spool_free (monocle_kit_spool *spool)
{
	if (!spool || !spool->header || !__atomic_load_n (&spool->closed, __ATOMIC_ACQUIRE))
		return;
	monocle__call_thread_empty_all ();
	forget ();
}

void
monocle__spool_open_reset (void)
{
	if (the_spool.header)
		monocle__heart_stop (&the_spool);
	monocle__threads_reset ();
	monocle__fail_after = 0;
	forget ();
}
