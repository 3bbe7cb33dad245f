/*
 * SPDX-License-Identifier: MIT
 *
 * tap.c - one function behind every callback: libffi makes a closure for each chosen row, with the row's own types, and
 * all closures lead here with the arguments as an array.
 *
 *     seconds since the start   thread   (depth)   event argument=value ...
 *       0.012345                 4711      method_enter method=Program:Main (string[])
 *
 * Lines are indented by what is open on the thread: calls, classes and images being loaded, methods being compiled,
 * collections. An event that ends something gives the time since it began, where this thread saw that.
 */
#include "events.h"

#include <stdatomic.h>
#include <dlfcn.h>
#include <errno.h>
#include <ffi.h>
#include <pthread.h>
#include <stdatomic.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

enum { LINE_MOST = 8192, DEPTH_MOST = 64, INDENT_MOST = 40, INLINE_KEYS = 32 /* of glibc */, TAPS = 128 };

/* A tapped event; lives as long as the module does. */
typedef struct {
	ffi_closure *closure;
	const event *row;
	const kind *kinds[ARGUMENTS_MAX];
	bool opens;          /* a level, which another event closes */
	const event *closes; /* what opened the level that this one closes; NULL: none */
	ffi_cif cif;
	ffi_type *types[1 + ARGUMENTS_MAX];
} tapped;

typedef struct thread_state {
	struct thread_state *next; /* in the list of all */
	atomic_bool is_taken;      /* by a thread that has not ended */
	_Atomic (pid_t) tid;
	unsigned depth;
	struct {
		const event *opener;
		uint64_t time;
	} open[DEPTH_MOST];
	bool is_writing;
	char line[LINE_MOST];
} thread_state;

static tapped taps[TAPS];

static _Atomic (thread_state *) states;
static monocle_kit_text *the_log;
static uint64_t start;
static bool has_indent, has_clock;
/*
 * A thread's state is the value of a key: a library that is opened while a program runs does no good with thread-local
 * variables (lib/base/thread-word.h). Where there is no key, or one whose values the C library allocates, it is looked
 * for by its thread's number, and the page of each thread stays.
 */
static pthread_key_t state_key;
static bool has_key, is_inline;

/* --- a thread's state --------------------------------------------------------------------------------------------- */

/* Of a thread that ends; the next one takes it. */
static void
give_state_back (void *data)
{
	thread_state *state = data;
	state->depth = 0;
	state->is_writing = false;
	atomic_store (&state->is_taken, false);
}

/* No malloc: the world may be stopped. */
static thread_state *
take_state (void)
{
	thread_state *state = atomic_load (&states);
	for (bool is_taken = false; state; state = state->next, is_taken = false)
		if (atomic_compare_exchange_strong (&state->is_taken, &is_taken, true))
			return state;
	state = mmap (NULL, sizeof *state, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	if (state == MAP_FAILED)
		return NULL;
	atomic_init (&state->is_taken, true);
	state->next = atomic_load (&states);
	while (!atomic_compare_exchange_weak (&states, &state->next, state))
		;
	return state;
}

/* NULL: the calling thread has none yet. */
static thread_state *
own_state (pid_t tid)
{
	if (is_inline)
		return pthread_getspecific (state_key);
	thread_state *state = atomic_load (&states);
	while (state && !(state->tid == tid && atomic_load (&state->is_taken)))
		state = state->next;
	return state;
}

static thread_state *
get_state (void)
{
	pid_t tid = is_inline ? 0 : (pid_t) syscall (SYS_gettid);
	thread_state *state = own_state (tid);
	if (state || !(state = take_state ()))
		return state;
	state->tid = tid ? tid : (pid_t) syscall (SYS_gettid);
	if (is_inline)
		pthread_setspecific (state_key, state);
	return state;
}

static void
open_level (thread_state *state, const event *opener, uint64_t time)
{
	if (state->depth < DEPTH_MOST) {
		state->open[state->depth].opener = opener;
		state->open[state->depth].time = time;
	}
	state->depth++;
}

/* Closes the innermost level that `opener` opened, and what is open inside it. 0: there is none. */
static uint64_t
close_level (thread_state *state, const event *opener)
{
	if (state->depth > DEPTH_MOST) {
		state->depth--;
		return 0;
	}
	for (unsigned i = state->depth; i-- > 0;)
		if (state->open[i].opener == opener) {
			state->depth = i;
			return state->open[i].time;
		}
	return 0;
}

/* --- silence ------------------------------------------------------------------------------------------------------ */

static atomic_bool is_silent; /* levels are followed all the same */

void
tap_silence (bool silent)
{
	is_silent = silent;
}

/* --- a line ------------------------------------------------------------------------------------------------------- */

static void
put_time (text *out, uint64_t time)
{
	uint64_t since = time - start;
	struct timespec now;
	struct tm parts;
	if (!has_clock) {
		put_number (out, since / 1000000000, 10, 6, ' ');
		put (out, ".");
		put_number (out, since / 1000 % 1000000, 10, 6, '0');
		return;
	}
	clock_gettime (CLOCK_REALTIME, &now);
	localtime_r (&now.tv_sec, &parts);
	put_number (out, (uint64_t) parts.tm_hour, 10, 2, '0');
	put (out, ":");
	put_number (out, (uint64_t) parts.tm_min, 10, 2, '0');
	put (out, ":");
	put_number (out, (uint64_t) parts.tm_sec, 10, 2, '0');
	put (out, ".");
	put_number (out, (uint64_t) now.tv_nsec / 1000, 10, 6, '0');
}

static void
put_indent (text *out, unsigned depth)
{
	unsigned shown = !has_indent ? 0 : depth < INDENT_MOST ? depth : INDENT_MOST;
	while (shown-- > 0)
		put (out, "  ");
}

static void
put_event (text *out, const tapped *tap, void **arguments)
{
	put (out, tap->row->name);
	for (unsigned i = 0; i < tap->row->count; i++) {
		put (out, " ");
		put (out, tap->row->names[i]);
		put (out, "=");
		tap->kinds[i]->show (out, arguments[1 + i]);
	}
}

/* In microseconds. */
static void
put_duration (text *out, uint64_t nanoseconds)
{
	uint64_t tenths = (nanoseconds + 50) / 100;
	put (out, " (");
	put_number (out, tenths / 10, 10, 0, ' ');
	put (out, ".");
	put_number (out, tenths % 10, 10, 0, ' ');
	put (out, " us)");
}

/* An event, and how long what it ends has taken: 0 where it ends nothing. */
typedef struct {
	const tapped *tap;
	void **arguments;
	uint64_t now, since;
} occurrence;

static void
write_line (const occurrence *what, const thread_state *state, char line[LINE_MOST])
{
	text out = { line, line + LINE_MOST - 2 };
	put_time (&out, what->now);
	put (&out, " ");
	put_number (&out, state ? (uint64_t) state->tid : 0, 10, 7, ' ');
	put (&out, " ");
	put_indent (&out, state ? state->depth : 0);
	put_event (&out, what->tap, what->arguments);
	if (what->since)
		put_duration (&out, what->now - what->since);
	monocle_kit_text_line (the_log, what->now, line, (size_t) (out.at - line));
}

static __attribute__ ((noinline)) void
write_line_here (const occurrence *what, const thread_state *state)
{
	char line[LINE_MOST];
	write_line (what, state, line);
}

/* Not on a stack, of which a thread may have little; but for an event in the middle of another one, as in a signal. */
static void
write_event (const occurrence *what, thread_state *state)
{
	if (!state || state->is_writing) {
		write_line_here (what, state);
		return;
	}
	state->is_writing = true;
	atomic_signal_fence (memory_order_seq_cst);
	write_line (what, state, state->line);
	atomic_signal_fence (memory_order_seq_cst);
	state->is_writing = false;
}

static void
on_event (ffi_cif *cif, void *result, void **arguments, void *data)
{
	occurrence what = { .tap = data, .arguments = arguments, .now = monocle_kit_now () };
	const tapped *tap = data;
	uint64_t now = what.now;
	int saved_errno = errno;
	thread_state *state = get_state ();
	if (state && tap->closes)
		what.since = close_level (state, tap->closes);
	if (!atomic_load_explicit (&is_silent, memory_order_relaxed))
		write_event (&what, state);
	if (state && tap->opens)
		open_level (state, tap->row, now);
	errno = saved_errno;
}

/* --- closures ----------------------------------------------------------------------------------------------------- */

/* Does some event end what this one begins? */
static bool
opens_level (const event *row)
{
	for (size_t i = 0; i < event_count; i++)
		if (all_events[i].closes >= 0 && &all_events[all_events[i].closes] == row)
			return true;
	return false;
}

/* NULL: no memory that may be executed. */
static void *
make_closure (const event *row, tapped *tap)
{
	void *code = NULL;
	ffi_closure *closure = ffi_closure_alloc (sizeof *closure, &code);
	tap->row = row;
	tap->closure = closure;
	tap->types[0] = &ffi_type_pointer;
	for (unsigned i = 0; i < row->count; i++) {
		tap->kinds[i] = kind_of (row->name, row->types[i]);
		tap->types[1 + i] = tap->kinds[i]->size == 8 ? &ffi_type_uint64 : &ffi_type_uint32;
	}
	tap->opens = opens_level (row);
	tap->closes = row->closes < 0 ? NULL : &all_events[row->closes];
	if (!closure || ffi_prep_cif (&tap->cif, FFI_DEFAULT_ABI, 1 + row->count, &ffi_type_void, tap->types) != FFI_OK ||
	    ffi_prep_closure_loc (closure, &tap->cif, on_event, tap, code) != FFI_OK)
		return NULL;
	return code;
}

/* Its memory for code is not given back when it is unmapped with the module, which may come again: so it stays. */
static void
keep_libffi (void)
{
	Dl_info info;
	void *library =
	    dladdr ((void *) ffi_prep_cif, &info) ? dlopen (info.dli_fname, RTLD_LAZY | RTLD_NOLOAD | RTLD_NODELETE) : NULL;
	if (library)
		dlclose (library);
}

bool
tap_install (MonoProfilerHandle handle, monocle_kit_text *log, bool indent, bool clock)
{
	size_t used = 0;
	the_log = log;
	has_indent = indent;
	has_clock = clock;
	start = monocle_kit_now ();
	tzset ();
	keep_libffi ();
	has_key = pthread_key_create (&state_key, give_state_back) == 0;
	is_inline = has_key && state_key < INLINE_KEYS;
	for (size_t i = 0; i < event_count; i++) {
		const event *row = &all_events[i];
		void *code = row->is_chosen && row->set && used < TAPS ? make_closure (row, &taps[used++]) : NULL;
		if (code)
			row->set (handle, code);
		else if (row->is_chosen && row->set) {
			monocle_kit_log_failure ("events", "no memory for code: the system forbids what libffi needs");
			return false;
		}
	}
	return true;
}

void
tap_leave (void)
{
	if (has_key)
		pthread_key_delete (state_key);
	monocle_kit_text_free (the_log); /* after a moment, in which a thread that ends gives its state back */
	for (thread_state *state = atomic_exchange (&states, NULL), *next; state; state = next) {
		next = state->next;
		munmap (state, sizeof *state);
	}
	for (size_t i = 0; i < TAPS; i++)
		if (taps[i].closure)
			ffi_closure_free (taps[i].closure);
}
