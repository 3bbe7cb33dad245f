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

/* --- messages ----------------------------------------------------------------------------------------------------- */

/*
 * "monocle: MODULE: MESSAGE\n" in one write: to the file MONOCLE_LOG, or to the command that waits (`monocle run`,
 * `monocle attach`), or to a file of the process, or, where people read it, to stderr (doc/messages.md).
 */
MONOCLE_KIT_API void monocle_kit_log (const char *module, const char *format, ...)
    __attribute__ ((format (printf, 2, 3)));
/* The same, where it says why there is no profile: `monocle run` then has nothing to add about that. */
MONOCLE_KIT_API void monocle_kit_log_failure (const char *module, const char *format, ...)
    __attribute__ ((format (printf, 2, 3)));

/*
 * What `monocle run` says of a profile of this module in which nothing is, after "it is empty: ". A module has it once,
 * outside its functions. It is a text in the module's file: nothing is done with it in the profiled process.
 */
#define MONOCLE_KIT_WHEN_EMPTY(text) \
	__attribute__ ((used)) static const char monocle_kit_when_empty[] = "\0monocle_kit_when_empty=" text

/*
 * What `monocle list` says of this module: a few words without a full stop. A module has it once, outside its
 * functions; it is a text in the module's file, too.
 */
#define MONOCLE_KIT_SUMMARY(text) \
	__attribute__ ((used)) static const char monocle_kit_summary[] = "\0monocle_kit_summary=" text

/* --- options: one row each ---------------------------------------------------------------------------------------- */

typedef enum {
	MONOCLE_KIT_OPTION_FLAG,   /* key, nokey, key=0|1|true|false -> bool */
	MONOCLE_KIT_OPTION_U64,    /* key=123, k/m/g suffixes        -> uint64_t */
	MONOCLE_KIT_OPTION_STRING, /* key=text                       -> const char * (owned by the option set) */
	MONOCLE_KIT_OPTION_CHOICE, /* key=a|b|c, `choices` "a|b|c"   -> uint32_t index */
	MONOCLE_KIT_OPTION_TIME,   /* key=5ms, units ns us ms s m h, 0 -> uint64_t nanoseconds */
	/* Rows of one `value` are one list: what they are given is joined with commas, in its order, and is not NULL. */
	MONOCLE_KIT_OPTION_LIST,    /* key=a,key=b                   -> const char * "a,b", as STRING's */
	MONOCLE_KIT_OPTION_WITHOUT, /* key='c,d' in such a list      -> const char * "a,b,-c,-d" */
} monocle_kit_option_kind;

typedef struct {
	const char *key;
	monocle_kit_option_kind kind;
	void *value;               /* holds the default, which help shows unless it is NULL; untouched on error */
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
 * comma list of: all none program wrapper ASSEMBLY M:Type:Method N:Namespace T:Type, each with an optional "-"; the
 * last match wins; `program` is extended to "the program's own images" (monocle_kit_image_is_own ()). When the first
 * item has a "-", what comes before it is `program`. Wrappers match `wrapper` and nothing else.
 *
 * Not in Mono: in a name "*" stands for any characters and "?" for one, dots and slashes too. A type with such a mark
 * and with a dot is compared with "Namespace.Outer/Inner", one without a dot with "Outer/Inner" of whatever namespace.
 */
typedef struct monocle_kit_callspec monocle_kit_callspec;

typedef struct {
	const char *assembly;      /* simple name; no field is NULL */
	const char *name_space;    /* of the outermost class */
	const char *type;          /* "Outer/Inner" without namespace */
	const char *method;
	bool is_wrapper;
	bool is_own;               /* what monocle_kit_image_is_own () said of the image */
} monocle_kit_callspec_names;

/* NULL on a syntax error; *ret_error then says what and where (static; the eighth error after it overwrites it). */
MONOCLE_KIT_API monocle_kit_callspec *monocle_kit_callspec_new (const char *spec, const char **ret_error);
MONOCLE_KIT_API void monocle_kit_callspec_free (monocle_kit_callspec *spec);
MONOCLE_KIT_API bool monocle_kit_callspec_match (const monocle_kit_callspec *spec,
                                                 const monocle_kit_callspec_names *names);
/*
 * What can be said of a whole image without looking at a method: 1 all match, 0 none can, -1 it depends.
 * Lets a filter answer 40,000 framework methods without a string. Wrappers are not meant: ask for each.
 */
MONOCLE_KIT_API int monocle_kit_callspec_match_image (const monocle_kit_callspec *spec, const char *assembly,
                                                      bool is_own);

/*
 * Is the image at `filename` part of the program rather than of the shared framework, the GAC, Mono's own libraries or
 * a package? Uses the path, and the program's .deps.json where there is one. Cheap after the first call. NULL and "" (a
 * dynamic image) are not.
 */
MONOCLE_KIT_API bool monocle_kit_image_is_own (const char *filename);

/* --- clock -------------------------------------------------------------------------------------------------------- */

/*
 * Chooses the clock of the call tree: the TSC where it is invariant, else CLOCK_MONOTONIC through the vDSO. Opening a
 * spool does so too; a second time changes nothing.
 */
MONOCLE_KIT_API void monocle_kit_clock_init (void);
/* Nanoseconds of CLOCK_MONOTONIC: for the lines of a log, which are ordered by it, and for waiting. Async-safe. */
MONOCLE_KIT_API uint64_t monocle_kit_now (void);
/*
 * How many nanoseconds one reading of a thread's CPU time takes: the median of some rounds, measured now, in less than
 * a millisecond. A pair of events needs two.
 */
MONOCLE_KIT_API uint32_t monocle_kit_clock_cpu_cost (void);
/* Which clock was chosen for the call tree? Async-safe. */
MONOCLE_KIT_API bool monocle_kit_clock_is_tsc (void);

/* --- call tree into a crash-safe spool ---------------------------------------------------------------------------- */

typedef struct monocle_kit_spool monocle_kit_spool;

/*
 * How the tree names a method the first time it meets it, on the calling thread. Writes two strings into `buffer`, each
 * with its NUL: the method's name, then the file name of its image ("" when there is none). A third may follow: where
 * it is in that image, as monocle_kit_origin () writes it; with it the commands of `monocle` find the source. Returns
 * the length of all with their NULs; when that is more than `size`, it is asked again with a buffer of that size. An
 * empty name hides the method: its time counts for its caller. (A runtime with several modules sends each of them what
 * any of them asked for.)
 */
typedef size_t (*monocle_kit_name_method) (void *method, char *buffer, size_t size);

/* Room for a third string, with its NUL. */
enum { MONOCLE_KIT_ORIGIN_SIZE = 64 };

/*
 * Added to an IL offset: the runtime's map of the code has every instruction, as Mono's has. Without it the map has
 * only those that begin with an empty evaluation stack, as CoreCLR's, and statements that do not are not told apart.
 */
#define MONOCLE_KIT_ORIGIN_EXACT UINT32_C (0x80000000)

/*
 * The third string of a name, "MVID TOKEN" or "MVID TOKEN OFFSET" with hexadecimal numbers: `mvid` as
 * mono_image_get_guid () has it, the method's token, and the IL offset that was running; UINT32_MAX: unknown. NULL, an
 * `mvid` of another form or a token that is no method's: an empty one, which says nothing. Async-safe.
 */
MONOCLE_KIT_API void monocle_kit_origin (const char *mvid, uint32_t token, uint32_t il_offset,
                                         char buffer[MONOCLE_KIT_ORIGIN_SIZE]);

/* How a call ended. */
typedef enum {
	MONOCLE_KIT_RETURNED,
	MONOCLE_KIT_THREW,
	MONOCLE_KIT_TAIL_CALLED, /* another method took its place */
	MONOCLE_KIT_ABANDONED,   /* it ended without telling; seen when a caller of it ended */
	MONOCLE_KIT_UNFINISHED,  /* it had not ended when its thread, or the process, did */
} monocle_kit_end;

#define MONOCLE_KIT_ARGUMENTS_SIZE 1536
#define MONOCLE_KIT_RESULT_SIZE    384

typedef struct {
	uint32_t size;    /* sizeof */
	monocle_kit_end end;
	void *method;
	const void *kept; /* what monocle_kit_calls_keep () was given in this call */
	size_t kept_size; /* 0: nothing was, or there was no room for it */
	void *context;    /* what monocle_kit_calls_leave_watched () was given; NULL: it was not this call that left */
} monocle_kit_slow_call;

/*
 * Describes a slow call, when it ends and on its thread: writes a text with its NUL into each buffer, of
 * MONOCLE_KIT_ARGUMENTS_SIZE and MONOCLE_KIT_RESULT_SIZE bytes. Both are "" before. It runs inside the leave: what may
 * be done there may be done here. Calls on the same thread meanwhile are counted as lost.
 */
typedef void (*monocle_kit_describe_call) (const monocle_kit_slow_call *call, char *arguments, char *result);

typedef struct {
	uint32_t size;                       /* sizeof */
	const char *module;                  /* "calls" */
	const char *output;                  /* what `output=` said, or NULL: the default name. See below */
	const char *desc;                    /* whole desc, kept in the profile as a comment */
	const char *runtime;                 /* "6.8.0.105", kept in the profile as a comment; may be NULL */
	monocle_kit_name_method name_method; /* required */
	bool times;                          /* wall time; false: counts only */
	bool threads;                        /* one tree per thread in the profile */
	uint32_t max_depth;                  /* deeper calls fold; 0: as deep as a profile goes, MONOCLE_KIT_MAX_DEPTH */
	uint64_t threshold;                  /* ns: calls that take as long are listed (below); 0: none. Needs `times` */
	uint32_t slow_calls;                 /* at most so many, the longest; 0: 1000 */
	monocle_kit_describe_call describe;  /* what is said of them; may be NULL: nothing */
	bool late;                           /* calls may be open when the first one is entered here: leaves without an
	                                        enter are then not said to be lost */
	bool cpu;                            /* with `times`: of the thread's CPU instead, see the clock above; no call is
	                                        slow by it, and what runs since a thread's last event is not in it */
	uint64_t paths;                      /* bytes for call paths; 0: MONOCLE_KIT_PATHS, or an eighth of what the process
	                                        may have where that is less. See below */
	bool apart;                          /* the profile is no part of a run: MONOCLE_RUN_DIR is not heeded */
} monocle_kit_spool_config;

#define MONOCLE_KIT_MAX_DEPTH 4096

/*
 * Memory for call paths, or for stacks, of all threads together; that which it takes at the end to write the profile,
 * and to read it, is a part of it. A path that finds no room is folded into its nearest caller that has one, as
 * CALLER; [other paths]; METHOD. Each method's calls and self time, and each leaf's values, stay exact; how much was
 * folded is a comment.
 */
#define MONOCLE_KIT_PATHS ((uint64_t) 64 << 20)

/*
 * File names. %p process id, %t local time as yyyyMMdd_HHmmss, %e program without ".dll" or ".exe" (of a process that
 * `dotnet test` starts: the assembly with the tests), %m module, %n the first number from 1 that gives a name not in
 * use, %% a percent sign. `+FILE` appends ".PID", `|COMMAND` pipes into `sh -c COMMAND`, `#FD` writes to an open
 * descriptor. A name given by the user is overwritten, as a compiler overwrites its -o, except where it has a %n. The
 * default name, %e_%t_%p.%m.pb.gz in the current directory, never is: a "-2" follows the process id. `FOLDER/`, with a
 * slash at the end, is the default name in that folder.
 *
 * With MONOCLE_RUN_DIR in the environment (a parent collects, `monocle run`) the spool lies in that directory as
 * MODULE.PID.N.spool, and a clean end leaves a file PID.N.done there, which holds the absolute path of the profile.
 * Otherwise the spool lies beside the profile, as PROFILE.spool.
 */

/*
 * Makes the spool. NULL: it could not be made (one line was logged, with the path and errno); the program must run on
 * unprofiled. A process has one call tree: while it exists a second open fails.
 */
MONOCLE_KIT_API monocle_kit_spool *monocle_kit_spool_open (const monocle_kit_spool_config *config);
/*
 * A clean end: writes the profile (pprof, gzip) under its final name and removes the spool. Threads may still call
 * enter/leave; what they do later is not in the file. 0, or -1 when it could not be written (logged; the spool is
 * kept). In a forked child it does nothing and returns 0: the spool is the parent's.
 */
MONOCLE_KIT_API int monocle_kit_spool_close (monocle_kit_spool *spool);
/*
 * Gives its memory back, after monocle_kit_spool_close (), and another one can be opened. Only for
 * monocle_profiler_leave_NAME (): no thread may use it any more, not even in a signal handler. NULL is allowed.
 */
MONOCLE_KIT_API void monocle_kit_spool_free (monocle_kit_spool *spool);

/*
 * A comment "KEY: TEXT" in the profile; the same key again replaces it. There is room for eight of 200 bytes; more are
 * left out. `monocle run` says of an empty profile what follows "nothing: " in a comment of the key "counted".
 */
MONOCLE_KIT_API void monocle_kit_spool_note (monocle_kit_spool *spool, const char *key, const char *text);
/*
 * Counting ends before the process does: calls that are open have their time up to now. The caller sees to it that
 * nothing is entered or left from here on; what a thread is in the middle of may still be counted. The profile is made
 * by close, as ever. A second time changes nothing. Async-safe, one system call at most.
 */
MONOCLE_KIT_API void monocle_kit_spool_stop (monocle_kit_spool *spool);

/*
 * Counting is interrupted, and goes on. The caller sees to it that nothing is entered or left between the two: pause
 * waits for what is under way, for a moment. Calls that are open have their time up to the pause; those that are open
 * when it goes on are not seen to leave. Reset, between the two, forgets what was counted; false: this profile cannot
 * (it lists slow calls).
 */
MONOCLE_KIT_API void monocle_kit_calls_pause (monocle_kit_spool *spool);
MONOCLE_KIT_API void monocle_kit_calls_resume (monocle_kit_spool *spool);
MONOCLE_KIT_API bool monocle_kit_calls_reset (monocle_kit_spool *spool);
/* The file that is being written: absolute, borrowed. */
MONOCLE_KIT_API const char *monocle_kit_spool_file (const monocle_kit_spool *spool);

/*
 * The hot path: no lock, no allocation after warm-up, O(1). `method` is any stable pointer. enter/leave on one thread
 * must nest; a leave that does not match the innermost open call closes the calls above its own, or is ignored when no
 * open call is its own; both are counted. A signal handler may interrupt either at any instruction and call them: such
 * calls are counted as lost. In a forked child both do nothing. errno is kept.
 *
 * The first argument may be a MonoProfiler * and the functions may be called from callbacks in tail position.
 */
MONOCLE_KIT_API void monocle_kit_calls_enter (monocle_kit_spool *spool, void *method);
MONOCLE_KIT_API void monocle_kit_calls_leave (monocle_kit_spool *spool, void *method);
/*
 * The same for a spool with a threshold, in place of the two above: a call that takes as long is listed in the profile,
 * with its time, thread, callers, and what `describe` says of it. Some two nanoseconds more a pair. Of calls that are
 * more than 8183 deep on their thread no time is known: they are not listed, and counted. `context` reaches `describe`.
 */
MONOCLE_KIT_API void monocle_kit_calls_enter_watched (monocle_kit_spool *spool, void *method);
MONOCLE_KIT_API void monocle_kit_calls_leave_watched (monocle_kit_spool *spool, void *method, monocle_kit_end end,
                                                      void *context);
/*
 * Room for `size` bytes about the call that was entered last on this thread, to be filled at once, for `describe`; at
 * most once a call, right after its enter. NULL: there is no room, no such call, or nothing that describes. Then _kept
 * says how many of them are used.
 */
MONOCLE_KIT_API void *monocle_kit_calls_keep (monocle_kit_spool *spool, size_t size);
MONOCLE_KIT_API void monocle_kit_calls_kept (monocle_kit_spool *spool, size_t size);
/*
 * Names a thread in the profile: `tid` is its pthread_self (); NULL clears. Without `threads` or a threshold nothing
 * happens.
 */
MONOCLE_KIT_API void monocle_kit_calls_thread_name (monocle_kit_spool *spool, uintptr_t tid, const char *name);
/*
 * The calling thread ends: its part is closed and its buffers are ready for the next thread. Also done when it exits.
 */
MONOCLE_KIT_API void monocle_kit_calls_thread_end (monocle_kit_spool *spool);

/* --- stacks: samples, or anything that happens at a stack, into the crash-safe spool ------------------------------ */

typedef struct monocle_kit_stacks monocle_kit_stacks;

/* Numbers that are not methods; the kit names them. Those below 32 are reserved. */
enum {
	MONOCLE_KIT_FRAME_UNKNOWN = 1, /* [unknown]: code that cannot be named */
	MONOCLE_KIT_FRAME_STUB,        /* [stub]: glue that the runtime made */
	MONOCLE_KIT_FRAME_NATIVE,      /* [native]: no managed code is on this stack */
	MONOCLE_KIT_FRAME_TRUNCATED,   /* [truncated]: as the outermost frame of a stack whose callers are missing */
	MONOCLE_KIT_FRAME_UNSAMPLED,   /* [not sampled]: what was used but not sampled */
	/* The runtime's own work; alone on a stack, or innermost, above the managed frames that set it off. */
	MONOCLE_KIT_FRAME_GC,          /* [GC]: collecting */
	MONOCLE_KIT_FRAME_JIT,         /* [JIT]: compiling what is about to run */
	MONOCLE_KIT_FRAME_TIERED,      /* [tiered compilation]: compiling again, in the background */
	MONOCLE_KIT_FRAME_FINALIZER,   /* [finalizer]: its thread, outside of finalizers */
	MONOCLE_KIT_FRAME_START,       /* [start-up]: finding and starting the runtime */
	MONOCLE_KIT_FRAME_RUNTIME,     /* [runtime]: in the runtime's library, loading types for instance */
	/* What the thread did, as the outermost frame of a stack: the profile has it as a label `state`, not as a frame. */
	MONOCLE_KIT_FRAME_RUNNING,
	MONOCLE_KIT_FRAME_WAITING,     /* for what, the innermost frames tell */
	MONOCLE_KIT_FRAME_DISK,        /* waiting for it */
	MONOCLE_KIT_FRAME_STOPPED,     /* by a debugger */
	MONOCLE_KIT_FRAME_OTHER,       /* [other paths]: the kit's, between a caller and what found no room below it */
	/* Kinds of stubs, innermost. */
	MONOCLE_KIT_FRAME_BARRIER,     /* [write barrier]: tells the collector of a stored reference */
	MONOCLE_KIT_FRAME_VIRTUAL,     /* [virtual call]: finds the method of an object's class */
	MONOCLE_KIT_FRAME_INTERFACE,   /* [interface call]: the same of an interface */
	MONOCLE_KIT_FRAME_PRECODE,     /* [precode]: jumps to a method's code of now */
	MONOCLE_KIT_FRAME_COUNTING,    /* [call counting]: the same, and counts, until the method is compiled again */
	MONOCLE_KIT_FRAME_GENERIC,     /* [generic lookup]: finds what a type parameter stands for */
	MONOCLE_KIT_FRAME_HELPER,      /* [ReadyToRun helper]: what precompiled code asks of the runtime */
};

typedef struct {
	void *method;      /* the key: a method, or any stable number that `name` knows. NULL: not known yet */
	uintptr_t address; /* when method is NULL: what `resolve` will be asked about. Below 2^63 */
} monocle_kit_frame;

typedef struct {
	const char *type; /* "cpu" */
	const char *unit; /* "nanoseconds", "count", "bytes" */
} monocle_kit_value_type;

#define MONOCLE_KIT_MAX_FRAMES 1024

typedef struct {
	uint32_t size;          /* sizeof */
	const char *module;     /* "sample" */
	const char *output;     /* as for spools */
	const char *desc;       /* whole desc, kept in the profile as a comment */
	const char *runtime;    /* kept in the profile as a comment; may be NULL */
	monocle_kit_value_type values[2]; /* what is added up per stack; a type of NULL: there is one only. Tools show the
	                                     last one first */
	uint64_t period;        /* how much of the last value lies between two samples; 0: 1 */
	bool threads;           /* one tree per thread in the profile */
	uint64_t buffer;        /* bytes for stacks that wait to be drained; 0: 1 MiB */
	void *data;             /* for resolve, begin and end */
	/*
	 * All callbacks run on the drain thread, a plain thread of the kit's that the runtime does not know, some 20 ms
	 * after a stack was added; never two at a time. A round of it that has something to ask calls begin, then resolve
	 * and name as often as it needs, then end: so a module can attach the thread to its runtime where that is needed,
	 * and no thread stays attached that cannot be stopped or waited for.
	 */
	/*
	 * The keys of the frames that an address stands for, innermost first, `capacity` at most: several where methods
	 * were inlined. 0: [unknown]. May be NULL: all are unknown.
	 */
	uint32_t (*resolve) (void *data, uintptr_t address, void **ret_keys, uint32_t capacity);
	monocle_kit_name_method name; /* required; of each key once. An empty name hides the frame */
	void (*begin) (void *data);   /* may be NULL */
	void (*end) (void *data);     /* may be NULL */
	void (*beat) (void *data);    /* once a second, and before the end; may be NULL */
	bool pieces;            /* there is a file for each piece: see monocle_kit_stacks_cut () */
	uint64_t paths;         /* bytes for stacks, as monocle_kit_spool_config has it */
	/*
	 * On the drain thread, after resolve: takes frames out of a stack that was not met before, innermost first, and
	 * answers how many are left, at least one. May be NULL.
	 */
	uint32_t (*shorten) (void *data, uint64_t *keys, uint32_t count);
	bool apart;             /* as monocle_kit_spool_config has it */
} monocle_kit_stacks_config;

/*
 * Opens a profile by stack: files, names and a process's death as for spools. NULL: it cannot be made (one line was
 * logged); the program must run on unprofiled. Each module may have one of its own.
 */
MONOCLE_KIT_API monocle_kit_stacks *monocle_kit_stacks_open (const monocle_kit_stacks_config *config);
/*
 * One stack, innermost frame first; values[0] and values[1] are added to it. `thread` is any number that tells threads
 * apart, pthread_self () if it is to be named; it means nothing without `threads`. At most MONOCLE_KIT_MAX_FRAMES
 * frames are kept, and what is cut is marked; no frames are [unknown]. Async-safe and callable from any thread, in a
 * signal handler that interrupted another call of it too: no lock, no allocation, no system call; some 100 ns for 30
 * frames. False: no room; it is counted as lost. In a forked child and after close it does nothing. Keeps errno.
 */
MONOCLE_KIT_API bool monocle_kit_stacks_add (monocle_kit_stacks *stacks, const monocle_kit_frame *frames,
                                             uint32_t count, uint64_t thread, const uint64_t values[2]);
/*
 * Names a thread from now on, or ends it: a later thread of the same number is another one. NULL clears the name. Both
 * are async-safe like add, take effect in the order of calls, and do nothing without `threads`.
 */
MONOCLE_KIT_API void monocle_kit_stacks_thread_name (monocle_kit_stacks *stacks, uint64_t thread, const char *name);
MONOCLE_KIT_API void monocle_kit_stacks_thread_end (monocle_kit_stacks *stacks, uint64_t thread);
/* As monocle_kit_spool_note (). */
MONOCLE_KIT_API void monocle_kit_stacks_note (monocle_kit_stacks *stacks, const char *key, const char *text);
/*
 * Waits until all that was added before has been drained and named, at most so long, and forgets what addresses were
 * resolved to: call it before code or names go away. False: time ran out. Not from a callback of the drain thread.
 */
MONOCLE_KIT_API bool monocle_kit_stacks_sync (monocle_kit_stacks *stacks, uint32_t milliseconds);
/*
 * With `pieces`: writes what was added since the last cut as a profile of its own, whole when this returns, and counts
 * from zero on. The first is FILE, the next ones are FILE-2, FILE-3 and so on, with the number before the endings; the
 * end writes one more only if something was added since. Waits at most so long. False: time ran out, or it could not
 * be written (logged). Not from a callback of the same profile's drain thread.
 */
MONOCLE_KIT_API bool monocle_kit_stacks_cut (monocle_kit_stacks *stacks, uint32_t milliseconds);
/* Forgets what was counted so far, but not paths and names. Waits at most so long; false: time ran out. As cut. */
MONOCLE_KIT_API bool monocle_kit_stacks_reset (monocle_kit_stacks *stacks, uint32_t milliseconds);
/* The file that is being written: absolute, borrowed. */
MONOCLE_KIT_API const char *monocle_kit_stacks_file (const monocle_kit_stacks *stacks);
/* How many stacks were lost so far. Async-safe. */
MONOCLE_KIT_API uint64_t monocle_kit_stacks_lost (const monocle_kit_stacks *stacks);
/*
 * A clean end: drains what waits, and writes the profile as monocle_kit_spool_close () does. Threads may still add; it
 * is not in the file. 0, or -1 when it could not be written (logged; the spool is kept). In a forked child 0.
 */
MONOCLE_KIT_API int monocle_kit_stacks_close (monocle_kit_stacks *stacks);
/*
 * Gives its memory back, after monocle_kit_stacks_close (). Only for monocle_profiler_leave_NAME (): no thread may use
 * it any more, not even in a signal handler. NULL is allowed.
 */
MONOCLE_KIT_API void monocle_kit_stacks_free (monocle_kit_stacks *stacks);

/* --- control: what a module does with itself when it is told to --------------------------------------------------- */

/*
 * What `monocle ctl` can ask of a module. Each is called with `data`, one at a time, on a plain thread that the runtime
 * does not know, while the program runs; it may wait for a moment, and reports what went wrong itself. NULL: the module
 * cannot do that.
 */
typedef struct {
	uint32_t size;          /* sizeof */
	const char *module;     /* "calls"; it stays */
	void *data;
	bool (*start) (void *data); /* counts again; not called while it does */
	bool (*stop) (void *data);  /* counts no more until it is started; what was counted stays */
	bool (*reset) (void *data); /* what was counted so far is forgotten */
	/*
	 * What was counted so far is in the module's file when this returns; its absolute path goes into ret_path. Who asks
	 * reads it from there.
	 */
	bool (*snapshot) (void *data, char *ret_path, size_t size);
} monocle_kit_control;

/*
 * Tells what this module can do, at the end of its init; the struct is copied, and takes the place of an earlier one of
 * the same module. A module whose library can be closed takes it back before: none of its functions is called then, or
 * will be.
 */
MONOCLE_KIT_API void monocle_kit_control_register (const monocle_kit_control *control);
MONOCLE_KIT_API void monocle_kit_control_forget (const char *module);
/*
 * For those who load modules: has one module, or with "" each that knows how, do what `verb` says: start, stop, reset,
 * snapshot, or status, which all know. `say` gets lines, "module NAME running" (or stopped) and "file NAME PATH". How
 * many did it; -1: one of them failed.
 */
MONOCLE_KIT_API int monocle_kit_control_do (const char *verb, const char *module,
                                            void (*say) (void *data, const char *line), void *data);

/* --- sampling on Mono: code that Mono must not walk yet ----------------------------------------------------------- */

/*
 * mono_stack_walk_async_safe () of Mono 6.8 allocates when it first comes to a file that was compiled ahead of time
 * (mscorlib.dll.so): in sample_hit, on a thread that is inside malloc, the program then waits for itself. A module that
 * walks there asks first. It calls the first two below at its init, and then in the callbacks that they name. Off Mono
 * nothing of this is needed, and no file is ever found.
 */

/* The calling thread's stack may be looked at from now on: at init, and in thread_started on the thread itself. */
MONOCLE_KIT_API void monocle_kit_aot_thread_begin (void);
/* An assembly was loaded, and with it perhaps such a file: in assembly_loaded. Asks the loader. */
MONOCLE_KIT_API void monocle_kit_aot_look (void);
/* In thread_exited. Any thread. */
MONOCLE_KIT_API void monocle_kit_aot_thread_end (uintptr_t tid);
/* Of all threads: nobody is told any more when one ends. Normal context, when nothing is sampled. */
MONOCLE_KIT_API void monocle_kit_aot_threads_end (void);
/*
 * In sample_hit, before the walk, with its `ip` and `context`. 0: walk. Else do not: the result is an address of
 * code on this stack that Mono has to be asked about (mono_jit_info_table_find (), outside of any handler, on a
 * thread that Mono knows), or `ip`, where there is no telling. Async-safe. As long as all files are sorted, one
 * load.
 */
MONOCLE_KIT_API uintptr_t monocle_kit_aot_unprepared (uintptr_t ip, const void *context);
/* Mono was asked about `address` and found a method: its file is sorted. Any context. */
MONOCLE_KIT_API void monocle_kit_aot_prepared (uintptr_t address);
/* Is that code of such a file, as far as they are known? Async-safe. */
MONOCLE_KIT_API bool monocle_kit_aot_has (uintptr_t address);

/*
 * On Mono, once at init with NULL, and then in each sample_hit with its context. When the program crashes, no thread is
 * hit any more, and hits may come upon a walk of Mono's own, as Thread.Abort () makes one: Mono 6.8 would end both in
 * an assertion. Async-safe, but for the first call.
 */
MONOCLE_KIT_API void monocle_kit_crash_look_out (const void *context);

/* --- questions to the runtime, on a thread of one's own ----------------------------------------------------------- */

/*
 * Around such questions: a fork waits meanwhile, for about a second at the most. A lock of the runtime's that is held
 * when another thread forks stays locked in the child. Normal context; nothing that forks, or waits for a fork.
 */
MONOCLE_KIT_API void monocle_kit_runtime_ask (void);
MONOCLE_KIT_API void monocle_kit_runtime_asked (void);

/* --- native code: functions by address ---------------------------------------------------------------------------- */

/*
 * What `address` of this process belongs to: where its function begins, by the symbol table of its file (.symtab, else
 * .dynsym) or by /tmp/perf-PID.map when the program writes one. In a file without symbols it is one number for the
 * whole file, where no function begins. 0: unknown. Reads files and takes a lock.
 */
MONOCLE_KIT_API uintptr_t monocle_kit_native_function (uintptr_t address);
/*
 * Name and file of such a number, as a monocle_kit_name_method does it: "malloc", else "[libc.so.6]"; [unknown] when
 * its file is gone. C++ names are as the linker knows them.
 */
MONOCLE_KIT_API size_t monocle_kit_native_name (uintptr_t function, char *buffer, size_t size);

/* --- text logs: lines from all threads, in the order of their times ----------------------------------------------- */

typedef struct monocle_kit_text monocle_kit_text;

typedef struct {
	uint32_t size;        /* sizeof */
	const char *module;   /* "events" */
	const char *output;   /* as for spools; NULL: %e_%t_%p.%m.log in the current directory */
	const char *head;     /* first lines of the file, with their line feeds; may be NULL */
	bool threads;         /* one file per thread: the name has .TID before its last suffix; files only */
	uint64_t buffer;      /* bytes per thread that wait to be written; 0: 1 MiB */
	uint64_t limit;       /* bytes of files, all together: one line says that the log ends there; 0: none */
} monocle_kit_text_config;

/*
 * Opens a log. NULL: it cannot be written (one line was logged, with the path and errno); the program must run on
 * unprofiled. Lines are written by a thread of the kit's own, twenty times a second, so that a slow disk never stops
 * the program: what does not fit into a thread's buffer meanwhile is counted, and the count is written into the log. A
 * process that is killed loses what was waiting.
 */
MONOCLE_KIT_API monocle_kit_text *monocle_kit_text_open (const monocle_kit_text_config *config);
/*
 * One line, without line feed, at most 64 KiB; `time` is monocle_kit_now () of its moment. No lock, no system call
 * but the thread's first time. False: it was lost, and counted: no room, or a signal handler came in the middle of
 * another line. In a forked child it does nothing. Keeps errno. What could deceive a reader of the log is taken out:
 * tabs stay, other white space that is a control character becomes a blank, and a question mark replaces each other
 * control character, byte that is not UTF-8, separator of lines or paragraphs, and mark of writing direction.
 */
MONOCLE_KIT_API bool monocle_kit_text_line (monocle_kit_text *text, uint64_t time, const char *line, size_t length);
/*
 * Waits until the lines of before have left their buffers: for modules that have more to say at once than fits in.
 * True: they have; false: not within so many milliseconds, or the log is closed. Not in callbacks that must not block.
 */
MONOCLE_KIT_API bool monocle_kit_text_sync (monocle_kit_text *text, uint32_t milliseconds);
/* The file, or what stands in its place: borrowed. */
MONOCLE_KIT_API const char *monocle_kit_text_file (const monocle_kit_text *text);
/*
 * The end: writes what waits, and says how much was lost. Lines that come later are lost silently. It waits as long as
 * something is written, and gives up (logged) when nothing moves for 5 seconds: a command that does not end, a pipe
 * without a reader. Returns the number of lines that were lost, or -1 when the log could not be written to its end
 * (logged).
 */
MONOCLE_KIT_API int64_t monocle_kit_text_close (monocle_kit_text *text);
/*
 * Gives its memory back, after monocle_kit_text_close (). Only for monocle_profiler_leave_NAME (): no thread may write
 * lines any more. One that is just ending may still look at its own; it is given a moment. NULL is allowed.
 */
MONOCLE_KIT_API void monocle_kit_text_free (monocle_kit_text *text);

/* --- a file of a module's own kind -------------------------------------------------------------------------------- */

typedef struct {
	uint32_t size;      /* sizeof */
	const char *module; /* "cover" */
	const char *output; /* as for spools, files only; NULL: %e_%t_%p.%m.ENDING in the current directory */
	const char *ending; /* "mcov" */
} monocle_kit_output_config;

/*
 * Makes a file to write and to map, empty, and answers its descriptor, closed by exec, which the caller owns; the
 * absolute path goes into `ret_path`. What the user's name named before is another file from then on: whoever has it
 * open or mapped keeps it. With MONOCLE_RUN_DIR in the environment the default is output.PID.N.ENDING in that
 * directory, and a name of the user's is noted there. -1: it cannot be made (one line was logged, with path and errno);
 * the program must run on unprofiled.
 */
MONOCLE_KIT_API int monocle_kit_output_open (const monocle_kit_output_config *config, char *ret_path, size_t path_size);

/* --- the spools of other processes -------------------------------------------------------------------------------- */

/*
 * The profile that is in a spool, as the bytes of its file (malloc'd): what `monocle report` reads. Nothing is written
 * or removed, and nothing that the spool says of other files or of commands is followed: anybody can make a spool. Of a
 * process that is still running it is what it had at this moment. 0; -1 not a spool, empty, or damaged beyond use:
 * *ret_error (static text) says which, and the rest is untouched.
 */
MONOCLE_KIT_API int monocle_kit_spool_read (const char *spool_path, void **ret_data, size_t *ret_length,
                                            const char **ret_error);

/*
 * Turns a spool of the caller's own run into its profile: what `monocle run` does at the end. `run_folder` is the
 * folder that the caller made, that no other user can write to, and that MONOCLE_RUN_DIR names, by the same absolute
 * path; `name` is the spool's name in it. The profile is written where the spool says if the plan beside it says the
 * same, which its process wrote before it began; both must be regular files of the caller's user. Any other profile,
 * and one that was for a command, a descriptor or a device, goes into the folder. 0: *ret_path (malloc'd) was written
 * and the spool removed. 1: the process was gone before it had begun to count; the spool was removed, and there is
 * nothing to write. -1: *ret_error (static text) says why; of a live process *ret_path is where it will write its
 * profile, malloc'd too. Else *ret_path is untouched.
 */
MONOCLE_KIT_API int monocle_kit_spool_collect (const char *run_folder, const char *name, char **ret_path,
                                               const char **ret_error);

#ifdef __cplusplus
}
#endif

#endif
