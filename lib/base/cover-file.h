/*
 * SPDX-License-Identifier: MIT
 *
 * cover-file.h - the layout of a coverage file (.mcov): what `cover` maps and counts in, and what is read from it.
 *
 *   offset 0     monocle__cover_header
 *   4096 ...     records, each a multiple of 8 bytes, up to header.used
 *
 * The file is at every instant a whole one: a record is written first and shown by a release store of `used`. So the
 * profiled process may be killed at any time, and a reader may come at any time. The counters of a method lie in its
 * record, and probes write them there; nothing has to be done at the end. Nothing moves. Everything is as the machine
 * has it (little-endian), and read by the same.
 *
 * Two kinds of counters: of hits, a byte which becomes 1; of executions, 32 bits which saturate when files are added
 * up, and wrap in a process. Executions have two arrays: the counters, and after them as many that say what they were
 * at the last reset, so that a reader takes counter - base (as 32 bits) and probes never lose an addition to a reset.
 * Hits are reset by an atomic exchange.
 *
 * The records that others name by a number come before those; numbers begin with 0 for each kind.
 */
#ifndef MONOCLE_BASE_COVER_FILE_H
#define MONOCLE_BASE_COVER_FILE_H

#include <stddef.h>
#include <stdint.h>

#define MONOCLE__COVER_MAGIC UINT64_C (0x5245564f43434e4d) /* "MNCCOVER" */

enum {
	MONOCLE__COVER_VERSION = 1,
	MONOCLE__COVER_HEADER = 4096,
};

enum monocle__cover_flags {
	MONOCLE__COVER_COUNTS = 1, /* counters are of executions, else of hits */
	MONOCLE__COVER_POLLED = 2, /* counters are copies that the process renews: ask before reading, see `request` */
	MONOCLE__COVER_JOINED = 4, /* made from other files; no process writes it */
};

enum monocle__cover_kind {
	MONOCLE__COVER_IMAGE = 1,
	MONOCLE__COVER_DOCUMENT,
	MONOCLE__COVER_TYPE,
	MONOCLE__COVER_METHOD,
};

/* What is missing from the file, counted by whoever finds out. */
enum monocle__cover_loss {
	MONOCLE__COVER_LOSS_SPACE,    /* methods that found no room */
	MONOCLE__COVER_LOSS_REFUSED,  /* methods whose body could not be given counters */
	MONOCLE__COVER_LOSS_SOURCES,  /* methods without sequence points that were wanted */
	MONOCLE__COVER_LOSS_CHANGED,  /* methods whose body changed after they got counters (hot reload, other tools) */
	MONOCLE__COVER_LOSS_SKIPPED,  /* images that were left out because none of their sources is here */
	MONOCLE__COVER_LOSS_COUNT = 8 /* room for more */
};

struct monocle__cover_header {
	uint64_t magic;
	uint32_t version;
	uint32_t flags; /* monocle__cover_flags */
	uint32_t pid;
	uint32_t counter_size;  /* 1 or 4 */
	uint64_t process_start; /* /proc/PID/stat field 22 */
	uint64_t realtime_ns;   /* when it was begun */
	uint64_t ended_ns;      /* CLOCK_REALTIME when a clean end was reached; 0: it was not */
	uint64_t used;          /* release; bytes of the file that are whole, this header included */
	uint64_t losses[MONOCLE__COVER_LOSS_COUNT];
	uint32_t request; /* POLLED: a reader adds 1 and waits until `answer` is as large: the counters were renewed then */
	uint32_t answer;  /* release */
	uint32_t reset;   /* how often the counters were reset */
	uint32_t processes; /* JOINED: how many files of processes it was made from */
	char boot_id[40];
	char runtime[256];    /* "CoreCLR 10.0.12" */
	char program[256];    /* without folder */
	char desc[1024];      /* cover:mode=hit,... */
	char arguments[1024]; /* of the program, as in /proc/PID/cmdline, cut */
	uint64_t left_out;    /* methods that source generators wrote; JOINED: the most of one file */
};

_Static_assert(sizeof (struct monocle__cover_header) <= MONOCLE__COVER_HEADER, "the header has a page");

/* What every record begins with. A reader steps over kinds that it does not know. */
struct monocle__cover_record {
	uint32_t size; /* bytes with this, padding, text and counters; a multiple of 8, never 0 */
	uint32_t kind;
};

/* An assembly's module. The text is its name, then its path; no NULs. */
struct monocle__cover_image {
	struct monocle__cover_record record;
	uint8_t mvid[16]; /* of its metadata: two images are one when they have the same */
	uint32_t name_length, path_length;
	char text[];
};

/* A source file. The text is its path as the symbols have it. */
struct monocle__cover_document {
	struct monocle__cover_record record;
	uint8_t hash[32];   /* of the source when it was compiled */
	uint32_t hash_size; /* 32: SHA-256, 20: SHA-1, 16: MD5; 0: unknown */
	uint32_t path_length;
	char text[];
};

/* A class. The text is its name with namespace, nested ones after a slash: "N.Outer`1/Inner". */
struct monocle__cover_type {
	struct monocle__cover_record record;
	uint32_t image; /* number of its record */
	uint32_t token;
	uint32_t name_length;
	uint32_t pad;
	char text[];
};

/* A place of the source that a person wrote. Ascending by il_offset within a method. */
struct monocle__cover_point {
	uint32_t il_offset;
	uint32_t document;
	uint32_t start_line, end_line;     /* end 0: unknown */
	uint16_t start_column, end_column; /* 0: unknown; the end is the column after the last one */
	uint32_t counter;                  /* index into the method's, several points may share one; and a flag */
};

/*
 * In a point's counter: nothing leads here, or only a method that is said not to return. Readers leave the point out
 * where it did not run. Files may disagree about it: another assembly has to be loaded to know.
 */
#define MONOCLE__COVER_POINT_BEYOND (UINT32_C (1) << 31)

/* A way out of a conditional branch or a switch. In the order of (il_offset, path). */
struct monocle__cover_arm {
	uint32_t il_offset;     /* of the branch */
	uint32_t target_offset; /* where this way leads */
	uint32_t point;         /* index of the point that the branch belongs to: the last one at or before it */
	uint32_t path;          /* 0: falls through (switch: no case); 1: jumps; switch: 1 + case */
	uint32_t counter;
	uint32_t flags; /* 1: of a switch */
};

enum { MONOCLE__COVER_ARM_SWITCH = 1 };

/*
 * A method, ran or not; one record for all instances of a generic one. Then points, arms, text (the name with
 * the types of its parameters, "Add (int,int)"), padding to 8, counters (for executions: and bases), padding to 8.
 */
struct monocle__cover_method {
	struct monocle__cover_record record;
	uint32_t type; /* number of its record */
	uint32_t token;
	uint32_t kickoff; /* token of the method that a person wrote whose body this is, or a part of it; 0: none */
	uint32_t flags;   /* monocle__cover_method_flags */
	uint32_t point_count, arm_count, counter_count, name_length;
	uint32_t counters; /* offset from the beginning of this record; a multiple of 8 */
	uint32_t pad;
};

enum monocle__cover_method_flags {
	MONOCLE__COVER_PROBED = 1, /* was compiled with counters; changes while the process runs. Else it did not run */
	MONOCLE__COVER_STATIC = 2,
	MONOCLE__COVER_CONSTRUCTOR = 4,
	MONOCLE__COVER_GETTER = 8,
	MONOCLE__COVER_SETTER = 16,
	MONOCLE__COVER_DISPUTED = 32, /* JOINED: files disagree about the body; counters of some were left out */
};

/* clang-format off */
#define AT(structure, field, offset) \
	_Static_assert(offsetof (struct structure, field) == (offset), #field " of a coverage file is elsewhere")
AT (monocle__cover_header, flags, 12);
AT (monocle__cover_header, counter_size, 20);
AT (monocle__cover_header, used, 48);
AT (monocle__cover_header, losses, 56);
AT (monocle__cover_header, request, 120);
AT (monocle__cover_header, boot_id, 136);
AT (monocle__cover_header, runtime, 176);
AT (monocle__cover_header, arguments, 1712);
AT (monocle__cover_header, left_out, 2736);
AT (monocle__cover_image, text, 32);
AT (monocle__cover_document, text, 48);
AT (monocle__cover_type, text, 24);
#undef AT
/* clang-format on */
_Static_assert(sizeof (struct monocle__cover_point) == 24, "points lie side by side");
_Static_assert(sizeof (struct monocle__cover_arm) == 24, "arms lie side by side");
_Static_assert(sizeof (struct monocle__cover_method) == 48, "points follow a method's record");

static inline uint64_t
monocle__cover_round (uint64_t size)
{
	return (size + 7) & ~UINT64_C (7);
}

/* Where things lie in a method's record. */
static inline uint64_t
monocle__cover_arms_at (const struct monocle__cover_method *m)
{
	return sizeof *m + (uint64_t) m->point_count * sizeof (struct monocle__cover_point);
}

static inline uint64_t
monocle__cover_name_at (const struct monocle__cover_method *m)
{
	return monocle__cover_arms_at (m) + (uint64_t) m->arm_count * sizeof (struct monocle__cover_arm);
}

static inline uint64_t
monocle__cover_counters_at (const struct monocle__cover_method *m)
{
	return monocle__cover_round (monocle__cover_name_at (m) + m->name_length);
}

/* Bytes of the counters, bases included. */
static inline uint64_t
monocle__cover_counters_size (const struct monocle__cover_method *m, uint32_t counter_size)
{
	return (uint64_t) m->counter_count * counter_size * (counter_size == 1 ? 1 : 2);
}

#endif
