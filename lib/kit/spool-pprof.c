/*
 * SPDX-License-Identifier: MIT
 *
 * spool-pprof.c - writes profile.proto, gzip around it.
 *
 * A method is one function, with a location for each place in it that was seen; an image is one mapping. Lines are
 * found later, by whoever reads the file, in the symbols of the image that the mapping's build id names: a location's
 * address is the method's token and the IL offset (origin-fields.h). system_name is IMAGE!NAME and not NAME, because
 * `pprof -top` demangles names that equal their system name as C++ and loses the <T> of generic methods.
 */
#include "spool-pprof.h"

#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <monocle/kit.h>

#include "cmdline.h"
#include "image-origin.h"
#include "origin-fields.h"
#include "path.h"
#include "slow.h"
#include "slow-fields.h"
#include "spool-name.h"
#include "thread-state.h"
#include "utf8.h"
#include "wire.h"

#define NONE UINT32_MAX

/* Paths are so alike that the fastest level's file is only a sixth larger than the usual one's; a program waits. */
enum { COMPRESSION = 1 };

/* Field numbers of profile.proto. */
enum profile_field {
	PROFILE_SAMPLE_TYPE = 1,
	PROFILE_SAMPLE = 2,
	PROFILE_MAPPING = 3,
	PROFILE_LOCATION = 4,
	PROFILE_FUNCTION = 5,
	PROFILE_STRING = 6,
	PROFILE_TIME = 9,
	PROFILE_DURATION = 10,
	PROFILE_PERIOD_TYPE = 11,
	PROFILE_PERIOD = 12,
	PROFILE_COMMENT = 13,
	PROFILE_DEFAULT_TYPE = 14,
};
enum { VALUE_TYPE = 1, VALUE_UNIT = 2 };
enum { SAMPLE_LOCATION = 1, SAMPLE_VALUE = 2, SAMPLE_LABEL = 3 };
enum { LABEL_KEY = 1, LABEL_STRING = 2 };
enum {
	MAPPING_ID = 1,
	MAPPING_FILE = 5,
	MAPPING_BUILD_ID = 6,
	MAPPING_HAS_FUNCTIONS = 7,
	MAPPING_HAS_FILES = 8,
	MAPPING_HAS_LINES = 9
};
enum { LOCATION_ID = 1, LOCATION_MAPPING = 2, LOCATION_ADDRESS = 3, LOCATION_LINE = 4 };
enum { LINE_FUNCTION = 1 };
enum { FUNCTION_ID = 1, FUNCTION_NAME = 2, FUNCTION_SYSTEM_NAME = 3, FUNCTION_FILE = 4 };

/* Strings that every profile has, in this order; their numbers. */
enum fixed_string {
	STRING_EMPTY,
	STRING_THREAD,
	STRING_TYPES, /* type and unit of each value */
	FIXED_STRINGS = STRING_TYPES + 4
};

enum { WORDS_MOST = 64 };

/* Of a path, what each of its stack's samples looks at: a large profile's fit into a processor's cache. */
struct frame {
	uint32_t parent, function;
};

struct encoder {
	const struct monocle__spool_view *view;
	const struct monocle__call_paths *paths;
	const struct monocle__slow_calls *slow;
	struct frame *frames;                        /* by path */
	uint32_t value_count;                        /* without times that cannot be told */
	const struct monocle__function **identities; /* by image: one of its methods that says what it is; NULL: none */
	monocle__wire wire;
	monocle__wire_bytes strings; /* the string table's fields, put out last */
	monocle__wire_bytes clean;   /* a string whose bytes were not UTF-8 */
	uint64_t string_count;
	struct { /* strings of labels that are added once; the texts are constants */
		const char *text;
		uint64_t string;
	} words[WORDS_MOST];
	uint32_t word_count;
};

/* --- strings ------------------------------------------------------------------------------------------------------ */

/*
 * Protobuf strings are UTF-8, and readers that check refuse the whole file. Names come from metadata, file names and
 * command lines, which may hold any bytes, and what was cut short may end inside a character: each such byte becomes
 * U+FFFD.
 */
static uint64_t
add_string (struct encoder *encoder, const char *text, size_t length)
{
	monocle__wire *wire = &encoder->wire;
	size_t good = monocle__utf8_valid (text, length), step;
	uint32_t code;
	if (good == length) {
		monocle__wire_put_block (wire, &encoder->strings, PROFILE_STRING, text, length);
		return encoder->string_count++;
	}
	encoder->clean.length = 0;
	for (size_t at = 0; at < length; at += step) {
		char bytes[4];
		step = monocle__utf8_decode (text + at, length - at, &code);
		monocle__wire_put (wire, &encoder->clean, bytes, monocle__utf8_encode (code, bytes));
	}
	monocle__wire_put_block (wire, &encoder->strings, PROFILE_STRING, encoder->clean.data, encoder->clean.length);
	return encoder->string_count++;
}

static uint64_t
add_words (struct encoder *encoder, const char *text)
{
	for (uint32_t i = 0; i < encoder->word_count; i++)
		if (encoder->words[i].text == text)
			return encoder->words[i].string;
	uint64_t string = add_string (encoder, text, strlen (text));
	if (encoder->word_count < WORDS_MOST) {
		encoder->words[encoder->word_count].text = text;
		encoder->words[encoder->word_count++].string = string;
	}
	return string;
}

/* --- parts -------------------------------------------------------------------------------------------------------- */

static void
add_fixed_strings (struct encoder *encoder)
{
	const struct monocle__value_name *values = encoder->view->header->values;
	const char *texts[FIXED_STRINGS] = { "", "thread", values[0].type, values[0].unit, values[1].type, values[1].unit };
	for (int i = 0; i < FIXED_STRINGS; i++)
		add_string (encoder, texts[i], strlen (texts[i]));
}

static void
write_type (struct encoder *encoder, uint32_t field, uint32_t value)
{
	monocle__wire *wire = &encoder->wire;
	monocle__wire_put_number (wire, &wire->message, VALUE_TYPE, STRING_TYPES + 2 * value);
	monocle__wire_put_number (wire, &wire->message, VALUE_UNIT, STRING_TYPES + 2 * value + 1);
	monocle__wire_end_message (wire, field);
}

static uint64_t
second_value (const struct encoder *encoder, const struct monocle__path *path)
{
	if (encoder->view->header->flags & (MONOCLE__SPOOL_STACKS | MONOCLE__SPOOL_CPU))
		return path->self < INT64_MAX ? path->self : INT64_MAX;
	return monocle__spool_view_ns (encoder->view, path->self);
}

static void
write_label (struct encoder *encoder, uint64_t key, uint64_t text)
{
	monocle__wire *wire = &encoder->wire;
	monocle__wire_put_number (wire, &wire->part, LABEL_KEY, key);
	monocle__wire_put_number (wire, &wire->part, LABEL_STRING, text);
	monocle__wire_end_part (wire, SAMPLE_LABEL);
}

static void
write_state (struct encoder *encoder, const struct monocle__path *path)
{
	static const char key[] = "state";
	if (encoder->paths->labels[path->label].state)
		write_label (encoder, add_words (encoder, key),
		             add_words (encoder, monocle__thread_state_words (encoder->paths, path)));
}

static void
write_sample (struct encoder *encoder, const struct monocle__path *path, uint64_t first_label)
{
	monocle__wire *wire = &encoder->wire;
	const struct frame *frames = encoder->frames;
	for (uint32_t frame = (uint32_t) (path - encoder->paths->paths); frame != NONE; frame = frames[frame].parent)
		monocle__wire_put_varint (wire, &wire->part, (uint64_t) frames[frame].function + 1);
	monocle__wire_end_part (wire, SAMPLE_LOCATION);
	monocle__wire_put_varint (wire, &wire->part, path->calls);
	if (encoder->value_count > 1)
		monocle__wire_put_varint (wire, &wire->part, second_value (encoder, path));
	monocle__wire_end_part (wire, SAMPLE_VALUE);
	if (path->label != NONE) {
		write_label (encoder, STRING_THREAD, first_label + path->label);
		write_state (encoder, path);
	}
	monocle__wire_end_message (wire, PROFILE_SAMPLE);
}

static void
write_samples (struct encoder *encoder)
{
	uint64_t first_label = encoder->string_count;
	for (uint32_t i = 0; i < encoder->paths->label_count; i++) {
		const char *text = encoder->paths->labels[i].text;
		add_string (encoder, text, strlen (text));
	}
	for (uint32_t i = 0; i < encoder->paths->path_count && !encoder->wire.failed; i++) {
		const struct monocle__path *path = &encoder->paths->paths[i];
		if (path->calls || path->self)
			write_sample (encoder, path, first_label);
	}
}

/* --- slow calls --------------------------------------------------------------------------------------------------- */

static void
write_text (struct encoder *encoder, uint32_t field, const char *text, size_t length)
{
	monocle__wire *wire = &encoder->wire;
	if (length)
		monocle__wire_put_number (wire, &wire->message, field, add_string (encoder, text, length));
}

static void
write_slow_call (struct encoder *encoder, const struct monocle__slow_call *call)
{
	const struct monocle__spool_view *view = encoder->view;
	const struct monocle__call_paths *paths = encoder->paths;
	monocle__wire *wire = &encoder->wire;
	uint32_t path = call->node < paths->node_count ? paths->node_paths[call->node] : NONE;
	uint64_t first = view->header->pairs[0].ticks;
	if (path == NONE)
		return;
	for (; path != NONE; path = paths->paths[path].parent)
		monocle__wire_put_varint (wire, &wire->part, (uint64_t) paths->paths[path].function + 1);
	monocle__wire_end_part (wire, MONOCLE__SLOW_LOCATION);
	monocle__wire_put_number (wire, &wire->message, MONOCLE__SLOW_START,
	                          call->start > first ? monocle__spool_view_ns (view, call->start - first) : 0);
	monocle__wire_put_number (wire, &wire->message, MONOCLE__SLOW_DURATION,
	                          monocle__spool_view_ns (view, call->length));
	monocle__wire_put_number (wire, &wire->message, MONOCLE__SLOW_THREAD, call->tid);
	monocle__wire_put_number (wire, &wire->message, MONOCLE__SLOW_END, call->end);
	write_text (encoder, MONOCLE__SLOW_THREAD_NAME, call->name, call->name_length);
	write_text (encoder, MONOCLE__SLOW_ARGUMENTS, call->arguments, call->arguments_length);
	write_text (encoder, MONOCLE__SLOW_RESULT, call->result, call->result_length);
	monocle__wire_end_message (wire, MONOCLE__PROFILE_SLOW_CALL);
}

static void
write_slow_calls (struct encoder *encoder)
{
	for (uint32_t i = 0; i < encoder->slow->count && !encoder->wire.failed; i++)
		write_slow_call (encoder, &encoder->slow->calls[i]);
}

/* --- functions ---------------------------------------------------------------------------------------------------- */

static void
write_function (struct encoder *encoder, uint32_t index)
{
	monocle__wire *wire = &encoder->wire;
	const struct monocle__function *function = &encoder->paths->functions[index];
	const char *file = function->image;
	size_t file_length = function->image_length;
	const char *slash = memrchr (file, '/', file_length);
	if (slash) {
		file_length -= (size_t) (slash + 1 - file);
		file = slash + 1;
	}
	wire->part.length = 0;
	monocle__wire_put (wire, &wire->part, file, file_length);
	monocle__wire_put (wire, &wire->part, "!", 1);
	monocle__wire_put (wire, &wire->part, function->name, function->name_length);
	if (wire->failed)
		return;
	uint64_t system_name = add_string (encoder, (char *) wire->part.data, wire->part.length);
	wire->part.length = 0;
	monocle__wire_put_number (wire, &wire->message, FUNCTION_ID, (uint64_t) index + 1);
	monocle__wire_put_number (wire, &wire->message, FUNCTION_NAME,
	                          add_string (encoder, function->name, function->name_length));
	monocle__wire_put_number (wire, &wire->message, FUNCTION_SYSTEM_NAME, system_name);
	if (file_length)
		monocle__wire_put_number (wire, &wire->message, FUNCTION_FILE, add_string (encoder, file, file_length));
	monocle__wire_end_message (wire, PROFILE_FUNCTION);
}

/* The first function of the image that says what it is; NULL: none does. */
static const struct monocle__function *
identity_of (const struct encoder *encoder, uint32_t image)
{
	const struct monocle__call_paths *paths = encoder->paths;
	uint32_t end = image + 1 < paths->image_count ? paths->images[image + 1] : paths->function_count;
	for (uint32_t i = paths->images[image]; i < end; i++)
		if (paths->functions[i].origin.token)
			return &paths->functions[i];
	return NULL;
}

/* 0: not known, or not of the image that the mapping is. */
static uint64_t
address_of (const struct encoder *encoder, const struct monocle__function *function)
{
	const struct monocle__function *identity = encoder->identities[function->image_index];
	const struct monocle__origin *origin = &function->origin;
	if (!identity || !origin->token || memcmp (origin->mvid, identity->origin.mvid, sizeof origin->mvid))
		return 0;
	return monocle__origin_address (origin->token, origin->il_offset);
}

/* `method`: the first function of the same method. */
static void
write_location (struct encoder *encoder, uint32_t index, uint32_t method)
{
	monocle__wire *wire = &encoder->wire;
	const struct monocle__function *function = &encoder->paths->functions[index];
	uint64_t address = address_of (encoder, function);
	monocle__wire_put_number (wire, &wire->message, LOCATION_ID, (uint64_t) index + 1);
	monocle__wire_put_number (wire, &wire->message, LOCATION_MAPPING, (uint64_t) function->image_index + 1);
	if (address)
		monocle__wire_put_number (wire, &wire->message, LOCATION_ADDRESS, address);
	monocle__wire_put_number (wire, &wire->part, LINE_FUNCTION, (uint64_t) method + 1);
	monocle__wire_end_part (wire, LOCATION_LINE);
	monocle__wire_end_message (wire, PROFILE_LOCATION);
}

/* As identity says it: readers look for the symbols of that image. */
static void
write_build_id (struct encoder *encoder, const struct monocle__function *identity)
{
	monocle__wire *wire = &encoder->wire;
	char text[MONOCLE__BUILD_ID_SIZE];
	monocle__origin_build_id (identity->origin.mvid, text);
	monocle__wire_put_number (wire, &wire->message, MAPPING_BUILD_ID, add_string (encoder, text, strlen (text)));
	monocle__wire_put_number (wire, &wire->message, MAPPING_HAS_FILES, 1);
	monocle__wire_put_number (wire, &wire->message, MAPPING_HAS_LINES, 1);
}

static void
write_mapping (struct encoder *encoder, uint32_t index)
{
	monocle__wire *wire = &encoder->wire;
	const struct monocle__function *function = &encoder->paths->functions[encoder->paths->images[index]];
	monocle__wire_put_number (wire, &wire->message, MAPPING_ID, (uint64_t) index + 1);
	if (function->image_length)
		monocle__wire_put_number (wire, &wire->message, MAPPING_FILE,
		                          add_string (encoder, function->image, function->image_length));
	monocle__wire_put_number (wire, &wire->message, MAPPING_HAS_FUNCTIONS, 1);
	if ((encoder->identities[index] = identity_of (encoder, index)))
		write_build_id (encoder, encoder->identities[index]);
	monocle__wire_end_message (wire, PROFILE_MAPPING);
}

/* --- comments ----------------------------------------------------------------------------------------------------- */

/* What each count of losses means to a reader of the profile. */
/* clang-format off */
static const char *const loss_texts[MONOCLE__LOSS_COUNT] = {
	[MONOCLE__LOSS_NESTED]     = "events inside another event of the same thread (signal handlers) are missing",
	[MONOCLE__LOSS_SPACE]      = "calls are missing: there was no room for the profile",
	[MONOCLE__LOSS_THREADS]    = "events of threads are missing: there was no room for the thread",
	[MONOCLE__LOSS_UNBALANCED] = "calls ended without telling and were ended by their callers",
	[MONOCLE__LOSS_UNMATCHED]  = "leaves had no enter and were ignored",
	[MONOCLE__LOSS_NAMES]      = "methods could not be named",
	[MONOCLE__LOSS_STACKS]     = "stacks are missing: they came faster than they could be counted",
	[MONOCLE__LOSS_UNWATCHED]  = "calls were too deep to be compared with the threshold",
	[MONOCLE__LOSS_SLOW]       = "slow calls are not listed: there was no room",
};
/* clang-format on */

static __attribute__ ((format (printf, 2, 3))) void
add_comment (struct encoder *encoder, const char *format, ...)
{
	monocle__wire *wire = &encoder->wire;
	char text[2304];
	va_list arguments;
	va_start (arguments, format);
	int length = vsnprintf (text, sizeof text, format, arguments);
	va_end (arguments);
	if (length < 0)
		return;
	if ((size_t) length >= sizeof text)
		length = sizeof text - 1;
	monocle__wire_put_varint (wire, &wire->message, PROFILE_COMMENT << 3);
	monocle__wire_put_varint (wire, &wire->message, add_string (encoder, text, (size_t) length));
}

/* How many calls were slow, and how many of them are listed. */
static void
add_slow_comment (struct encoder *encoder)
{
	const struct monocle__spool_header *header = encoder->view->header;
	uint64_t count = __atomic_load_n (&header->slow_count, __ATOMIC_RELAXED);
	if (!header->threshold_ns)
		return;
	count += encoder->slow->unfinished;
	add_comment (encoder, "slow: %llu call%s took %g ms or more; %s%u of them, the longest, with report --slow",
	             (unsigned long long) count, count == 1 ? "" : "s", (double) header->threshold_ns / 1e6,
	             encoder->slow->count < count ? "only " : "", encoder->slow->count);
}

/*
 * Which of the program's libraries are packages is known where the program is. Whoever reads the profile elsewhere has
 * nothing but paths, and packages lie beside the program.
 */
static void
add_package (struct encoder *encoder, const struct monocle__function *function)
{
	char path[PATH_MAX];
	const char *name;
	if (!function->image_length || function->image_length >= sizeof path)
		return;
	memcpy (path, function->image, function->image_length);
	path[function->image_length] = '\0';
	name = monocle__path_base_name (path);
	if (monocle__cmdline_is_assembly (name) && !monocle__image_origin_is_foreign_path (path) &&
	    !monocle__image_origin_is_foreign_name (name) && !monocle_kit_image_is_own (path))
		add_comment (encoder, "%s%s", MONOCLE__SPOOL_PACKAGE, name);
}

static void
add_packages (struct encoder *encoder)
{
	const struct monocle__call_paths *paths = encoder->paths;
	for (uint32_t i = 0; i < paths->image_count && !encoder->wire.failed; i++)
		add_package (encoder, &paths->functions[paths->images[i]]);
}

/* How much of what the profile counts is in [other paths], and why. */
static void
add_fold_comment (struct encoder *encoder, const char *reason, int length)
{
	const struct monocle__spool_header *header = encoder->view->header;
	const char *what = "";
	uint64_t count = 0;
	for (uint32_t i = 0; i < header->value_count; i++)
		if (!strcmp (header->values[i].unit, "count")) {
			count += encoder->paths->folded[i];
			what = header->values[i].type;
		}
	if (count)
		add_comment (encoder, "folded: %llu %s are shown in " MONOCLE__SPOOL_OTHER ": %.*s", (unsigned long long) count,
		             what, length, reason);
}

static void
add_note (struct encoder *encoder, const struct monocle__note *note)
{
	static const char folded[] = MONOCLE__NOTE_FOLDED ": ";
	uint32_t length = __atomic_load_n (&note->length, __ATOMIC_ACQUIRE), key = sizeof folded - 1;
	if (!length || length > sizeof note->text)
		return;
	if (length > key && !memcmp (note->text, folded, key))
		add_fold_comment (encoder, note->text + key, (int) (length - key));
	else
		add_comment (encoder, "%.*s", (int) length, note->text);
}

static void
add_comments (struct encoder *encoder)
{
	const struct monocle__spool_header *header = encoder->view->header;
	add_comment (encoder, "desc: %s", header->desc);
	add_comment (encoder, "version: monocle %s", MONOCLE_VERSION);
	if (*header->runtime)
		add_comment (encoder, "runtime: %s", header->runtime);
	add_comment (encoder, "program: %s, pid %u, on %s", header->program, header->pid, header->host);
	for (int i = 0; i < MONOCLE__NOTE_COUNT; i++)
		add_note (encoder, &header->notes[i]);
	add_packages (encoder);
	add_slow_comment (encoder);
	if (!header->ended && monocle__spool_view_is_alive (encoder->view))
		add_comment (encoder, "%s", MONOCLE__SPOOL_RUNNING);
	else if (!header->ended)
		add_comment (encoder, "%s", MONOCLE__SPOOL_DIED);
	if (encoder->value_count < header->value_count)
		add_comment (encoder, "times: left out, the clock's rate is not known");
	for (int loss = 0; loss < MONOCLE__LOSS_COUNT; loss++) {
		uint64_t count = __atomic_load_n (&header->losses[loss], __ATOMIC_RELAXED);
		bool is_none = loss == MONOCLE__LOSS_UNMATCHED && header->flags & MONOCLE__SPOOL_LATE;
		if (count && !is_none)
			add_comment (encoder, "lost: %llu %s", (unsigned long long) count, loss_texts[loss]);
	}
}

static void
write_rest (struct encoder *encoder)
{
	monocle__wire *wire = &encoder->wire;
	const struct monocle__spool_view *view = encoder->view;
	write_type (encoder, PROFILE_PERIOD_TYPE, view->header->period_value);
	add_comments (encoder);
	monocle__wire_put_number (wire, &wire->message, PROFILE_TIME, view->header->realtime_ns);
	monocle__wire_put_number (wire, &wire->message, PROFILE_DURATION, view->duration_ns);
	monocle__wire_put_number (wire, &wire->message, PROFILE_PERIOD, view->header->period);
	monocle__wire_put_number (wire, &wire->message, PROFILE_DEFAULT_TYPE,
	                          STRING_TYPES + 2 * (encoder->value_count - 1));
	monocle__wire_compress (wire, &wire->message);
}

static void
write_profile (struct encoder *encoder)
{
	const struct monocle__call_paths *paths = encoder->paths;
	add_fixed_strings (encoder);
	for (uint32_t i = 0; i < encoder->value_count; i++)
		write_type (encoder, PROFILE_SAMPLE_TYPE, i);
	write_samples (encoder);
	write_slow_calls (encoder);
	for (uint32_t i = 0; i < paths->image_count && !encoder->wire.failed; i++)
		write_mapping (encoder, i);
	for (uint32_t i = 0, method = 0; i < paths->function_count && !encoder->wire.failed; i++) {
		if (i == 0 || !monocle__call_paths_same_method (&paths->functions[i], &paths->functions[method]))
			write_function (encoder, method = i);
		write_location (encoder, i, method);
	}
	write_rest (encoder);
	monocle__wire_compress (&encoder->wire, &encoder->strings);
	monocle__wire_finish (&encoder->wire);
}

static struct frame *
make_frames (const struct monocle__call_paths *paths)
{
	struct frame *frames = malloc ((paths->path_count + 1) * sizeof *frames);
	for (uint32_t i = 0; frames && i < paths->path_count; i++)
		frames[i] = (struct frame) { paths->paths[i].parent, paths->paths[i].function };
	return frames;
}

int
monocle__spool_pprof_write (const struct monocle__spool_view *view, void **ret_data, size_t *ret_length)
{
	struct monocle__call_paths paths;
	struct monocle__slow_calls slow;
	struct encoder encoder = { .view = view, .paths = &paths, .slow = &slow };
	int error = monocle__call_paths_init (&paths, view);
	if (error)
		return error;
	error = monocle__slow_calls_init (&slow, view);
	if (error) {
		monocle__call_paths_done (&paths);
		return error;
	}
	encoder.value_count = view->header->value_count;
	if (!(view->header->flags & (MONOCLE__SPOOL_STACKS | MONOCLE__SPOOL_CPU)) && view->rate <= 0)
		encoder.value_count = 1;
	encoder.identities = calloc (paths.image_count + 1, sizeof *encoder.identities);
	encoder.frames = make_frames (&paths);
	if (monocle__wire_init (&encoder.wire, COMPRESSION) && encoder.identities && encoder.frames)
		write_profile (&encoder);
	else
		encoder.wire.failed = true;
	monocle__wire_done (&encoder.wire);
	free ((void *) encoder.identities);
	free (encoder.frames);
	free (encoder.strings.data);
	free (encoder.clean.data);
	monocle__slow_calls_done (&slow);
	monocle__call_paths_done (&paths);
	if (encoder.wire.failed) {
		free (encoder.wire.out.data);
		return -ENOMEM;
	}
	*ret_data = encoder.wire.out.data;
	*ret_length = encoder.wire.out.length;
	return 0;
}
