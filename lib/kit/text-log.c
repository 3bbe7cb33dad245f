/*
 * SPDX-License-Identifier: MIT
 *
 * text-log.c - lines from all threads into one file, in the order of their times, without the program ever waiting.
 *
 * Each thread has a ring: it writes at `head`, the log's own thread reads at `tail`. A line is a header (its time, its
 * length) and its bytes, padded to 16; where the end of the ring is too near, a header of length END fills it up.
 *
 *      tail                 head
 *       |  line | line | line|.....free.....|        head - tail <= size, both only grow
 *
 * Twenty times a second, or when a ring is half full, the log's thread merges what is older than the moment it began.
 * A thread that stops between taking its time and publishing its line may come out late: the order is that of times up
 * to such accidents. Lines that find no room are counted in their ring, and the next one that is written says so.
 *
 * At the end the log's thread writes what waits and closes the files. The thread that closes the log waits for it, says
 * so when that takes longer than a second, and gives up when nothing moves: a reader that stopped reading stops no
 * program.
 *
 * A ring belongs to its thread until that ends; then it is emptied and freed. The thread that holds the ring is found
 * through a pthread key, so that the library's one thread-local word stays the call tree's. The C library keeps the
 * values of its first keys in the thread, and allocates for others: a thread whose first line comes in a stopped world
 * could wait for ever. Where the key is such a one rings are found by thread id in a table instead, and never freed:
 * the log's thread looks once a second whose threads are gone, and others take their rings.
 */
#include <errno.h>
#include <inttypes.h>
#include <pthread.h>
#include <semaphore.h>
#include <stdatomic.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#include <monocle/kit.h>

#include "background.h"
#include "clock.h"
#include "complete.h"
#include "environment.h"
#include "invariant.h"
#include "nanoseconds.h"
#include "output-place.h"
#include "text-output.h"
#include "utf8.h"

enum {
	RING_DEFAULT = 1 << 20,
	RING_LEAST = 1 << 17,
	RING_MOST = 1 << 30,
	LINE_MOST = 64 << 10,
	PIECE = 256 << 10,
	PERIOD_NS = 50000000,
	LONGEST_NS = 400000000, /* between two looks while nothing comes: what comes wakes */
	PATIENCE = 5,           /* seconds without a piece written, at the end */
	ALIGN = 16,
	INLINE_KEYS = 32, /* of glibc; others have no limit */
	PLACES = 1 << 12,
	PERIODS = 20, /* between two looks for threads that are gone */
};

#define NOBODY ((pid_t) -1)

/* A ring by its thread. */
struct place {
	_Atomic (pid_t) tid; /* 0: free; NOBODY: the ring may be taken */
	_Atomic (struct ring *) ring;
};

#define END UINT32_MAX

_Static_assert(RING_LEAST > LINE_MOST + ALIGN && PIECE > LINE_MOST, "every line has room in a ring and in a piece");

struct line {
	uint64_t time;
	uint32_t length; /* END: nothing more before the end of the ring */
	uint32_t unused;
	char text[];
};

_Static_assert(sizeof (struct line) == ALIGN, "where a line has no room its header has");

struct ring {
	struct ring *next;
	monocle_kit_text *text;
	char *data;
	uint64_t size; /* a power of two */
	uint64_t mapped;
	_Atomic (uint64_t) head, tail;
	_Atomic (uint64_t) lost;
	uint64_t lost_told;             /* by the log's thread */
	_Atomic (bool) is_writing;      /* a signal handler must not come in between */
	_Atomic (bool) is_over;         /* its thread has ended */
	_Atomic (pid_t) tid;            /* NOBODY: its thread is gone, and another may take it */
	struct monocle__text_file file; /* with `threads` */
};

struct monocle_kit_text {
	char module[32];
	char path[PATH_MAX];
	char *head;
	enum monocle__output_kind kind;
	uint64_t ring_size;
	bool threads;
	pthread_key_t key;
	struct place *places;          /* NULL: the key will do */
	unsigned period;               /* how many were, of the log's thread */
	uint64_t pause;                /* until it looks again, unless it is woken; its own */
	_Atomic (struct ring *) rings; /* grows at the front; the log's thread takes dead ones out */
	sem_t wake;
	_Atomic (bool) is_awake, is_closing, is_closed;
	_Atomic (bool) is_quiet;                   /* nothing came for a while, and its thread may sleep for long */
	_Atomic (uint32_t) sync_wanted, sync_done; /* how often; the latest that is fulfilled */
	sem_t synced;                              /* posted when one is */
	pthread_t thread;
	struct monocle__text_file file;
	char *piece;
	size_t piece_length;
	_Atomic (uint64_t) pieces; /* how many were written */
	uint64_t written, limit;   /* bytes; 0: there is no limit. Of the log's thread */
	_Atomic (uint64_t) lost;
	int error;
	bool is_given_up;       /* its thread waits for who reads, and may go on at any time */
	monocle_kit_text *next; /* in the list of all */
};

/*
 * Logs are not freed at the end of a process: a thread may be in the middle of a line for as long as it likes. The list
 * keeps them reachable.
 */
static monocle_kit_text *all_logs;
static pthread_mutex_t all_lock = PTHREAD_MUTEX_INITIALIZER;

/* A forked child has the rings and no thread that empties them. */
static _Atomic (bool) is_child;

static void
forked (void)
{
	atomic_store (&is_child, true);
}

static void
watch_forks (void)
{
	pthread_atfork (NULL, NULL, forked);
}

/* --- a thread's side ---------------------------------------------------------------------------------------------- */

static void
thread_ends (void *data)
{
	struct ring *ring = data;
	atomic_store_explicit (&ring->is_over, true, memory_order_release);
}

/* The place of this thread, else one that this thread gets. NULL: all are taken. *ret_new: it has no ring yet. */
static struct place *
place_of (monocle_kit_text *text, pid_t tid, bool *ret_new)
{
	unsigned first = (unsigned) tid * 0x9E3779B1u;
	*ret_new = false;
	for (unsigned i = 0; i < PLACES; i++) {
		struct place *place = &text->places[(first + i) % PLACES];
		pid_t there = atomic_load (&place->tid);
		if (there == tid)
			return place;
		if (!there)
			break;
	}
	for (unsigned i = 0; i < PLACES; i++) {
		struct place *place = &text->places[(first + i) % PLACES];
		pid_t there = atomic_load (&place->tid);
		if ((!there || there == NOBODY) && atomic_compare_exchange_strong (&place->tid, &there, tid)) {
			*ret_new = !there;
			return place;
		}
	}
	return NULL;
}

static struct ring *
find_ring (monocle_kit_text *text, struct place **ret_place)
{
	bool is_new;
	*ret_place = NULL;
	if (!text->places)
		return pthread_getspecific (text->key);
	pid_t tid = (pid_t) syscall (SYS_gettid);
	struct place *place = place_of (text, tid, &is_new);
	struct ring *ring = place ? atomic_load (&place->ring) : NULL;
	*ret_place = place;
	pid_t nobody = NOBODY; /* another thread's, once */
	if (ring && atomic_compare_exchange_strong (&ring->tid, &nobody, tid))
		atomic_store_explicit (&ring->is_writing, false, memory_order_release);
	return ring;
}

/* No malloc: the world may be stopped, and one of the stopped threads may hold its lock. */
static bool
keep_ring (monocle_kit_text *text, struct place *place, struct ring *ring)
{
	if (!text->places)
		return pthread_setspecific (text->key, ring) == 0;
	if (place)
		atomic_store (&place->ring, ring);
	return place != NULL;
}

static struct ring *
make_ring (monocle_kit_text *text, struct place *place)
{
	uint64_t size = sizeof (struct ring) + ALIGN + text->ring_size;
	struct ring *ring = mmap (NULL, size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	if (ring == MAP_FAILED)
		return NULL;
	MONOCLE__INVARIANT ((text->ring_size & (text->ring_size - 1)) == 0 && text->ring_size >= RING_LEAST);
	ring->data = (char *) (((uintptr_t) (ring + 1) + ALIGN - 1) & ~(uintptr_t) (ALIGN - 1));
	ring->mapped = size;
	ring->text = text;
	ring->size = text->ring_size;
	ring->tid = (pid_t) syscall (SYS_gettid);
	ring->file.fd = -1;
	if (!keep_ring (text, place, ring)) {
		munmap (ring, size);
		return NULL;
	}
	ring->next = atomic_load (&text->rings);
	while (!atomic_compare_exchange_weak (&text->rings, &ring->next, ring))
		;
	return ring;
}

/* Where a line of so many bytes, header included, may be written; NULL: no room. *ret_head: `head` after it. */
static struct line *
find_room (struct ring *ring, uint64_t bytes, uint64_t *ret_head)
{
	uint64_t head = atomic_load_explicit (&ring->head, memory_order_relaxed);
	uint64_t tail = atomic_load_explicit (&ring->tail, memory_order_acquire);
	uint64_t at = head & (ring->size - 1), rest = ring->size - at;
	uint64_t skipped = rest < bytes ? rest : 0;
	MONOCLE__INVARIANT (head - tail <= ring->size && head % ALIGN == 0 && bytes % ALIGN == 0);
	if (head + skipped + bytes - tail > ring->size)
		return NULL;
	if (skipped)
		((struct line *) (ring->data + at))->length = END;
	MONOCLE__INVARIANT ((skipped ? 0 : at) + bytes <= ring->size);
	*ret_head = head + skipped + bytes;
	return (struct line *) (ring->data + (skipped ? 0 : at));
}

static void
wake (monocle_kit_text *text)
{
	if (!atomic_exchange_explicit (&text->is_awake, true, memory_order_relaxed))
		sem_post (&text->wake);
}

static bool
put_line (struct ring *ring, uint64_t time, const char *line, size_t length)
{
	uint64_t bytes = (sizeof (struct line) + length + ALIGN - 1) & ~(uint64_t) (ALIGN - 1), head;
	struct line *place = length <= LINE_MOST ? find_room (ring, bytes, &head) : NULL;
	if (!place)
		return false;
	MONOCLE__INVARIANT (atomic_load_explicit (&ring->is_writing, memory_order_relaxed));
	place->time = time;
	place->length = (uint32_t) length;
	memcpy (place->text, line, length);
	atomic_store_explicit (&ring->head, head, memory_order_release);
	bool is_half_full = head - atomic_load_explicit (&ring->tail, memory_order_relaxed) > ring->size / 2;
	if (is_half_full || atomic_load_explicit (&ring->text->is_quiet, memory_order_relaxed)) {
		atomic_store_explicit (&ring->text->is_quiet, false, memory_order_relaxed);
		wake (ring->text);
	}
	return true;
}

bool
monocle_kit_text_line (monocle_kit_text *text, uint64_t time, const char *line, size_t length)
{
	int saved_errno = errno;
	bool done = false;
	if (atomic_load_explicit (&text->is_closed, memory_order_relaxed) ||
	    atomic_load_explicit (&is_child, memory_order_relaxed))
		return false;
	struct place *place;
	struct ring *ring = find_ring (text, &place);
	if (!ring)
		ring = make_ring (text, place);
	if (ring && !atomic_exchange_explicit (&ring->is_writing, true, memory_order_relaxed)) {
		done = put_line (ring, time, line, length);
		atomic_store_explicit (&ring->is_writing, false, memory_order_relaxed);
	}
	if (ring && !done) {
		atomic_fetch_add_explicit (&ring->lost, 1, memory_order_relaxed);
		wake (text);
	}
	errno = saved_errno;
	return done;
}

/* --- the log's side ----------------------------------------------------------------------------------------------- */

static void
note_error (monocle_kit_text *text, const struct monocle__text_file *file)
{
	if (!file->error || text->error)
		return;
	text->error = file->error;
	monocle_kit_log_failure (text->module, "cannot write %s: %s; the log ends there", file->path,
	                         monocle__output_name_problem (file->path, file->error));
}

/* The lines that fit are written. What comes later is read, so that the program never waits, and left out. */
static void
end_at_limit (monocle_kit_text *text, struct monocle__text_file *file)
{
	const char *end = memrchr (text->piece, '\n', text->limit - text->written);
	size_t length = end ? (size_t) (end + 1 - text->piece) : 0;
	if (length && monocle__text_file_write (file, text->piece, length))
		return;
	text->written += length;
	file->error = -EFBIG;
	if (text->error)
		return;
	text->error = file->error;
	monocle_kit_log_failure (text->module, "%s: the log has %" PRIu64 " bytes, and limit=%" PRIu64 " ends it there",
	                         file->path, text->written, text->limit);
}

static void
flush (monocle_kit_text *text, struct monocle__text_file *file)
{
	bool is_too_long = text->limit && text->written + text->piece_length > text->limit;
	if (text->piece_length && is_too_long && !file->error)
		end_at_limit (text, file);
	else if (text->piece_length && monocle__text_file_write (file, text->piece, text->piece_length))
		note_error (text, file);
	else
		text->written += text->piece_length;
	text->piece_length = 0;
	atomic_fetch_add_explicit (&text->pieces, 1, memory_order_relaxed);
}

static void
append (monocle_kit_text *text, struct monocle__text_file *file, const char *data, size_t length)
{
	if (text->piece_length + length + 1 > PIECE)
		flush (text, file);
	MONOCLE__INVARIANT (text->piece_length + length + 1 <= PIECE);
	memcpy (text->piece + text->piece_length, data, length);
	text->piece_length += monocle__utf8_clean_columns (text->piece + text->piece_length, length);
	text->piece[text->piece_length++] = '\n';
}

/* The oldest line of the ring that is not younger than `until`; NULL: there is none. */
static struct line *
oldest (struct ring *ring, uint64_t until)
{
	uint64_t head = atomic_load_explicit (&ring->head, memory_order_acquire);
	uint64_t tail = atomic_load_explicit (&ring->tail, memory_order_relaxed);
	MONOCLE__INVARIANT (head - tail <= ring->size && tail % ALIGN == 0);
	if (tail == head)
		return NULL;
	struct line *line = (struct line *) (ring->data + (tail & (ring->size - 1)));
	if (line->length == END) {
		tail += ring->size - (tail & (ring->size - 1));
		atomic_store_explicit (&ring->tail, tail, memory_order_release);
		line = (struct line *) ring->data;
	}
	MONOCLE__INVARIANT (tail <= head && (tail == head || line->length <= LINE_MOST));
	return tail != head && line->time <= until ? line : NULL;
}

static void
tell_lost (monocle_kit_text *text, struct ring *ring, struct monocle__text_file *file)
{
	uint64_t lost = atomic_load_explicit (&ring->lost, memory_order_relaxed);
	char line[128];
	MONOCLE__INVARIANT (lost >= ring->lost_told);
	if (lost == ring->lost_told)
		return;
	int length = snprintf (line, sizeof line, "--- %" PRIu64 " lines of thread %d are missing here: no room",
	                       lost - ring->lost_told, (int) ring->tid);
	text->lost += lost - ring->lost_told;
	ring->lost_told = lost;
	append (text, file, line, (size_t) length);
}

static void
take (monocle_kit_text *text, struct ring *ring, struct line *line, struct monocle__text_file *file)
{
	uint64_t tail = atomic_load_explicit (&ring->tail, memory_order_relaxed);
	append (text, file, line->text, line->length);
	tail += (sizeof *line + line->length + ALIGN - 1) & ~(uint64_t) (ALIGN - 1);
	MONOCLE__INVARIANT (tail <= atomic_load_explicit (&ring->head, memory_order_relaxed));
	atomic_store_explicit (&ring->tail, tail, memory_order_release);
}

/* Rings with something to say, as a heap: the oldest line first. */
struct heap {
	struct ring **rings;
	struct line **lines;
	size_t count, capacity;
};

static void
heap_sift (struct heap *h, size_t at)
{
	for (;;) {
		size_t least = at, left = 2 * at + 1, right = left + 1;
		if (left < h->count && h->lines[left]->time < h->lines[least]->time)
			least = left;
		if (right < h->count && h->lines[right]->time < h->lines[least]->time)
			least = right;
		if (least == at)
			return;
		struct ring *ring = h->rings[at];
		struct line *line = h->lines[at];
		h->rings[at] = h->rings[least];
		h->lines[at] = h->lines[least];
		h->rings[least] = ring;
		h->lines[least] = line;
		at = least;
	}
}

static bool
heap_add (struct heap *h, struct ring *ring, struct line *line)
{
	if (h->count == h->capacity) {
		size_t capacity = h->capacity * 2 + 16;
		struct ring **rings = realloc (h->rings, capacity * sizeof *rings);
		h->rings = rings ? rings : h->rings;
		struct line **lines = rings ? realloc (h->lines, capacity * sizeof *lines) : NULL;
		h->lines = lines ? lines : h->lines;
		if (!rings || !lines)
			return false;
		h->capacity = capacity;
	}
	h->rings[h->count] = ring;
	h->lines[h->count++] = line;
	return true;
}

/* Merges all rings into the one file. */
static void
merge (monocle_kit_text *text, struct heap *h, uint64_t until)
{
	h->count = 0;
	for (struct ring *ring = atomic_load (&text->rings); ring; ring = ring->next) {
		struct line *line = oldest (ring, until);
		if (line)
			heap_add (h, ring, line);
		tell_lost (text, ring, &text->file);
	}
	for (size_t i = h->count / 2; i-- > 0;)
		heap_sift (h, i);
	while (h->count) {
		struct ring *ring = h->rings[0];
		MONOCLE__INVARIANT (h->count < 2 || h->lines[0]->time <= h->lines[1]->time);
		MONOCLE__INVARIANT (h->count < 3 || h->lines[0]->time <= h->lines[2]->time);
		take (text, ring, h->lines[0], &text->file);
		h->lines[0] = oldest (ring, until);
		if (!h->lines[0]) {
			h->rings[0] = h->rings[--h->count];
			h->lines[0] = h->lines[h->count];
		}
		heap_sift (h, 0);
	}
	flush (text, &text->file);
}

static void
open_thread_file (monocle_kit_text *text, struct ring *ring)
{
	char name[PATH_MAX];
	int error = monocle__text_file_of_thread (text->path, ring->tid, name, sizeof name);
	if (error || monocle__text_file_open (&ring->file, name, text->kind)) {
		ring->file.error = error ? error : ring->file.error;
		strcpy (ring->file.path, error ? text->path : name);
		note_error (text, &ring->file);
	} else if (text->head) {
		monocle__text_file_write (&ring->file, text->head, strlen (text->head));
	}
}

/* Each ring into a file of its own. */
static void
split (monocle_kit_text *text, uint64_t until)
{
	for (struct ring *ring = atomic_load (&text->rings); ring; ring = ring->next) {
		struct line *line = oldest (ring, until);
		if (line && ring->file.fd < 0 && !ring->file.error)
			open_thread_file (text, ring);
		tell_lost (text, ring, &ring->file);
		for (; line; line = oldest (ring, until))
			take (text, ring, line, &ring->file);
		flush (text, &ring->file);
	}
}

static void
free_ring (struct ring *ring)
{
	MONOCLE__INVARIANT (atomic_load (&ring->head) == atomic_load (&ring->tail));
	if (ring->file.fd >= 0)
		monocle__text_file_close (&ring->file);
	munmap (ring, ring->mapped);
}

/* Only the front of the list is contended. */
static bool
unlink_ring (monocle_kit_text *text, struct ring *before, struct ring *ring)
{
	struct ring *expected = ring;
	if (before) {
		before->next = ring->next;
		return true;
	}
	return atomic_compare_exchange_strong (&text->rings, &expected, ring->next);
}

static void
drop_dead_rings (monocle_kit_text *text)
{
	struct ring *before = NULL, *next;
	for (struct ring *ring = atomic_load (&text->rings); ring; ring = next) {
		next = ring->next;
		bool over = atomic_load_explicit (&ring->is_over, memory_order_acquire);
		if (over && atomic_load (&ring->head) == atomic_load (&ring->tail) && unlink_ring (text, before, ring))
			free_ring (ring);
		else
			before = ring;
	}
}

/*
 * Rings that are found by thread id: those of threads that are gone are given up. A line that is being written, by
 * whomever, keeps its ring; a new thread with the same id loses one line at most, which is counted.
 */
static void
give_up_rings (monocle_kit_text *text)
{
	for (unsigned i = 0; i < PLACES; i++) {
		struct place *place = &text->places[i];
		pid_t tid = atomic_load (&place->tid);
		struct ring *ring = tid && tid != NOBODY ? atomic_load (&place->ring) : NULL;
		if (!ring || atomic_load (&ring->head) != atomic_load (&ring->tail) ||
		    syscall (SYS_tgkill, getpid (), tid, 0) == 0 || errno != ESRCH || atomic_exchange (&ring->is_writing, true))
			continue;
		if (ring->file.fd >= 0)
			monocle__text_file_close (&ring->file);
		ring->file = (struct monocle__text_file) { .fd = -1 };
		atomic_store (&ring->tid, NOBODY);
		atomic_store (&place->tid, NOBODY);
	}
}

/* A program of which nothing is to be told is looked at less and less often. What comes meanwhile wakes. */
static void
note_quiet (monocle_kit_text *text)
{
	bool is_quiet = true;
	for (struct ring *ring = atomic_load (&text->rings); ring && is_quiet; ring = ring->next)
		is_quiet = atomic_load (&ring->head) == atomic_load (&ring->tail);
	text->pause = is_quiet ? text->pause * 2 : PERIOD_NS;
	if (text->pause > LONGEST_NS)
		text->pause = LONGEST_NS;
	atomic_store (&text->is_quiet, is_quiet);
}

static void
drain (monocle_kit_text *text, struct heap *h, uint64_t until)
{
	note_quiet (text);
	if (text->threads)
		split (text, until);
	else
		merge (text, h, until);
	drop_dead_rings (text);
	if (text->places && ++text->period % PERIODS == 0)
		give_up_rings (text);
}

static void
close_files (monocle_kit_text *text)
{
	if (!text->threads && monocle__text_file_close (&text->file))
		note_error (text, &text->file);
	for (struct ring *ring = atomic_load (&text->rings); ring; ring = ring->next)
		if (ring->file.fd >= 0 && monocle__text_file_close (&ring->file))
			note_error (text, &ring->file);
}

static void *
run (void *data)
{
	monocle_kit_text *text = data;
	struct heap heap = { NULL, NULL, 0, 0 };
	while (!atomic_load (&text->is_closing)) {
		monocle__background_sleep (&text->wake, text->pause);
		atomic_store (&text->is_awake, false); /* from now on a line wakes again: it may be too late for this round */
		uint32_t wanted = atomic_load (&text->sync_wanted);
		drain (text, &heap, monocle_kit_now ());
		if (atomic_exchange (&text->sync_done, wanted) != wanted)
			sem_post (&text->synced);
	}
	drain (text, &heap, UINT64_MAX);
	close_files (text);
	free (heap.rings);
	free (heap.lines);
	return NULL;
}

/* --- opening and closing ------------------------------------------------------------------------------------------ */

static int
open_output (monocle_kit_text *text, const monocle_kit_text_config *config)
{
	char program[256], path[PATH_MAX];
	monocle__output_name_subject (program, sizeof program);
	struct monocle__output_words words = { program, config->module, (uint32_t) getpid (), time (NULL), "log" };
	int error = monocle__output_place (config->output, &words, path, sizeof path, &text->kind);
	strcpy (text->path, path);
	if (error)
		return error;
	bool is_file = text->kind == MONOCLE__OUTPUT_FILE || text->kind == MONOCLE__OUTPUT_NEW;
	text->threads = config->threads && is_file;
	if (is_file && config->size >= offsetof (monocle_kit_text_config, limit) + sizeof config->limit)
		text->limit = config->limit;
	if (config->threads && !is_file)
		monocle_kit_log (config->module, "threads have files of their own only where the output is a file");
	text->file.fd = -1;
	if (text->threads)
		return 0;
	error = monocle__text_file_open (&text->file, path, text->kind);
	strcpy (text->path, error ? path : text->file.path);
	if (!error && config->head)
		error = monocle__text_file_write (&text->file, config->head, strlen (config->head));
	return error;
}

/* Tells `monocle run` where the log is, at once: it is whole at every moment. */
static void
leave_note (const monocle_kit_text *text)
{
	const char *directory = monocle__variable ("MONOCLE_RUN_DIR");
	bool is_file = text->kind == MONOCLE__OUTPUT_FILE || text->kind == MONOCLE__OUTPUT_NEW;
	if (is_file && !text->threads && directory && *directory == '/')
		monocle__leave_note (directory, (uint32_t) getpid (), text->path);
}

static uint64_t
ring_size (uint64_t wanted)
{
	uint64_t size = RING_LEAST;
	wanted = wanted ? wanted : RING_DEFAULT;
	while (size < wanted && size < RING_MOST)
		size *= 2;
	return size;
}

static monocle_kit_text *
fail (monocle_kit_text *text, const char *what, int error)
{
	monocle_kit_log_failure (text->module, "cannot %s %s: %s; the program runs unprofiled", what, text->path,
	                         monocle__output_name_problem (text->path, error));
	if (text->file.fd >= 0)
		monocle__text_file_close (&text->file);
	free (text->head);
	free (text->piece);
	free (text->places);
	free (text);
	return NULL;
}

static pthread_once_t forks_once = PTHREAD_ONCE_INIT;

monocle_kit_text *
monocle_kit_text_open (const monocle_kit_text_config *config)
{
	monocle_kit_text *text = calloc (1, sizeof *text);
	if (!text) {
		monocle_kit_log_failure (config->module, "out of memory; the program runs unprofiled");
		return NULL;
	}
	snprintf (text->module, sizeof text->module, "%s", config->module);
	pthread_once (&forks_once, watch_forks);
	text->ring_size = ring_size (config->buffer);
	text->piece = malloc (PIECE);
	text->head = config->head ? strdup (config->head) : NULL;
	text->file.fd = -1;
	if (!text->piece || (config->head && !text->head))
		return fail (text, "buffer", -ENOMEM);
	int error = open_output (text, config);
	if (error)
		return fail (text, "write", error);
	error = pthread_key_create (&text->key, thread_ends);
	if (!error && text->key >= INLINE_KEYS && !(text->places = calloc (PLACES, sizeof *text->places)))
		error = ENOMEM;
	text->pause = PERIOD_NS;
	if (error || sem_init (&text->wake, 0, 0) || sem_init (&text->synced, 0, 0))
		return fail (text, "serve threads for", error ? -error : -errno);
	if (!monocle__background_start (&text->thread, run, text, 0)) {
		pthread_key_delete (text->key);
		return fail (text, "start a thread for", -EAGAIN);
	}
	leave_note (text);
	pthread_mutex_lock (&all_lock);
	text->next = all_logs;
	all_logs = text;
	pthread_mutex_unlock (&all_lock);
	return text;
}

/* One waits at a time: a post is for one. */
const char *
monocle_kit_text_file (const monocle_kit_text *text)
{
	return text->path;
}

bool
monocle_kit_text_sync (monocle_kit_text *text, uint32_t milliseconds)
{
	static pthread_mutex_t turn = PTHREAD_MUTEX_INITIALIZER;
	if (!text || atomic_load (&is_child) || atomic_load (&text->is_closed))
		return false;
	int saved_errno = errno;
	bool is_late = false;
	pthread_mutex_lock (&turn);
	uint64_t end = monocle_kit_now () + (uint64_t) milliseconds * 1000000;
	struct timespec until = { (time_t) (end / 1000000000), (long) (end % 1000000000) };
	uint32_t mine = atomic_fetch_add (&text->sync_wanted, 1) + 1;
	sem_post (&text->wake);
	while ((int32_t) (atomic_load (&text->sync_done) - mine) < 0 && !is_late)
		is_late = sem_clockwait (&text->synced, CLOCK_MONOTONIC, &until) && errno != EINTR;
	pthread_mutex_unlock (&turn);
	errno = saved_errno;
	return !is_late;
}

/* Lines that were not taken yet. */
static uint64_t
waiting_lines (monocle_kit_text *text)
{
	uint64_t count = 0;
	for (struct ring *ring = atomic_load (&text->rings); ring; ring = ring->next) {
		uint64_t head = atomic_load (&ring->head), at = atomic_load (&ring->tail);
		while (at < head) {
			struct line *line = (struct line *) (ring->data + (at & (ring->size - 1)));
			bool is_end = line->length == END;
			at += is_end ? ring->size - (at & (ring->size - 1))
			             : (sizeof *line + line->length + ALIGN - 1) & ~(uint64_t) (ALIGN - 1);
			count += !is_end;
		}
	}
	return count;
}

/*
 * Changes as long as the log's thread gets on: what it has written, and the time that it ran. One that waits for a
 * reader has neither; on a machine with too much to do it runs a little in each second.
 */
static uint64_t
progress (const monocle_kit_text *text)
{
	clockid_t clock;
	uint64_t pieces = atomic_load (&text->pieces);
	return pthread_getcpuclockid (text->thread, &clock) ? pieces : pieces + monocle__nanoseconds (clock);
}

/* Waits for the log's thread to end. False: nothing moved for too long. */
static bool
await_end (monocle_kit_text *text)
{
	uint64_t before = progress (text);
	for (unsigned seconds = 1, still = 0;; seconds++) {
		struct timespec until;
		clock_gettime (CLOCK_REALTIME, &until);
		until.tv_sec++;
		if (pthread_timedjoin_np (text->thread, NULL, &until) == 0)
			return true;
		if (seconds == 1)
			monocle_kit_log (text->module, "the program has ended; %s is still being written", text->path);
		uint64_t now = progress (text);
		still = now == before ? still + 1 : 0;
		before = now;
		if (still == PATIENCE)
			return false;
	}
}

int64_t
monocle_kit_text_close (monocle_kit_text *text)
{
	if (!text || atomic_load (&is_child) || atomic_exchange (&text->is_closed, true))
		return 0;
	atomic_store (&text->is_closing, true);
	sem_post (&text->wake);
	if (!await_end (text)) {
		text->is_given_up = true;
		pthread_detach (text->thread);
		monocle_kit_log_failure (text->module,
		                         "nobody takes what is written to %s: given up, %" PRIu64 " lines "
		                         "and more are missing",
		                         text->path, waiting_lines (text) + atomic_load (&text->lost));
		return -1;
	}
	free (text->head);
	free (text->piece);
	if (text->lost)
		monocle_kit_log (text->module,
		                 "%" PRIu64 " lines are missing from %s: they came faster than they could be "
		                 "written; a larger buffer= may help",
		                 text->lost, text->path);
	return text->error ? -1 : (int64_t) text->lost;
}

static void
take_out (monocle_kit_text *text)
{
	pthread_mutex_lock (&all_lock);
	for (monocle_kit_text **at = &all_logs; *at; at = &(*at)->next)
		if (*at == text) {
			*at = text->next;
			break;
		}
	pthread_mutex_unlock (&all_lock);
}

/*
 * Once the key is gone no thread that ends looks for its ring; one that was about to has marked it by then. A log that
 * was given up stays, because its thread is still in the middle of it.
 */
void
monocle_kit_text_free (monocle_kit_text *text)
{
	enum { MOMENT_NS = 20000000 };
	if (!text || !atomic_load (&text->is_closed) || text->is_given_up)
		return;
	pthread_key_delete (text->key);
	nanosleep (&(struct timespec) { 0, MOMENT_NS }, NULL);
	take_out (text);
	for (struct ring *ring = atomic_load (&text->rings), *next; ring; ring = next) {
		next = ring->next;
		munmap (ring, ring->mapped);
	}
	sem_destroy (&text->wake);
	sem_destroy (&text->synced);
	free (text->places);
	free (text);
}
