/*
 * SPDX-License-Identifier: MIT
 *
 * runtime.c - whose time it was when no managed code was running: the runtime's own work has names.
 *
 * Three things tell. The runtime's threads have names in the kernel, which the thread asks for once. The libraries
 * whose code is on top of the managed frames: what is in the JIT's library is compiling, whoever set it off. What is in
 * the runtime's main library is not told apart, since it has no public symbols; but a collection begins and ends with
 * an event on the thread that collects.
 */
#include "sample.h"

#include <link.h>
#include <pthread.h>
#include <string.h>
#include <unistd.h>

typedef struct {
	const char *prefix; /* of the thread's name, cut at fifteen bytes by the kernel */
	uintptr_t frame;
	const char *name; /* for people */
} thread_row;

/* What threads of the runtime do. */
enum {
	DOES_GC = MONOCLE_KIT_FRAME_GC,
	DOES_TIERED = MONOCLE_KIT_FRAME_TIERED,
	DOES_FINALIZER = MONOCLE_KIT_FRAME_FINALIZER,
	DOES_NOTHING = 0,
};

/* clang-format off */
static const thread_row threads[] = {
#define MONOCLE__THREAD(does, tells, seen, name, whole) { name, DOES_##does, whole },
#include "private-names.def"
};

static const struct {
	const char *part; /* of the library's path, from its last slash on */
	enum runtime_work work;
} libraries[] = {
	{ "/libclrjit",      RUNTIME_COMPILES },
	{ "/libclrgc",       RUNTIME_COLLECTS },
	{ "/libcoreclr",     RUNTIME_WORKS },
	{ "/libhostfxr",     RUNTIME_STARTS },
	{ "/libhostpolicy",  RUNTIME_STARTS },
};
/* clang-format on */

enum { MOST_RANGES = 16 };

/* Filled from its beginning on; a range is read when the count says that it is there. */
static struct {
	uintptr_t start, end;
	enum runtime_work work;
} ranges[MOST_RANGES];
static atomic_uint range_count;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

static bool
is_known (uintptr_t start)
{
	for (unsigned i = 0; i < range_count; i++)
		if (ranges[i].start == start)
			return true;
	return false;
}

static void
add_code (const struct dl_phdr_info *info, enum runtime_work work)
{
	for (int i = 0; i < info->dlpi_phnum && range_count < MOST_RANGES; i++) {
		uintptr_t start = info->dlpi_addr + info->dlpi_phdr[i].p_vaddr;
		if (info->dlpi_phdr[i].p_type != PT_LOAD || !(info->dlpi_phdr[i].p_flags & PF_X) || is_known (start))
			continue;
		ranges[range_count].start = start;
		ranges[range_count].end = start + info->dlpi_phdr[i].p_memsz;
		ranges[range_count].work = work;
		range_count++;
	}
}

static int
look_at (struct dl_phdr_info *info, size_t size, void *data)
{
	const char *name = info->dlpi_name ? strrchr (info->dlpi_name, '/') : NULL;
	for (size_t i = 0; name && i < sizeof libraries / sizeof *libraries; i++)
		if (!strncmp (name, libraries[i].part, strlen (libraries[i].part)))
			add_code (info, libraries[i].work);
	return 0;
}

static bool
has_compiler (void)
{
	for (unsigned i = 0; i < range_count; i++)
		if (ranges[i].work == RUNTIME_COMPILES)
			return true;
	return false;
}

/* The compiler is the last of them to be loaded. */
void
runtime_look (void)
{
	pthread_mutex_lock (&lock);
	if (!has_compiler ())
		dl_iterate_phdr (look_at, NULL);
	pthread_mutex_unlock (&lock);
}

unsigned
runtime_work_at (uintptr_t ip)
{
	for (unsigned i = 0, count = range_count; i < count; i++)
		if (ranges[i].start <= ip && ip < ranges[i].end)
			return ranges[i].work;
	return 0;
}

void
runtime_set_collecting (bool does)
{
	struct thread_place *place = does ? thread_take () : thread_find ();
	if (place)
		place->collects = does;
}

unsigned
runtime_own_work (uintptr_t tid)
{
	const struct thread_place *place = thread_find_of (tid);
	return place && place->collects ? RUNTIME_COLLECTS : 0;
}

/* NULL: it is none of the runtime's own. */
static const thread_row *
row_of_thread (const char *name)
{
	for (size_t i = 0; i < sizeof threads / sizeof *threads; i++)
		if (threads[i].frame && !strncmp (name, threads[i].prefix, strlen (threads[i].prefix)))
			return &threads[i];
	return NULL;
}

const char *
runtime_thread_name (const struct subject *subject, const char *program, char name[THREAD_NAME])
{
	subject_name (subject, name);
	const thread_row *row = row_of_thread (name);
	if (subject_number (subject) == getpid ())
		return "Main";
	if (row && row->name)
		return row->name;
	return *program && *name && strcmp (name, program) ? name : NULL;
}

uintptr_t
runtime_frame_alone (unsigned work, const char *thread_name)
{
	const thread_row *row = row_of_thread (thread_name);
	if (work & RUNTIME_COLLECTS)
		return MONOCLE_KIT_FRAME_GC;
	if (row)
		return row->frame;
	if (work & RUNTIME_COMPILES)
		return MONOCLE_KIT_FRAME_JIT;
	if (work & RUNTIME_STARTS)
		return MONOCLE_KIT_FRAME_START;
	return work & RUNTIME_WORKS ? MONOCLE_KIT_FRAME_RUNTIME : MONOCLE_KIT_FRAME_NATIVE;
}

uintptr_t
runtime_frame_above (unsigned work, bool is_above_stub)
{
	if (work & RUNTIME_COLLECTS)
		return MONOCLE_KIT_FRAME_GC;
	if (work & RUNTIME_COMPILES)
		return MONOCLE_KIT_FRAME_JIT;
	return is_above_stub && work & RUNTIME_WORKS ? MONOCLE_KIT_FRAME_RUNTIME : 0;
}
