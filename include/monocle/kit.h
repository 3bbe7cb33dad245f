/*
 * SPDX-License-Identifier: MIT
 *
 * kit.h - the toolkit for people who write profiler modules (libmonocle-kit.so).
 *
 * Works the same under real Mono, CoreCLR and embedders; exports monocle_kit_* only, imports no mono_* symbol.
 * Unless a comment says otherwise nothing here is async-safe and everything may be called from any thread.
 */
#ifndef MONOCLE_KIT_H
#define MONOCLE_KIT_H

#include <stddef.h>
#include <stdint.h>
#include <stdbool.h>

#ifdef __cplusplus
extern "C" {
#endif

#ifndef MONOCLE_KIT_API
#define MONOCLE_KIT_API __attribute__ ((visibility ("default")))
#endif

/* --- messages ------------------------------------------------------------------------------------------------------ */

/* "monocle: MODULE: MESSAGE\n" to stderr or MONOCLE_LOG, one write. */
MONOCLE_KIT_API void monocle_kit_log (const char *module, const char *format, ...) __attribute__ ((format (printf, 2, 3)));

/* --- options: one row each ------------------------------------------------------------------------------------------ */

typedef enum {
	MONOCLE_KIT_OPTION_FLAG,   /* key, nokey, key=0|1|true|false -> bool */
	MONOCLE_KIT_OPTION_U64,    /* key=123, k/m/g suffixes        -> uint64_t */
	MONOCLE_KIT_OPTION_STRING, /* key=text                       -> const char * (owned by the option set) */
	MONOCLE_KIT_OPTION_CHOICE, /* key=a|b|c, `choices` "a|b|c"   -> uint32_t index */
} monocle_kit_option_kind;

typedef struct {
	const char *key;
	monocle_kit_option_kind kind;
	void *value;               /* holds the default; untouched on error */
	const char *choices;       /* CHOICE only; else what to show as the value in help, e.g. "FILE" */
	const char *help;
	uint64_t min, max;         /* U64 only; max 0: no limit */
} monocle_kit_option;

/*
 * Parses the ARGS of a whole desc "NAME[:ARGS]" by Mono's grammar: comma separated, '...' and "..." quote, backslash
 * escapes. Rows end with key NULL. Returns 0; 1 when `help` was asked (it was printed to stdout); -1 on the first wrong
 * option: one line that names it and the nearest right one was logged. No value is changed when the result is not 0.
 */
MONOCLE_KIT_API int monocle_kit_options_parse (const char *module, const char *desc, const monocle_kit_option *rows);

/* --- callspec: Mono's log profiler's grammar ------------------------------------------------------------------------
 * comma list of: all none program wrapper ASSEMBLY M:Type:Method N:Namespace T:Type, each with an optional "-"; the last
 * match wins; `program` is extended to "the program's own images" (monocle_kit_image_is_own ()).
 */
typedef struct monocle_kit_callspec monocle_kit_callspec;

typedef struct {
	const char *assembly;      /* simple name */
	const char *name_space;    /* of the outermost class */
	const char *type;          /* "Outer/Inner" without namespace */
	const char *method;
	bool is_wrapper;
	bool is_own;               /* what monocle_kit_image_is_own () said of the image */
} monocle_kit_callspec_names;

/* NULL on a syntax error; *ret_error then says what and where (static or owned by the thread until the next call). */
MONOCLE_KIT_API monocle_kit_callspec *monocle_kit_callspec_new (const char *spec, const char **ret_error);
MONOCLE_KIT_API void monocle_kit_callspec_free (monocle_kit_callspec *spec);
MONOCLE_KIT_API bool monocle_kit_callspec_match (const monocle_kit_callspec *spec, const monocle_kit_callspec_names *names);
/*
 * What can be said of a whole image without looking at a method: 1 all match, 0 none can, -1 it depends.
 * Lets a filter answer 40,000 framework methods without a string.
 */
MONOCLE_KIT_API int monocle_kit_callspec_match_image (const monocle_kit_callspec *spec, const char *assembly, bool is_own);

/*
 * Is the image at `filename` part of the program rather than of the shared framework, the GAC, Mono's own libraries or
 * a package? Uses the path, and the program's .deps.json where there is one. Cheap after the first call.
 */
MONOCLE_KIT_API bool monocle_kit_image_is_own (const char *filename);

/* --- clock ---------------------------------------------------------------------------------------------------------- */

/* Raw ticks: the TSC where it is invariant, else CLOCK_MONOTONIC through the vDSO. Async-safe after monocle_kit_clock_init (). */
MONOCLE_KIT_API void monocle_kit_clock_init (void);
MONOCLE_KIT_API bool monocle_kit_clock_is_tsc (void);

/* --- call tree into a crash-safe spool ------------------------------------------------------------------------------ */

typedef struct monocle_kit_spool monocle_kit_spool;

typedef struct {
	uint32_t size;                /* sizeof */
	const char *module;           /* "calls" */
	const char *output;           /* what `output=` said, or NULL: the default name. %p %t %e %m %n, +FILE, |CMD, #FD */
	const char *desc;             /* whole desc, kept in the profile as a comment */
	bool times;                   /* wall time; false: counts only */
	bool threads;                 /* one tree per thread in the profile */
	uint32_t max_depth;           /* deeper calls fold; 0: no limit */
} monocle_kit_spool_config;

/*
 * Makes the spool beside the output. NULL: it could not be made (one line was logged, with the path and errno); the program
 * must run on unprofiled. One spool per process and module.
 */
MONOCLE_KIT_API monocle_kit_spool *monocle_kit_spool_open (const monocle_kit_spool_config *config);
/*
 * A clean end: writes the real file (pprof, gzip) under its final name and removes the spool. Threads may still call
 * enter/leave; what they do later is not in the file. 0, or -1 when it could not be written (logged; the spool is kept).
 */
MONOCLE_KIT_API int monocle_kit_spool_close (monocle_kit_spool *spool);

/* How the tree names a method the first time it meets it. Called on the calling thread; writes UTF-8 into buffer, returns its length. */
typedef size_t (*monocle_kit_name_method) (void *method, char *buffer, size_t size);

/*
 * The hot path: no lock, no allocation after warm-up, O(1). `method` is any stable pointer. enter/leave on one thread must
 * nest; a leave that does not match the innermost open call closes the calls above its own (counted), or is counted and ignored.
 */
MONOCLE_KIT_API void monocle_kit_calls_enter (monocle_kit_spool *spool, void *method, monocle_kit_name_method name);
MONOCLE_KIT_API void monocle_kit_calls_leave (monocle_kit_spool *spool, void *method);
/* Names the calling thread in the profile; NULL clears. */
MONOCLE_KIT_API void monocle_kit_calls_thread_name (monocle_kit_spool *spool, const char *name);
/* The calling thread ends: its part is closed and its buffers are ready for the next thread. */
MONOCLE_KIT_API void monocle_kit_calls_thread_end (monocle_kit_spool *spool);

/* --- completing: what `monocle report` and `monocle run` do with the spool of a dead process ------------------------- */

/*
 * Turns the spool file into its profile, in place: writes the final file (into *ret_path, malloc'd) and unlinks the spool.
 * 0; -1 not a spool, damaged beyond use, still being written by a live process, or unwritable: *ret_error (static text) says which.
 */
MONOCLE_KIT_API int monocle_kit_spool_complete (const char *spool_path, char **ret_path, const char **ret_error);

#ifdef __cplusplus
}
#endif

/*
 * With Mono's headers included first, this answers callspec questions for a MonoMethod.
 * It is inline because the kit itself imports no mono_* symbol.
 */
#endif
