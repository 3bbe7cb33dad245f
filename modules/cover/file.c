/*
 * SPDX-License-Identifier: MIT
 *
 * file.c - see file.h. The layout is cover-file.h's.
 *
 * Addresses are reserved once, below 2 GiB where there is room: probes hold the addresses of counters, and short ones
 * make short code. The file grows into them piece by piece. Each piece has its blocks before it is mapped, so that a
 * full disk is an answer here and not a signal in the program.
 */
#include "file.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

#include <monocle/kit.h>

#include "cmdline.h"
#include "nanoseconds.h"
#include "path.h"
#include "process-start.h"

enum { PIECE_LEAST = 256 << 10, PIECE_MOST = 4 << 20, RESERVED_LEAST = 16 << 20, RESERVED_MOST = 512 << 20 };

static struct {
	uint8_t *base;
	uint64_t reserved, mapped;
	uint64_t used; /* as in the header */
	int fd;
	dev_t device;
	ino_t inode;
	char path[PATH_MAX];
	bool is_full;  /* it was said */
	bool is_ended; /* nothing is written any more */
} the_file = { .fd = -1 };

/* --- addresses ---------------------------------------------------------------------------------------------------- */

static void *
reserve_at (void *hint, size_t size, int flags)
{
	void *at = mmap (hint, size, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE | flags, -1, 0);
	return at == MAP_FAILED ? NULL : at;
}

static void *
reserve_low (size_t size)
{
#ifdef MAP_32BIT
	return reserve_at (NULL, size, MAP_32BIT);
#else
	for (uintptr_t hint = 0x10000000; hint + size <= INT32_MAX; hint += 0x08000000) {
		void *at = reserve_at ((void *) hint, size, MAP_FIXED_NOREPLACE);
		if (at == (void *) hint)
			return at;
		if (at)
			munmap (at, size); /* an old kernel takes it for a wish */
	}
	return NULL;
#endif
}

static bool
reserve (void)
{
	for (size_t size = RESERVED_MOST; size >= RESERVED_LEAST; size /= 2) {
		void *at = reserve_low (size);
		if (!at)
			at = reserve_at (NULL, size, 0);
		if (at) {
			the_file.base = at;
			the_file.reserved = size;
			return true;
		}
	}
	return false;
}

/* --- growing ------------------------------------------------------------------------------------------------------ */

/* The program may close what it does not know, and open something else by that number. */
static bool
has_descriptor (void)
{
	struct stat status;
	for (int tries = 0; tries < 2; tries++) {
		if (the_file.fd >= 0 && fstat (the_file.fd, &status) == 0 && status.st_dev == the_file.device &&
		    status.st_ino == the_file.inode)
			return true;
		the_file.fd = tries ? -1 : open (the_file.path, O_RDWR | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK);
	}
	return false;
}

/* A file beyond the limit would bring SIGXFSZ. */
static bool
is_within_limit (uint64_t size)
{
	struct rlimit limit;
	return getrlimit (RLIMIT_FSIZE, &limit) || limit.rlim_cur == RLIM_INFINITY || size <= limit.rlim_cur;
}

/* 0 or an errno. */
static int
map_piece (uint64_t size)
{
	if (the_file.mapped + size > the_file.reserved)
		return ENOMEM;
	if (!has_descriptor ())
		return EBADF;
	if (!is_within_limit (the_file.mapped + size))
		return EFBIG;
	int error = posix_fallocate (the_file.fd, (off_t) the_file.mapped, (off_t) size);
	if (error)
		return error;
	void *at = mmap (the_file.base + the_file.mapped, size, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_FIXED, the_file.fd,
	                 (off_t) the_file.mapped);
	if (at == MAP_FAILED)
		return errno;
	the_file.mapped += size;
	return 0;
}

static uint64_t
piece_for (uint64_t missing)
{
	uint64_t size = the_file.mapped < PIECE_LEAST ? PIECE_LEAST : the_file.mapped;
	size = size > PIECE_MOST ? PIECE_MOST : size;
	while (size < missing)
		size += PIECE_LEAST;
	return size;
}

static bool
make_room (uint64_t size)
{
	uint64_t missing = the_file.used + size - the_file.mapped;
	if (the_file.is_ended)
		return false;
	if (the_file.used + size <= the_file.mapped)
		return true;
	int error = map_piece (piece_for (missing));
	if (error && !the_file.is_full)
		monocle_kit_log ("cover", "%s cannot grow beyond %llu KiB: %s; methods that come now are not counted",
		                 the_file.path, (unsigned long long) the_file.mapped >> 10, strerror (error));
	the_file.is_full |= error != 0;
	return !error;
}

/* --- records ------------------------------------------------------------------------------------------------------ */

struct monocle__cover_header *
file_header (void)
{
	return (struct monocle__cover_header *) (void *) the_file.base;
}

void *
file_reserve (uint64_t size)
{
	if (size > UINT32_MAX || !make_room (size))
		return NULL;
	return memset (the_file.base + the_file.used, 0, size); /* a record that was given up may have left something */
}

void
file_publish (uint64_t size)
{
	the_file.used += size;
	__atomic_store_n (&file_header ()->used, the_file.used, __ATOMIC_RELEASE);
}

void *
file_at (uint64_t offset)
{
	return the_file.base + offset;
}

uint64_t
file_offset_of (const void *at)
{
	return (uint64_t) ((const uint8_t *) at - the_file.base);
}

void
file_lose (enum monocle__cover_loss what, uint64_t count)
{
	__atomic_fetch_add (&file_header ()->losses[what], count, __ATOMIC_RELAXED);
}

void
file_leave_out (uint64_t count)
{
	__atomic_fetch_add (&file_header ()->left_out, count, __ATOMIC_RELAXED);
}

bool
file_is_own (void)
{
	return file_header ()->pid == (uint32_t) getpid ();
}

/* --- begin and end ------------------------------------------------------------------------------------------------ */

static void
copy_text (char *to, size_t size, const char *text)
{
	snprintf (to, size, "%s", text ? text : "");
}

/* The first word that is an assembly, else the first word. */
static void
name_program (char *name, size_t size, const char *words, size_t length)
{
	const char *program = words;
	for (const char *word = words; word < words + length; word += strlen (word) + 1) {
		if (monocle__cmdline_is_assembly (word)) {
			program = word;
			break;
		}
	}
	copy_text (name, size, monocle__path_base_name (program));
}

static void
fill_header (const file_config *config)
{
	struct monocle__cover_header *header = file_header ();
	char words[sizeof header->arguments];
	size_t length = monocle__cmdline_read (words, sizeof words);
	header->version = MONOCLE__COVER_VERSION;
	header->flags = config->flags;
	header->pid = (uint32_t) getpid ();
	header->counter_size = config->flags & MONOCLE__COVER_COUNTS ? 4 : 1;
	header->process_start = monocle__process_start (getpid ());
	header->realtime_ns = monocle__nanoseconds (CLOCK_REALTIME);
	monocle__process_start_boot_id (header->boot_id);
	copy_text (header->runtime, sizeof header->runtime, config->runtime);
	copy_text (header->desc, sizeof header->desc, config->desc);
	memcpy (header->arguments, words, length < sizeof words ? length : sizeof words - 1);
	name_program (header->program, sizeof header->program, words, length);
	file_publish (MONOCLE__COVER_HEADER);
	__atomic_store_n (&header->magic, MONOCLE__COVER_MAGIC, __ATOMIC_RELEASE);
}

static bool
open_mapped (void)
{
	struct stat status;
	if (fstat (the_file.fd, &status))
		return false;
	the_file.device = status.st_dev;
	the_file.inode = status.st_ino;
	errno = ENOMEM;
	int error = reserve () ? map_piece (PIECE_LEAST) : errno;
	errno = error;
	return !error;
}

bool
file_open (const file_config *config)
{
	monocle_kit_output_config output = { sizeof output, "cover", config->output, "mcov" };
	the_file.fd = monocle_kit_output_open (&output, the_file.path, sizeof the_file.path);
	if (the_file.fd < 0)
		return false;
	if (!open_mapped ()) {
		monocle_kit_log_failure ("cover", "cannot write %s: %s; the program runs unprofiled", the_file.path,
		                         strerror (errno));
		unlink (the_file.path);
		return false;
	}
	fill_header (config);
	return true;
}

const char *
file_path (void)
{
	return the_file.path;
}

void
file_discard (void)
{
	unlink (the_file.path);
}

/* Threads that still run count in what is used; the rest of the last piece is given back. */
void
file_end (void)
{
	uint64_t page = (uint64_t) sysconf (_SC_PAGESIZE);
	if (!file_is_own ())
		return;
	the_file.is_ended = true;
	if (has_descriptor ())
		(void) !ftruncate (the_file.fd, (off_t) ((the_file.used + page - 1) & ~(page - 1)));
	file_header ()->ended_ns = monocle__nanoseconds (CLOCK_REALTIME);
}
