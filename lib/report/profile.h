/*
 * SPDX-License-Identifier: MIT
 *
 * profile.h - a profile in memory: what pprof says, with names in place of ids.
 *
 * A profile is a list of samples; a sample is a stack of functions, leaf first, with one value per value type and
 * any number of labels. Everything that is reported is a sum over samples. All strings are valid UTF-8 without NUL and
 * belong to the profile. Not thread safe. Functions that add answer false, or SIZE_MAX, when memory is exhausted.
 */
#ifndef MONOCLE_REPORT_PROFILE_H
#define MONOCLE_REPORT_PROFILE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

typedef struct {
	const char *type; /* "calls", "self", "samples", "alloc_space" */
	const char *unit; /* "count", "nanoseconds", "bytes" */
} monocle__value_type;

typedef struct {
	const char *name;        /* Mono's full name */
	const char *system_name; /* what a linker would call it; may be "" */
	const char *filename;    /* of its image where Monocle wrote it, else its source; "" when unknown */
	int64_t line;            /* where it begins in its source, 0 when unknown */
	const char *image;       /* the path of the file with its code; NULL when unknown */
	const char *source;      /* the path of its source, as its compiler knew it; NULL when unknown */
	uint8_t origin;          /* 1 + the monocle__origin that a view found; 0: by its name and image */
	bool is_package;         /* its image lies beside the program but is none of its own: a package brought it along */
} monocle__function;

/* Where a frame was in its function. */
typedef struct {
	const char *build_id; /* of the function's image, as lib/base/origin-fields.h has it; NULL: not known */
	uint64_t address;     /* with a build id as that header has it; 0: not known */
	int64_t line;         /* in the function's source; 0: not known */
} monocle__place;

typedef struct {
	const char *key;
	const char *text; /* NULL: the label is a number */
	int64_t number;
	const char *unit; /* of the number, may be "" */
} monocle__label;

typedef struct {
	size_t frames; /* index of the leaf in monocle__profile.frames */
	size_t depth;
	size_t hidden; /* frames that a view took out, in any order, behind the others; they count in totals */
	size_t labels; /* index in monocle__profile.labels */
	size_t label_count;
} monocle__sample;

/* A call that took longer than the threshold that calls was given. Texts are "" where they are not known. */
typedef struct {
	int64_t start, duration; /* nanoseconds; start: since the profile began */
	int64_t thread;          /* the kernel's number; 0: not known */
	const char *thread_name;
	unsigned end;          /* monocle_kit_end, or a later writer's */
	size_t frames, depth;  /* in monocle__profile.frames: the method, then its callers */
	const char *arguments; /* as they are shown, in parentheses */
	const char *result;
} monocle__slow_call;

typedef struct monocle__text_block monocle__text_block;

typedef struct {
	monocle__value_type *value_types;
	size_t value_count, value_type_capacity;
	monocle__function *functions;
	size_t function_count, function_capacity;
	monocle__sample *samples;
	size_t sample_count, sample_capacity;
	int64_t *values; /* sample_count rows of value_count */
	size_t value_capacity;
	uint32_t *frames; /* indices into functions */
	size_t frame_count, frame_capacity;
	monocle__place *places; /* the first one is nowhere */
	size_t place_count, place_capacity;
	uint32_t *frame_places; /* by frame: index in places; frames behind the last one are nowhere */
	size_t frame_place_count, frame_place_capacity;
	monocle__label *labels;
	size_t label_count, label_capacity;
	monocle__slow_call *slow_calls; /* the longest first */
	size_t slow_call_count, slow_call_capacity;
	const char **comments;
	size_t comment_count, comment_capacity;
	const char *default_type;           /* a value type's name, or NULL */
	const char *incomplete;             /* why it is less than the file was meant to hold; NULL: it is all of it */
	int64_t time_nanos, duration_nanos; /* since 1970; 0 when unknown */
	monocle__value_type period_type;    /* what is between two samples; NULL when unknown */
	int64_t period;                     /* and how much of it */
	monocle__text_block *text;          /* the strings */
	uint32_t *function_slots;           /* hash table over functions: index + 1, 0 is free */
	size_t function_slot_count;
	size_t allowance; /* bytes that it may still grow by */
	bool refused;     /* it would have grown by more */
} monocle__profile;

/* `allowance`: how many bytes may be added to it. SIZE_MAX: any number. */
monocle__profile *monocle__profile_new (size_t allowance);
void monocle__profile_free (monocle__profile *profile);

/*
 * Takes `bytes` out of the allowance: what a reader keeps beside the profile counts too. false: there are not so many
 * left, which counts as exhausted memory. What is added to a profile is taken by the functions that add.
 */
bool monocle__profile_take (monocle__profile *profile, size_t bytes);
/* Why there is no memory: none was left, or the allowance is used up. `profile` may be NULL. */
const char *monocle__profile_no_memory (const monocle__profile *profile);

/* Copies `length` bytes; what is not UTF-8 becomes U+FFFD, a NUL too. NULL: out of memory. */
const char *monocle__profile_text (monocle__profile *profile, const char *bytes, size_t length);
/* Gives back the newest text, which nothing uses. */
void monocle__profile_text_drop (monocle__profile *profile, const char *text);

/*
 * All value types are added before the first sample. The strings are the profile's own (monocle__profile_text ()) or
 * static.
 */
bool monocle__profile_add_value_type (monocle__profile *profile, const char *type, const char *unit);
bool monocle__profile_add_comment (monocle__profile *profile, const char *comment);
/* The profile is not all of the file: a comment says so, too. `why` is copied. */
bool monocle__profile_set_incomplete (monocle__profile *profile, const char *why);
/* The index of the function; one with the same name and file name is the same function. SIZE_MAX: out of memory. */
size_t monocle__profile_add_function (monocle__profile *profile, const monocle__function *function);
/* The index of the function with the same name and file name; SIZE_MAX: there is none. */
size_t monocle__profile_find_function (const monocle__profile *profile, const monocle__function *function);
/* `frames` leaf first, `values` one per value type; both are copied. */
bool monocle__profile_add_sample (monocle__profile *profile, const uint32_t *frames, size_t depth,
                                  const int64_t *values);
/* Frames of the newest sample that its stack does not show. */
bool monocle__profile_hide_frames (monocle__profile *profile, const uint32_t *frames, size_t count);
/* `frames`: the method first, then its callers; `call->depth` of them. The texts are the profile's own or static. */
bool monocle__profile_add_slow_call (monocle__profile *profile, const monocle__slow_call *call, const uint32_t *frames);
/* The index of the place, never 0; UINT32_MAX: out of memory. The build id is the profile's own or static. */
uint32_t monocle__profile_add_place (monocle__profile *profile, const monocle__place *place);
/* Of the newest sample's frames, hidden ones too: where they were, by index; `count` of them. */
bool monocle__profile_set_places (monocle__profile *profile, const uint32_t *places, size_t count);
/* To the newest sample. */
bool monocle__profile_add_label (monocle__profile *profile, const monocle__label *label);

/* The index of where a frame was; 0: it is not known. */
static inline uint32_t
monocle__profile_place_index (const monocle__profile *profile, size_t frame)
{
	return frame < profile->frame_place_count ? profile->frame_places[frame] : 0;
}

/* NULL: it is not known. */
static inline const monocle__place *
monocle__profile_place (const monocle__profile *profile, size_t frame)
{
	uint32_t index = monocle__profile_place_index (profile, frame);
	return index ? &profile->places[index] : NULL;
}

/* What other programs know as a function's file. */
static inline const char *
monocle__function_file (const monocle__function *function)
{
	return function->source ? function->source : function->filename;
}

static inline const int64_t *
monocle__profile_values (const monocle__profile *profile, size_t sample)
{
	return profile->values + sample * profile->value_count;
}

/* The index of the value type with this name, or SIZE_MAX. */
size_t monocle__profile_find_value (const monocle__profile *profile, const char *type);
/*
 * The value that a report is about: what the profile names as its default unless that is a bare count of calls, else
 * the last one that is not zero throughout, else the first.
 */
size_t monocle__profile_main_value (const monocle__profile *profile);
/* The sum over all samples. */
int64_t monocle__profile_sum (const monocle__profile *profile, size_t value);

/* Sums of a hostile file saturate instead of overflowing. */
static inline int64_t
monocle__add (int64_t a, int64_t b)
{
	int64_t sum;
	if (__builtin_add_overflow (a, b, &sum))
		return a < 0 ? INT64_MIN : INT64_MAX;
	return sum;
}

/* The nearest whole number; what is too large saturates. */
static inline int64_t
monocle__round (double number)
{
	if (number >= 9.2e18)
		return INT64_MAX;
	return number <= -9.2e18 ? INT64_MIN : (int64_t) (number < 0 ? number - 0.5 : number + 0.5);
}

#endif
