/*
 * SPDX-License-Identifier: MIT
 *
 * core.h - what the files of the core share with each other. Nothing here is exported.
 */
#ifndef MONOCLE_CORE_H
#define MONOCLE_CORE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <monocle/host.h>

#define MONOCLE__LIKELY(x)   __builtin_expect (!!(x), 1)
#define MONOCLE__UNLIKELY(x) __builtin_expect (!!(x), 0)

/* --- host.c: who is profiled, and which part of its life it is in ----------------------------------------------- */

/*
 * The operations of the registered host; a struct of NULLs before there is one, so that callers test operations only.
 */
const monocle_host_ops *monocle__host_ops (void);

/* May mono_profiler_enable_* () still be granted? */
bool monocle__host_window_open (void);
/* Between monocle_host_startup_done () and monocle_host_shutdown (). */
bool monocle__host_delivering (void);
/* After monocle_host_shutdown () began. */
bool monocle__host_ended (void);
/* Since runtime_shutdown_begin is being raised, or the host ended without. */
bool monocle__host_shutting_down (void);
void monocle__host_begin_shutdown (void);

/* --- handle.c ---------------------------------------------------------------------------------------------------- */

/* A handle with what the dispatcher does not look at. MonoProfilerHandle points at its first member. */
typedef struct {
	struct _MonoProfilerDesc desc;
	MonoProfilerCleanupCallback cleanup; /* these three: exchanged atomically, in any context */
	MonoProfilerCoverageFilterCallback coverage_filter;
	MonoProfilerCallInstrumentationFilterCallback call_filter;
} monocle__handle;

/* What monocle_event_handles () points at, for our own raise functions: one load instead of a call. */
extern struct _MonoProfilerDesc *monocle__handles_shown __attribute__ ((visibility ("hidden")));

/* Every handle there is, newest first, whatever part of its life the host is in. Any context. */
monocle__handle *monocle__handle_first (void);
monocle__handle *monocle__handle_next (monocle__handle *handle);
/* Shows the list to raising threads, or hides it, as monocle__host_delivering () says. */
void monocle__handle_publish (void);
/* Takes the cleanup callback out and calls it. */
void monocle__handle_cleanup (monocle__handle *handle);

/* --- event.c, filter.c ------------------------------------------------------------------------------------------- */

/* Shows or hides the listener counts, as monocle__host_delivering () says. */
void monocle__event_publish (void);
/* Tells a host that has just been registered what was wanted before it came. */
void monocle__event_announce (void);
void monocle__event_clear (monocle__handle *handle);
void monocle__filter_announce (void);
void monocle__filter_clear (monocle__handle *handle);

/* --- log.c ------------------------------------------------------------------------------------------------------- */

/* Reads MONOCLE_LOG, the first time. The first message does so too. */
void monocle__log_init (void);

/*
 * Logs why something that the user asked for is not there; with MONOCLE_STRICT=1 it is the program's last line. Normal
 * context.
 */
void monocle__log_failure (const char *format, ...) MONOCLE_PRINTF;

/* Logs the first time that this line of code is reached, in whichever thread. As async-safe as monocle_log (). */
#define MONOCLE__LOG_ONCE(...) \
	do { \
		static bool said_; \
		if (!__atomic_exchange_n (&said_, true, __ATOMIC_RELAXED)) \
			monocle_log (__VA_ARGS__); \
	} while (0)

/* --- self.c: this library as the dynamic linker sees it ---------------------------------------------------------- */

/* The folder that holds this library (or the program, when the core is linked into it), "" when unknown. */
const char *monocle__self_folder (void);
/* Puts our mono_* functions where modules look for them. Idempotent; normal context. */
void monocle__self_enter_global_scope (void);
/* Keeps modules that were linked to Mono's library from bringing it in. Idempotent; normal context. */
void monocle__self_open_compat (void);
/*
 * Is there somebody else whose mono_* functions are, or could be, the ones that modules call: a Mono, or another copy
 * of this library with a host? Writes who into `ret_who` and answers true. Normal context.
 */
bool monocle__self_has_rival (char *ret_who, size_t size);

/* --- words.c ----------------------------------------------------------------------------------------------------- */

/*
 * Splits text as Mono splits MONO_ENV_OPTIONS. *ret_words is a NULL-terminated array in one allocation, which the
 * caller frees with free (). The count, MONOCLE_E_INVALID for a quote that is never closed, or MONOCLE_E_NO_MEMORY.
 */
int monocle__words_split (const char *text, char ***ret_words);

/* --- elf.c ------------------------------------------------------------------------------------------------------- */

/*
 * Calls `found` with the name of each symbol that the shared library at `path` needs from others (weak ones excepted).
 * 0, MONOCLE_E_NOT_FOUND when it cannot be read, MONOCLE_E_INVALID when it is not an intact library of this machine.
 */
int monocle__elf_each_needed (const char *path, void (*found) (const char *name, void *data), void *data);
/* The same over bytes in memory. */
int monocle__elf_each_needed_in (const uint8_t *base, size_t size, void (*found) (const char *name, void *data),
                                 void *data);

#endif
