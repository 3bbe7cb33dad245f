/*
 * SPDX-License-Identifier: MIT
 *
 * spool.c - the file that a profiled process writes by touching memory.
 *
 * A guest in a foreign process makes four promises here. No descriptor stays open: programs close them all; the file is
 * found again by its absolute path, and it must be the same inode. No SIGBUS: the file's blocks are allocated before a
 * page is touched. No SIGXFSZ: the limit is asked first. A forked child writes nothing: it sees the guard page zeroed.
 *
 * The whole address range is mapped once, most of it beyond the end of the file, so that growing moves nothing.
 */
#include "spool.h"
#include "fork-pages.h"
#include "invariant.h"
#include "nanoseconds.h"
#include "pause.h"
#include "spool-name.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#define RESERVE_LEAST ((size_t) 4 << 20)
#define GROW_LEAST    ((size_t) 1 << 20)
#define GROW_MOST     ((size_t) 64 << 20)

long monocle__fail_after;

bool
monocle__fails (void)
{
	return monocle__fail_after && (monocle__fail_after == 1 || !--monocle__fail_after);
}

/* --- the file ----------------------------------------------------------------------------------------------------- */

/* The blocks where no page was touched yet. 0 or an errno. */
static int
write_zeros (int fd, size_t from, size_t size)
{
	static const char zeros[MONOCLE__EXTENT_SIZE];
	while (from < size) {
		size_t left = size - from;
		ssize_t n = pwrite (fd, zeros, left < sizeof zeros ? left : sizeof zeros, (off_t) from);
		if (n < 0 && errno != EINTR)
			return errno;
		if (n == 0)
			return ENOSPC;
		from += n > 0 ? (size_t) n : 0;
	}
	return 0;
}

/*
 * Gives the file blocks up to `size`. 0 or an errno. Where a sandbox refuses fallocate, zeros are written: a file that
 * were only made longer would end the program by SIGBUS on a full disk.
 */
static int
allocate_blocks (int fd, size_t from, size_t size)
{
	struct rlimit limit;
	if (monocle__fails ())
		return ENOSPC;
	if (getrlimit (RLIMIT_FSIZE, &limit) == 0 && limit.rlim_cur != RLIM_INFINITY && size > limit.rlim_cur)
		return EFBIG;
	int error;
	do
		error = posix_fallocate (fd, (off_t) from, (off_t) (size - from));
	while (error == EINTR);
	bool is_full = error == ENOSPC || error == EDQUOT || error == EFBIG || error == EIO;
	return error && !is_full ? write_zeros (fd, from, size) : error;
}

/* The file by its name again, if it is still the one we made. */
static int
reopen (const monocle_kit_spool *spool)
{
	struct stat status;
	int fd = open (spool->path, O_RDWR | O_CLOEXEC | O_NOFOLLOW);
	if (fd < 0)
		return -1;
	if (fstat (fd, &status) == 0 && status.st_dev == spool->device && status.st_ino == spool->inode)
		return fd;
	close (fd);
	return -1;
}

/* Under the lock: room for `size` bytes. A quarter more each time, so that a large profile grows in few steps. */
static bool
grow (monocle_kit_spool *spool, size_t size)
{
	if (size <= spool->allocated)
		return true;
	if (size > spool->reserved)
		return false;
	size_t step = spool->allocated / 4 & ~(size_t) (GROW_LEAST - 1);
	step = step < GROW_LEAST ? GROW_LEAST : step > GROW_MOST ? GROW_MOST : step;
	size_t wanted = spool->allocated + step;
	if (wanted > spool->reserved)
		wanted = spool->reserved;
	MONOCLE__INVARIANT (spool->allocated < wanted && size <= wanted && wanted <= spool->reserved);
	int fd = reopen (spool);
	if (fd < 0)
		return false;
	int error = allocate_blocks (fd, spool->allocated, wanted);
	if (error && wanted > size)
		error = allocate_blocks (fd, spool->allocated, wanted = size);
	close (fd);
	if (!error)
		spool->allocated = wanted;
	return !error;
}

/* How much address space to take: plenty, but little of a limit, of which the CLR takes three quarters for its heap. */
static size_t
reserve_size (void)
{
	struct rlimit limit;
	size_t size = MONOCLE__SPOOL_SIZE_MOST;
	if (getrlimit (RLIMIT_AS, &limit) == 0 && limit.rlim_cur != RLIM_INFINITY)
		while (size > RESERVE_LEAST && size > limit.rlim_cur / 64)
			size /= 2;
	return size;
}

static int
map (monocle_kit_spool *spool, int fd)
{
	void *base = MAP_FAILED;
	size_t size = reserve_size ();
	for (; size >= RESERVE_LEAST && base == MAP_FAILED; size /= 2) {
		base = mmap (NULL, size, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_NORESERVE, fd, 0);
		spool->reserved = size;
	}
	if (base == MAP_FAILED)
		return -errno;
	MONOCLE__INVARIANT (spool->reserved >= RESERVE_LEAST && spool->reserved <= MONOCLE__SPOOL_SIZE_MOST);
	spool->header = base;
	return 0;
}

static int
make_guard (monocle_kit_spool *spool)
{
	spool->guard = monocle__fork_pages_new (sizeof *spool->guard);
	if (!spool->guard)
		return -ENOMEM;
	spool->guard->alive = 1;
	return 0;
}

static void
fill_header (monocle_kit_spool *spool)
{
	struct monocle__spool_header *header = spool->header;
	header->version = MONOCLE__SPOOL_VERSION;
	header->header_size = sizeof *header;
	header->pid = (uint32_t) getpid ();
	header->process_start = monocle__process_start (getpid ());
	header->realtime_ns = monocle__nanoseconds (CLOCK_REALTIME);
	header->flags = monocle__clock_uses_ticks ? MONOCLE__SPOOL_TICKS : 0;
	monocle__process_start_boot_id (header->boot_id);
	gethostname (header->host, sizeof header->host - 1);
	monocle__program_name (header->program, sizeof header->program);
	header->extent_count = 1;
	header->value_count = 1;
	header->period = 1;
	monocle__spool_pair (spool, true);
}

void
monocle__spool_publish (monocle_kit_spool *spool)
{
	MONOCLE__INVARIANT (!spool->header->magic && spool->header->version == MONOCLE__SPOOL_VERSION);
	MONOCLE__PAUSE (spool_unpublished);
	__atomic_store_n (&spool->header->magic, MONOCLE__SPOOL_MAGIC, __ATOMIC_RELEASE);
}

int
monocle__spool_create (monocle_kit_spool *spool, const char *path)
{
	struct stat status;
	int fd = -1, error = -ENAMETOOLONG;
	if (strlen (path) >= sizeof spool->path)
		return error;
	strcpy (spool->path, path);
	pthread_mutex_init (&spool->lock, NULL);
	error = make_guard (spool);
	if (error)
		goto fail_guard;
	fd = open (path, O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, 0600);
	if (fd < 0) {
		error = -errno;
		goto fail_guard;
	}
	error = -allocate_blocks (fd, 0, GROW_LEAST);
	if (error)
		goto fail_file;
	spool->allocated = GROW_LEAST;
	error = fstat (fd, &status) ? -errno : map (spool, fd);
	if (error)
		goto fail_file;
	close (fd);
	spool->device = status.st_dev;
	spool->inode = status.st_ino;
	fill_header (spool);
	MONOCLE__PAUSE (spool_header_begun);
	return 0;
fail_file:
	unlink (path);
	close (fd);
fail_guard:
	monocle__spool_unmap (spool);
	return error;
}

void
monocle__spool_unmap (monocle_kit_spool *spool)
{
	if (spool->header)
		munmap (spool->header, spool->reserved);
	if (spool->guard)
		monocle__fork_pages_free (spool->guard, sizeof *spool->guard);
	spool->header = NULL;
	spool->guard = NULL;
}

/* --- what grows in it --------------------------------------------------------------------------------------------- */

/* Under the lock. The kind is stored before the count makes the extent visible. */
static struct monocle__extent *
new_extent (monocle_kit_spool *spool, enum monocle__extent_kind kind)
{
	struct monocle__spool_header *header = spool->header;
	size_t offset = (size_t) header->extent_count * MONOCLE__EXTENT_SIZE;
	if (__atomic_load_n (&spool->closed, __ATOMIC_RELAXED) || !grow (spool, offset + MONOCLE__EXTENT_SIZE))
		return NULL;
	struct monocle__extent *extent = (struct monocle__extent *) ((uint8_t *) header + offset);
	MONOCLE__INVARIANT (offset + MONOCLE__EXTENT_SIZE <= spool->allocated);
	MONOCLE__INVARIANT (header->extent_count != 0 && !extent->kind && !extent->used); /* zeroed, and not yet seen */
	extent->kind = kind;
	extent->used = MONOCLE__EXTENT_HEADER;
	MONOCLE__PAUSE (spool_extent_made);
	__atomic_store_n (&header->extent_count, header->extent_count + 1, __ATOMIC_RELEASE);
	return extent;
}

/*
 * Under the lock. When the table is full its last slot is the one that moves on: the fit wants the first and the
 * latest. A reader that meets a slot half written sees a pair some seconds off in one clock, and the process was being
 * killed.
 */
static void
add_pair (monocle_kit_spool *spool)
{
	struct monocle__spool_header *header = spool->header;
	uint32_t index = header->pair_count < MONOCLE__PAIR_COUNT ? header->pair_count : MONOCLE__PAIR_COUNT - 1;
	MONOCLE__INVARIANT (header->pair_count <= MONOCLE__PAIR_COUNT);
	header->pairs[index] = monocle__clock_pair_now (header->flags & MONOCLE__SPOOL_TICKS);
	MONOCLE__INVARIANT (header->pairs[index].ns >= spool->last_pair_ns);
	spool->last_pair_ns = header->pairs[index].ns;
	__atomic_store_n (&header->pair_count, index + 1, __ATOMIC_RELEASE);
}

static void
add_pair_if_due (monocle_kit_spool *spool)
{
	uint64_t now = monocle__nanoseconds (CLOCK_MONOTONIC);
	/* The second pair comes early, so that a short life is measured too. */
	uint64_t due = spool->header->pair_count < 2 ? 1000000u : 1000000000u;
	if (now - spool->last_pair_ns >= due)
		add_pair (spool);
}

void
monocle__spool_pair (monocle_kit_spool *spool, bool always)
{
	pthread_mutex_lock (&spool->lock);
	if (always)
		add_pair (spool);
	else
		add_pair_if_due (spool);
	pthread_mutex_unlock (&spool->lock);
}

struct monocle__extent *
monocle__spool_extent (monocle_kit_spool *spool, enum monocle__extent_kind kind)
{
	pthread_mutex_lock (&spool->lock);
	struct monocle__extent *extent = new_extent (spool, kind);
	if (extent)
		add_pair_if_due (spool);
	pthread_mutex_unlock (&spool->lock);
	return extent;
}

/*
 * Under the lock: `size` more bytes in the extent that `*current` names, or in a fresh one. The bytes are invisible
 * until the caller stores the new end into used.
 */
static void *
reserve_bytes (monocle_kit_spool *spool, struct monocle__extent **current, enum monocle__extent_kind kind, size_t size)
{
	if (!*current || (*current)->used + size > MONOCLE__EXTENT_SIZE) {
		struct monocle__extent *extent = new_extent (spool, kind);
		if (!extent)
			return NULL;
		*current = extent;
	}
	MONOCLE__INVARIANT ((*current)->kind == (uint32_t) kind && (*current)->used >= MONOCLE__EXTENT_HEADER);
	MONOCLE__INVARIANT ((*current)->used % 8 == 0 && (*current)->used + size <= MONOCLE__EXTENT_SIZE);
	return (uint8_t *) *current + (*current)->used;
}

struct monocle__thread_record *
monocle__spool_thread (monocle_kit_spool *spool, uint32_t *ret_number)
{
	pthread_mutex_lock (&spool->lock);
	struct monocle__thread_record *record =
	    reserve_bytes (spool, &spool->threads, MONOCLE__EXTENT_THREADS, sizeof *record);
	if (record) {
		record->ended = 1; /* Until its owner has filled it in. */
		*ret_number = ++spool->thread_count;
		__atomic_store_n (&spool->threads->used, spool->threads->used + (uint32_t) sizeof *record, __ATOMIC_RELEASE);
		add_pair_if_due (spool);
	}
	pthread_mutex_unlock (&spool->lock);
	return record;
}

static void
forget_nodes (monocle_kit_spool *spool)
{
	uint8_t *file = (uint8_t *) spool->header;
	uint32_t count = __atomic_load_n (&spool->header->extent_count, __ATOMIC_ACQUIRE);
	for (uint32_t i = 1; i < count; i++) {
		struct monocle__extent *extent = (struct monocle__extent *) (file + (size_t) i * MONOCLE__EXTENT_SIZE);
		uint32_t used = __atomic_load_n (&extent->used, __ATOMIC_ACQUIRE);
		struct monocle__node *node = (struct monocle__node *) ((uint8_t *) extent + MONOCLE__EXTENT_HEADER);
		struct monocle__node *end = (struct monocle__node *) ((uint8_t *) extent + used);
		for (; extent->kind == MONOCLE__EXTENT_NODES && node < end; node++) {
			__atomic_store_n (&node->calls, 0, __ATOMIC_RELAXED);
			__atomic_store_n (&node->self, 0, __ATOMIC_RELAXED);
		}
	}
}

/* The first pair is where the duration begins. A reader that comes in between fits the rate to a pair of its own. */
void
monocle__spool_forget (monocle_kit_spool *spool)
{
	struct monocle__spool_header *header = spool->header;
	struct timespec now;
	forget_nodes (spool);
	pthread_mutex_lock (&spool->lock);
	__atomic_store_n (&header->pair_count, 0, __ATOMIC_RELEASE);
	add_pair (spool);
	clock_gettime (CLOCK_REALTIME, &now);
	header->realtime_ns = monocle__nanoseconds_of (now);
	for (int loss = 0; loss < MONOCLE__LOSS_COUNT; loss++)
		__atomic_store_n (&header->losses[loss], 0, __ATOMIC_RELAXED);
	pthread_mutex_unlock (&spool->lock);
}

bool
monocle__spool_append_name (monocle_kit_spool *spool, uint64_t key, const struct monocle__spool_name *name)
{
	size_t text = name->name_length + name->image_length;
	size_t size = (sizeof (struct monocle__name_record) + text + 7) & ~(size_t) 7;
	if (size > MONOCLE__EXTENT_SIZE - MONOCLE__EXTENT_HEADER)
		return false;
	struct monocle__name_record *record = reserve_bytes (spool, &spool->names, MONOCLE__EXTENT_NAMES, size);
	if (!record)
		return false;
	MONOCLE__INVARIANT (sizeof *record + text <= size && size % 8 == 0);
	*record = (struct monocle__name_record) { key, (uint32_t) name->name_length, (uint32_t) name->image_length,
		                                      name->origin };
	memcpy (record + 1, name->name, name->name_length);
	memcpy ((char *) (record + 1) + name->name_length, name->image, name->image_length);
	MONOCLE__PAUSE (spool_name_written);
	__atomic_store_n (&spool->names->used, spool->names->used + (uint32_t) size, __ATOMIC_RELEASE);
	add_pair_if_due (spool);
	return true;
}
