/*
 * SPDX-License-Identifier: MIT
 *
 * spool.h - the spool: its layout, its writer inside the profiled process, its reader. doc/spool.md has the details.
 *
 *   offset 0     extent 0: the header
 *          64 Ki extent 1: an extent header (64 bytes), then what its kind says
 *          128 Ki ...      as many as header.extent_count says
 *
 * Everything is little-endian or whatever the machine is: a spool is read on the machine that wrote it. Whatever grows
 * becomes visible by one release store of a count, so that a reader may come at any instant and the writer may be dead.
 */
#ifndef MONOCLE_KIT_SPOOL_H
#define MONOCLE_KIT_SPOOL_H

#include <pthread.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#include <monocle/kit.h>

#include "clock.h"
#include "origin.h"
#include "output-name.h"
#include "path-room.h"
#include "process-start.h"

#define MONOCLE__SPOOL_SIZE_MOST ((size_t) 16 << 30) /* no writer makes a larger one */

enum {
	MONOCLE__SPOOL_VERSION = 4,
	MONOCLE__EXTENT_SIZE = 64 << 10,
	MONOCLE__EXTENT_HEADER = 64,
	MONOCLE__PAIR_COUNT = 256,
	MONOCLE__NOTE_COUNT = 8,
	MONOCLE__RESERVED_KEYS = 32,
	MONOCLE__WATCHED_LEVELS = (MONOCLE__EXTENT_SIZE - MONOCLE__EXTENT_HEADER) / 8,
};

enum monocle__extent_kind {
	MONOCLE__EXTENT_NODES = 1,
	MONOCLE__EXTENT_NAMES,
	MONOCLE__EXTENT_THREADS,
	MONOCLE__EXTENT_STARTS,
	MONOCLE__EXTENT_SLOW,
};

enum monocle__spool_flags {
	MONOCLE__SPOOL_TIMES = 1,
	MONOCLE__SPOOL_THREADS = 2,
	MONOCLE__SPOOL_TICKS = 4,   /* times are TSC ticks, else nanoseconds */
	MONOCLE__SPOOL_STACKS = 8,  /* added by stack: both values are as they are */
	MONOCLE__SPOOL_LATE = 16,   /* calls may be open when counting begins: their leaves are no loss */
	MONOCLE__SPOOL_CPU = 32,    /* times of nodes and threads are nanoseconds of the thread's CPU */
	MONOCLE__SPOOL_PIECES = 64, /* it is written in several files, and in none when nothing is counted */
};

/* Counted by any thread with relaxed additions, on slow paths only. */
enum monocle__loss {
	MONOCLE__LOSS_NESTED,     /* events inside another event of the same thread: signal handlers */
	MONOCLE__LOSS_SPACE,      /* calls that found no room */
	MONOCLE__LOSS_THREADS,    /* events of threads that found no room */
	MONOCLE__LOSS_UNBALANCED, /* calls closed because one below them left */
	MONOCLE__LOSS_UNMATCHED,  /* leaves without an enter */
	MONOCLE__LOSS_NAMES,      /* methods that could not be named */
	MONOCLE__LOSS_STACKS,     /* stacks that found no room in the ring */
	MONOCLE__LOSS_UNWATCHED,  /* calls that were too deep to have a start */
	MONOCLE__LOSS_SLOW,       /* slow calls that found no room */
	MONOCLE__LOSS_COUNT
};

/* What a node's `calls` (0) and `self` (1) count. */
struct monocle__value_name {
	char type[32], unit[32];
};

/* The key of the note that says why paths are folded; the profile has it with a count. */
#define MONOCLE__NOTE_FOLDED "folded"

struct monocle__note {
	uint32_t length; /* release; 0: none, or it is being changed */
	char text[252];  /* "KEY: TEXT" */
};

struct monocle__spool_header {
	uint64_t magic;
	uint32_t version;
	uint32_t header_size; /* sizeof this */
	uint32_t flags;       /* monocle__spool_flags */
	uint32_t max_depth;
	uint32_t pid;
	uint32_t output_kind;   /* monocle__output_kind */
	uint64_t process_start; /* /proc/PID/stat field 22: with boot_id it tells a process from a later one of its pid */
	uint64_t realtime_ns;   /* CLOCK_REALTIME at open, beside pair 0 */
	uint64_t output_device, output_inode; /* of a `#FD` */
	uint64_t period;                      /* between two samples, of value `period_value` */
	uint32_t value_count;                 /* 1 or 2 */
	uint32_t period_value;
	struct monocle__value_name values[2];
	char boot_id[40];
	char module[32];
	char host[64];
	char program[256];
	char runtime[256];
	char desc[2048];
	char output[4096];        /* absolute; a command for `|`, a number for `#` */
	char run_directory[4096]; /* MONOCLE_RUN_DIR or "" */
	uint64_t threshold_ns;    /* longer calls are listed; 0: none */
	uint32_t slow_limit;      /* so many of them */
	uint32_t slow_size;       /* bytes of a record of theirs */

	/* What follows changes while the process runs. */
	_Alignas(64) uint64_t heartbeat; /* ticks; the process was alive then */
	uint32_t extent_count;           /* release; the header is one */
	uint32_t pair_count;             /* release */
	uint32_t ended;                  /* 1: a clean end was reached */
	uint64_t losses[MONOCLE__LOSS_COUNT];
	uint64_t slow_count; /* calls that were slow, listed or not */
	struct monocle__note notes[MONOCLE__NOTE_COUNT];
	struct monocle__clock_pair pairs[MONOCLE__PAIR_COUNT];
	uint64_t stopped; /* ticks when counting ended, before the process did; 0: it has not */
	uint64_t pieces;  /* files that were written; what is counted now is for the next one */
};

_Static_assert(sizeof (struct monocle__spool_header) <= MONOCLE__EXTENT_SIZE, "the header is one extent");

struct monocle__extent {
	uint32_t kind;
	uint32_t used; /* release; bytes, this header included */
	uint8_t pad[MONOCLE__EXTENT_HEADER - 8];
};

/*
 * A call path: this method called from `parent`. Known by its index, file offset / sizeof. Index 0 is the header, whose
 * first eight bytes are the magic: as a child it matches no method. A root has parent 0 and as key the thread's number.
 * Written by the one thread that owns the tree.
 */
struct monocle__node {
	uint64_t key; /* the method */
	uint64_t calls;
	uint64_t self; /* ticks; of a spool with CPU nanoseconds, as a thread's `last` */
	uint32_t parent;
	uint32_t last_child; /* a cache of the writer's */
};

_Static_assert(sizeof (struct monocle__node) == 32, "two nodes are a cache line");

/* A thread; numbered from 1 in file order. On two cache lines of its own, because its owner writes at every event. */
struct monocle__thread_record {
	uint64_t last;    /* ticks of the latest event */
	uint32_t current; /* the node that has been running since then */
	uint32_t root;
	uint32_t ended;
	uint32_t name_length; /* release; 0 while the name changes */
	uint64_t tid;
	char name[96];
};

_Static_assert(sizeof (struct monocle__thread_record) == 128, "a thread record is two cache lines");

/* Then name_length + image_length bytes, without NULs, and up to 7 bytes of padding. */
struct monocle__name_record {
	uint64_t key;
	uint32_t name_length;
	uint32_t image_length;
	struct monocle__origin origin;
};

/*
 * When the open calls of a thread began, by level: `starts[1]` is the outermost. Those of levels that are not open mean
 * nothing. Written by the thread that the record of this number is about.
 */
struct monocle__starts {
	struct monocle__extent extent;
	uint64_t thread; /* in the place of level 0: number of its record; the kernel's number << 32 */
	uint64_t starts[MONOCLE__WATCHED_LEVELS - 1];
};

_Static_assert(sizeof (struct monocle__starts) == MONOCLE__EXTENT_SIZE, "a thread has one extent of starts");

/* A call that took longer than the threshold; header.slow_size bytes, with its texts, without NULs. */
struct monocle__slow_record {
	uint64_t length; /* ticks; release; 0: it is being written */
	uint64_t start;  /* ticks */
	uint32_t node;
	uint32_t thread; /* number of its record */
	uint32_t tid;    /* the kernel's */
	uint32_t end;    /* monocle_kit_end */
	uint32_t name_length, arguments_length, result_length;
	char text[]; /* the thread's name, the arguments, the result */
};

/* clang-format off */
/* What version 4 of a spool is, and a thread's record in it: a reader may be of another build. */
#define AT(structure, field, offset) \
	_Static_assert(offsetof (struct structure, field) == (offset), #field " of a spool is elsewhere")
AT (monocle__spool_header, magic, 0);
AT (monocle__spool_header, version, 8);
AT (monocle__spool_header, header_size, 12);
AT (monocle__spool_header, flags, 16);
AT (monocle__spool_header, max_depth, 20);
AT (monocle__spool_header, pid, 24);
AT (monocle__spool_header, output_kind, 28);
AT (monocle__spool_header, process_start, 32);
AT (monocle__spool_header, realtime_ns, 40);
AT (monocle__spool_header, output_device, 48);
AT (monocle__spool_header, output_inode, 56);
AT (monocle__spool_header, period, 64);
AT (monocle__spool_header, value_count, 72);
AT (monocle__spool_header, period_value, 76);
AT (monocle__spool_header, values, 80);
AT (monocle__spool_header, boot_id, 208);
AT (monocle__spool_header, module, 248);
AT (monocle__spool_header, host, 280);
AT (monocle__spool_header, program, 344);
AT (monocle__spool_header, runtime, 600);
AT (monocle__spool_header, desc, 856);
AT (monocle__spool_header, output, 2904);
AT (monocle__spool_header, run_directory, 7000);
AT (monocle__spool_header, threshold_ns, 11096);
AT (monocle__spool_header, slow_limit, 11104);
AT (monocle__spool_header, slow_size, 11108);
AT (monocle__spool_header, heartbeat, 11136);
AT (monocle__spool_header, extent_count, 11144);
AT (monocle__spool_header, pair_count, 11148);
AT (monocle__spool_header, ended, 11152);
AT (monocle__spool_header, losses, 11160);
AT (monocle__spool_header, slow_count, 11232);
AT (monocle__spool_header, notes, 11240);
AT (monocle__spool_header, pairs, 13288);
AT (monocle__spool_header, stopped, 17384);
AT (monocle__spool_header, pieces, 17392);
AT (monocle__thread_record, last, 0);
AT (monocle__thread_record, current, 8);
AT (monocle__thread_record, root, 12);
AT (monocle__thread_record, ended, 16);
AT (monocle__thread_record, name_length, 20);
AT (monocle__thread_record, tid, 24);
AT (monocle__thread_record, name, 32);
AT (monocle__node, key, 0);
AT (monocle__node, calls, 8);
AT (monocle__node, self, 16);
AT (monocle__node, parent, 24);
AT (monocle__node, last_child, 28);
AT (monocle__name_record, key, 0);
AT (monocle__name_record, name_length, 8);
AT (monocle__name_record, image_length, 12);
AT (monocle__name_record, origin, 16);
AT (monocle__origin, mvid, 0);
AT (monocle__origin, token, 16);
AT (monocle__origin, il_offset, 20);
AT (monocle__starts, thread, 64);
AT (monocle__starts, starts, 72);
AT (monocle__slow_record, length, 0);
AT (monocle__slow_record, start, 8);
AT (monocle__slow_record, node, 16);
AT (monocle__slow_record, thread, 20);
AT (monocle__slow_record, tid, 24);
AT (monocle__slow_record, end, 28);
AT (monocle__slow_record, name_length, 32);
AT (monocle__slow_record, arguments_length, 36);
AT (monocle__slow_record, result_length, 40);
AT (monocle__slow_record, text, 44);
AT (monocle__extent, kind, 0);
AT (monocle__extent, used, 4);
AT (monocle__note, length, 0);
AT (monocle__note, text, 4);
AT (monocle__clock_pair, ticks, 0);
AT (monocle__clock_pair, ns, 8);
AT (monocle__value_name, type, 0);
AT (monocle__value_name, unit, 32);
#undef AT
/* clang-format on */
_Static_assert(sizeof (struct monocle__spool_header) == 17408, "the header of version 4");
_Static_assert(sizeof (struct monocle__extent) == MONOCLE__EXTENT_HEADER, "an extent begins with its header");
_Static_assert(sizeof (struct monocle__note) == 256, "notes lie in the header");
_Static_assert(sizeof (struct monocle__name_record) == 40, "a name's text follows its record");
_Static_assert(sizeof (struct monocle__clock_pair) == 16, "pairs lie in the header");
_Static_assert(MONOCLE__EXTENT_SIZE % sizeof (struct monocle__node) == 0 &&
                   MONOCLE__EXTENT_HEADER % sizeof (struct monocle__node) == 0,
               "a node is known by its place in the file");

/* --- the writer --------------------------------------------------------------------------------------------------- */

/* On a page that a forked child sees as zeros: there is no profile in the child. */
struct monocle__guard {
	uint32_t alive;
};

struct monocle_kit_spool {
	struct monocle__spool_header *header; /* the mapping; also nodes[0] */
	struct monocle__guard *guard;
	monocle_kit_name_method name_method;
	struct monocle__names *named;            /* which methods have a name: swapped under lock, read anywhere */
	size_t reserved;                         /* bytes mapped, most of them beyond the end of the file */
	size_t allocated;                        /* under lock; bytes the file has */
	uint64_t last_pair_ns;                   /* under lock */
	pthread_mutex_t lock;                    /* extents, names, thread records, growth */
	struct monocle__extent *names, *threads; /* under lock; the ones being filled */
	uint32_t thread_count;                   /* under lock */
	dev_t device;
	ino_t inode;
	uint32_t closed; /* relaxed; nothing grows any more */
	bool is_paused;  /* release; no call is counted: call-pause.c */
	pthread_t heart; /* the beating thread, if has_heart */
	bool has_heart;
	struct monocle__watch *watch; /* NULL: no call is slow */
	struct monocle__path_room paths;
	char path[4096];
};

/* Tests: the n-th allocation from now on, and all later ones, fail. 0: none. */
extern long monocle__fail_after;
bool monocle__fails (void);

/*
 * Makes the file at `path` and maps it; header fields that describe the process are filled in. It is not a valid spool
 * before the rest of the header is there and publish has stored the magic. 0 or -errno.
 */
int monocle__spool_create (monocle_kit_spool *spool, const char *path);
void monocle__spool_publish (monocle_kit_spool *spool);
/* Gives back what create took. The file stays. */
void monocle__spool_unmap (monocle_kit_spool *spool);

static inline bool
monocle__spool_is_ours (const monocle_kit_spool *spool)
{
	return spool->guard && __atomic_load_n (&spool->guard->alive, __ATOMIC_RELAXED) != 0;
}

static inline struct monocle__node *
monocle__spool_nodes (const monocle_kit_spool *spool)
{
	return (struct monocle__node *) spool->header;
}

static inline void
monocle__spool_lose (monocle_kit_spool *spool, enum monocle__loss loss, uint64_t count)
{
	__atomic_fetch_add (&spool->header->losses[loss], count, __ATOMIC_RELAXED);
}

/* A new zeroed extent; NULL when there is no room. Takes the lock. */
struct monocle__extent *monocle__spool_extent (monocle_kit_spool *spool, enum monocle__extent_kind kind);
/* A new thread record and its number; NULL when there is no room. Takes the lock. */
struct monocle__thread_record *monocle__spool_thread (monocle_kit_spool *spool, uint32_t *ret_number);
/* Writes a clock pair if the last one is a second old, or in any case. Takes the lock. */
void monocle__spool_pair (monocle_kit_spool *spool, bool always);
/* Makes sure that `method` has a name in the file. Lock-free when it has. `buffer` is the thread's own. */
void monocle__spool_name (monocle_kit_spool *spool, void *method, char *buffer, size_t size);
bool monocle__spool_is_named (const monocle_kit_spool *spool, void *method);
void monocle__spool_names_reset (monocle_kit_spool *spool);
/* All counts and times are zero, and the profile begins now. Paths, names and threads stay. Nothing is counted. */
void monocle__spool_forget (monocle_kit_spool *spool);
/* What is said of a key. Texts without NUL. */
struct monocle__spool_name {
	const char *name, *image;
	size_t name_length, image_length;
	struct monocle__origin origin;
};

/* Appends one name under the lock; false when there is no room. */
bool monocle__spool_append_name (monocle_kit_spool *spool, uint64_t key, const struct monocle__spool_name *name);

/* --- the heartbeat ------------------------------------------------------------------------------------------------ */

/*
 * Starts the thread that says once a second that the process is alive. Without it a spool is as good, but for waiting.
 */
void monocle__heart_start (monocle_kit_spool *spool);
void monocle__heart_stop (monocle_kit_spool *spool);

/* --- the reader --------------------------------------------------------------------------------------------------- */

/* A spool in memory, of a dead process or of this one. */
struct monocle__spool_view {
	const struct monocle__spool_header *header;
	size_t size;
	uint32_t extent_count; /* as many as are whole */
	double rate;           /* nanoseconds per tick; 0: unknown */
	uint64_t end_ticks;    /* the latest instant the spool knows of */
	uint64_t duration_ns;
};

/* Checks that `size` bytes at `base` are a spool that can be read. 0, or -1 and what is wrong. */
int monocle__spool_view_init (struct monocle__spool_view *view, const void *base, size_t size, const char **ret_error);

/* Ticks as nanoseconds; what a damaged file has too many of is as many as a profile can say. */
uint64_t monocle__spool_view_ns (const struct monocle__spool_view *view, uint64_t ticks);

/* The node of this index; NULL: there is none, or it is damaged. */
const struct monocle__node *monocle__spool_view_node (const struct monocle__spool_view *view, uint32_t index);

/* Is the process that writes the spool still there? */
bool monocle__spool_view_is_alive (const struct monocle__spool_view *view);

/* Has it something to say: is it in one file, or is anything counted? */
bool monocle__spool_view_is_wanted (const struct monocle__spool_view *view);

struct monocle__spool_visitor {
	void *data;
	void (*name) (void *data, uint64_t key, const struct monocle__spool_name *name);
	/* Threads are numbered from 1, in order. */
	void (*thread) (void *data, uint32_t number, const struct monocle__thread_record *record);
	/* Parents come before their children; `index` of a root's parent is 0. */
	void (*node) (void *data, uint32_t index, const struct monocle__node *node);
	/* `size`: of the record, text included. It may be changing: what is read of it, is read once. */
	void (*slow) (void *data, const struct monocle__slow_record *record, uint32_t size);
	void (*starts) (void *data, const struct monocle__starts *starts);
};

/* All names, then all threads, all nodes, all slow calls, all starts; whatever is damaged is left out. */
void monocle__spool_view_visit (const struct monocle__spool_view *view, const struct monocle__spool_visitor *visitor);

#endif
