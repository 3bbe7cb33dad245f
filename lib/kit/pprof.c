/*
 * SPDX-License-Identifier: MIT
 *
 * pprof.c - writes profile.proto, gzip around it.
 *
 * Protobuf needs two things only: varints, and messages that follow their length. A message is built in `message`,
 * then goes with its length into the deflate stream, so that a large profile is never in memory uncompressed.
 *
 * A function has one location of the same number, an image one mapping. system_name is IMAGE!NAME and not NAME, because
 * `pprof -top` demangles names that equal their system name as C++ and loses the <T> of generic methods.
 */
#include "pprof.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <zlib.h>

#define NONE UINT32_MAX

/* Paths are so alike that the fastest level's file is only a sixth larger than the usual one's; a program waits. */
enum { CHUNK = 64 << 10, GZIP_WINDOW = 15 + 16, COMPRESSION = 1 };

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
enum { MAPPING_ID = 1, MAPPING_FILE = 5, MAPPING_HAS_FUNCTIONS = 7 };
enum { LOCATION_ID = 1, LOCATION_MAPPING = 2, LOCATION_LINE = 4 };
enum { LINE_FUNCTION = 1 };
enum { FUNCTION_ID = 1, FUNCTION_NAME = 2, FUNCTION_SYSTEM_NAME = 3, FUNCTION_FILE = 4 };

/* Strings that every profile has, in this order; their numbers. */
enum fixed_string {
	STRING_EMPTY,
	STRING_THREAD,
	STRING_TYPES, /* type and unit of each value */
	FIXED_STRINGS = STRING_TYPES + 4
};

struct bytes {
	uint8_t *data;
	size_t length, room;
};

struct encoder {
	const struct monocle__spool_view *view;
	const struct monocle__call_paths *paths;
	uint32_t value_count; /* without times that cannot be told */
	bool failed;
	struct bytes out;     /* compressed */
	struct bytes message; /* the one being built */
	struct bytes inner;   /* a message inside it */
	struct bytes strings; /* the string table's fields, put out last */
	struct bytes clean;   /* a string whose bytes were not UTF-8 */
	uint64_t string_count;
	z_stream deflate;
};

/* --- bytes -------------------------------------------------------------------------------------------------------- */

static uint8_t *
make_room (struct encoder *encoder, struct bytes *bytes, size_t more)
{
	if (bytes->length + more > bytes->room) {
		size_t room = (bytes->room + more) * 2;
		uint8_t *data = realloc (bytes->data, room);
		if (!data) {
			encoder->failed = true;
			return NULL;
		}
		bytes->data = data;
		bytes->room = room;
	}
	return bytes->data + bytes->length;
}

static void
put_bytes (struct encoder *encoder, struct bytes *bytes, const void *data, size_t length)
{
	uint8_t *at = make_room (encoder, bytes, length + 1);
	if (!at)
		return;
	if (length)
		memcpy (at, data, length);
	bytes->length += length;
}

static void
put_varint (struct encoder *encoder, struct bytes *bytes, uint64_t value)
{
	uint8_t *at = make_room (encoder, bytes, 10), *start = at;
	if (!at)
		return;
	for (; value >= 0x80; value >>= 7)
		*at++ = (uint8_t) (value | 0x80);
	*at++ = (uint8_t) value;
	bytes->length += (size_t) (at - start);
}

/* A number; zero is what a reader assumes. */
static void
put_number (struct encoder *encoder, struct bytes *bytes, uint32_t field, uint64_t value)
{
	if (!value)
		return;
	put_varint (encoder, bytes, field << 3);
	put_varint (encoder, bytes, value);
}

static void
put_block (struct encoder *encoder, struct bytes *bytes, uint32_t field, const void *data, size_t length)
{
	put_varint (encoder, bytes, field << 3 | 2);
	put_varint (encoder, bytes, length);
	put_bytes (encoder, bytes, data, length);
}

/* The inner message is complete: into the outer one. */
static void
put_inner (struct encoder *encoder, uint32_t field)
{
	put_block (encoder, &encoder->message, field, encoder->inner.data, encoder->inner.length);
	encoder->inner.length = 0;
}

/* --- the stream --------------------------------------------------------------------------------------------------- */

static void
compress_bytes (struct encoder *encoder, const uint8_t *data, size_t length, int flush)
{
	z_stream *z = &encoder->deflate;
	int result = Z_OK;
	z->next_in = (uint8_t *) data;
	z->avail_in = (uInt) length;
	while (!encoder->failed && result == Z_OK && (z->avail_in || flush == Z_FINISH)) {
		z->next_out = make_room (encoder, &encoder->out, CHUNK);
		if (!z->next_out)
			return;
		z->avail_out = CHUNK;
		result = deflate (z, flush);
		encoder->out.length += CHUNK - z->avail_out;
	}
}

/* The message is complete: into the stream, as a field of the profile. */
static void
finish_message (struct encoder *encoder, uint32_t field)
{
	uint8_t head[20];
	struct bytes prefix = { head, 0, sizeof head };
	put_varint (encoder, &prefix, field << 3 | 2);
	put_varint (encoder, &prefix, encoder->message.length);
	compress_bytes (encoder, head, prefix.length, Z_NO_FLUSH);
	compress_bytes (encoder, encoder->message.data, encoder->message.length, Z_NO_FLUSH);
	encoder->message.length = 0;
}

/* Fields that are not messages are collected in `message` too, and go out as they are. */
static void
finish_plain (struct encoder *encoder)
{
	compress_bytes (encoder, encoder->message.data, encoder->message.length, Z_NO_FLUSH);
	encoder->message.length = 0;
}

/* --- strings ------------------------------------------------------------------------------------------------------ */

/*
 * How many bytes the character at `text` has; 0: what is there is none (Unicode, table 3-7). The second byte decides
 * about overlong forms, surrogates and what lies beyond the last code.
 */
static size_t
character_length (const uint8_t *text, size_t left)
{
	uint8_t lead = *text;
	size_t length = lead < 0x80 ? 1 : lead < 0xc2 ? 0 : lead < 0xe0 ? 2 : lead < 0xf0 ? 3 : lead < 0xf5 ? 4 : 0;
	if (length <= 1 || length > left)
		return length == 1;
	uint8_t least = lead == 0xe0 ? 0xa0 : lead == 0xf0 ? 0x90 : 0x80;
	uint8_t most = lead == 0xed ? 0x9f : lead == 0xf4 ? 0x8f : 0xbf;
	if (text[1] < least || text[1] > most)
		return 0;
	for (size_t i = 2; i < length; i++)
		if ((text[i] & 0xc0) != 0x80)
			return 0;
	return length;
}

/*
 * Protobuf strings are UTF-8, and readers that check refuse the whole file. Names come from metadata, file names and
 * command lines, which may hold any bytes, and what was cut short may end inside a character: each such byte becomes
 * U+FFFD.
 */
static uint64_t
add_string (struct encoder *encoder, const char *bytes, size_t length)
{
	const uint8_t *text = (const uint8_t *) bytes;
	size_t good = 0, step;
	while (good < length && (step = character_length (text + good, length - good)))
		good += step;
	if (good == length) {
		put_block (encoder, &encoder->strings, PROFILE_STRING, bytes, length);
		return encoder->string_count++;
	}
	encoder->clean.length = 0;
	for (size_t at = 0; at < length; at += step ? step : 1) {
		step = character_length (text + at, length - at);
		put_bytes (encoder, &encoder->clean, step ? bytes + at : "\xef\xbf\xbd", step ? step : 3);
	}
	if (!encoder->failed)
		put_block (encoder, &encoder->strings, PROFILE_STRING, encoder->clean.data, encoder->clean.length);
	return encoder->string_count++;
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
	put_number (encoder, &encoder->message, VALUE_TYPE, STRING_TYPES + 2 * value);
	put_number (encoder, &encoder->message, VALUE_UNIT, STRING_TYPES + 2 * value + 1);
	finish_message (encoder, field);
}

static uint64_t
second_value (const struct encoder *encoder, const struct monocle__path *path)
{
	if (encoder->view->header->flags & MONOCLE__SPOOL_STACKS)
		return path->self < INT64_MAX ? path->self : INT64_MAX;
	return monocle__spool_view_ns (encoder->view, path->self);
}

static void
write_sample (struct encoder *encoder, const struct monocle__path *path, uint64_t first_label)
{
	const struct monocle__path *paths = encoder->paths->paths;
	for (const struct monocle__path *frame = path;; frame = &paths[frame->parent]) {
		put_varint (encoder, &encoder->inner, (uint64_t) frame->function + 1);
		if (frame->parent == NONE)
			break;
	}
	put_inner (encoder, SAMPLE_LOCATION);
	put_varint (encoder, &encoder->inner, path->calls);
	if (encoder->value_count > 1)
		put_varint (encoder, &encoder->inner, second_value (encoder, path));
	put_inner (encoder, SAMPLE_VALUE);
	if (path->label != NONE) {
		put_number (encoder, &encoder->inner, LABEL_KEY, STRING_THREAD);
		put_number (encoder, &encoder->inner, LABEL_STRING, first_label + path->label);
		put_inner (encoder, SAMPLE_LABEL);
	}
	finish_message (encoder, PROFILE_SAMPLE);
}

static void
write_samples (struct encoder *encoder)
{
	uint64_t first_label = encoder->string_count;
	for (uint32_t i = 0; i < encoder->paths->label_count; i++) {
		const char *text = encoder->paths->labels[i].text;
		add_string (encoder, text, strlen (text));
	}
	for (uint32_t i = 0; i < encoder->paths->path_count && !encoder->failed; i++) {
		const struct monocle__path *path = &encoder->paths->paths[i];
		if (path->calls || path->self)
			write_sample (encoder, path, first_label);
	}
}

static void
write_function (struct encoder *encoder, uint32_t index)
{
	const struct monocle__function *function = &encoder->paths->functions[index];
	const char *file = function->image;
	size_t file_length = function->image_length;
	const char *slash = memrchr (file, '/', file_length);
	if (slash) {
		file_length -= (size_t) (slash + 1 - file);
		file = slash + 1;
	}
	encoder->inner.length = 0;
	put_bytes (encoder, &encoder->inner, file, file_length);
	put_bytes (encoder, &encoder->inner, "!", 1);
	put_bytes (encoder, &encoder->inner, function->name, function->name_length);
	if (encoder->failed)
		return;
	uint64_t system_name = add_string (encoder, (char *) encoder->inner.data, encoder->inner.length);
	encoder->inner.length = 0;
	put_number (encoder, &encoder->message, FUNCTION_ID, (uint64_t) index + 1);
	put_number (encoder, &encoder->message, FUNCTION_NAME, add_string (encoder, function->name, function->name_length));
	put_number (encoder, &encoder->message, FUNCTION_SYSTEM_NAME, system_name);
	if (file_length)
		put_number (encoder, &encoder->message, FUNCTION_FILE, add_string (encoder, file, file_length));
	finish_message (encoder, PROFILE_FUNCTION);
}

static void
write_location (struct encoder *encoder, uint32_t index)
{
	put_number (encoder, &encoder->message, LOCATION_ID, (uint64_t) index + 1);
	put_number (encoder, &encoder->message, LOCATION_MAPPING,
	            (uint64_t) encoder->paths->functions[index].image_index + 1);
	put_number (encoder, &encoder->inner, LINE_FUNCTION, (uint64_t) index + 1);
	put_inner (encoder, LOCATION_LINE);
	finish_message (encoder, PROFILE_LOCATION);
}

static void
write_mapping (struct encoder *encoder, uint32_t index)
{
	const struct monocle__function *function = &encoder->paths->functions[encoder->paths->images[index]];
	put_number (encoder, &encoder->message, MAPPING_ID, (uint64_t) index + 1);
	if (function->image_length)
		put_number (encoder, &encoder->message, MAPPING_FILE,
		            add_string (encoder, function->image, function->image_length));
	put_number (encoder, &encoder->message, MAPPING_HAS_FUNCTIONS, 1);
	finish_message (encoder, PROFILE_MAPPING);
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
};
/* clang-format on */

static __attribute__ ((format (printf, 2, 3))) void
add_comment (struct encoder *encoder, const char *format, ...)
{
	char text[2304];
	va_list arguments;
	va_start (arguments, format);
	int length = vsnprintf (text, sizeof text, format, arguments);
	va_end (arguments);
	if (length < 0)
		return;
	if ((size_t) length >= sizeof text)
		length = sizeof text - 1;
	put_varint (encoder, &encoder->message, PROFILE_COMMENT << 3);
	put_varint (encoder, &encoder->message, add_string (encoder, text, (size_t) length));
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
	for (int i = 0; i < MONOCLE__NOTE_COUNT; i++) {
		uint32_t length = __atomic_load_n (&header->notes[i].length, __ATOMIC_ACQUIRE);
		if (length && length <= sizeof header->notes[i].text)
			add_comment (encoder, "%.*s", (int) length, header->notes[i].text);
	}
	if (!header->ended)
		add_comment (encoder, "end: the process died; this was completed from its spool");
	if (encoder->value_count < header->value_count)
		add_comment (encoder, "times: left out, the clock's rate is not known");
	for (int loss = 0; loss < MONOCLE__LOSS_COUNT; loss++) {
		uint64_t count = __atomic_load_n (&header->losses[loss], __ATOMIC_RELAXED);
		if (count)
			add_comment (encoder, "lost: %llu %s", (unsigned long long) count, loss_texts[loss]);
	}
}

static void
write_rest (struct encoder *encoder)
{
	const struct monocle__spool_view *view = encoder->view;
	write_type (encoder, PROFILE_PERIOD_TYPE, view->header->period_value);
	add_comments (encoder);
	put_number (encoder, &encoder->message, PROFILE_TIME, view->header->realtime_ns);
	put_number (encoder, &encoder->message, PROFILE_DURATION, view->duration_ns);
	put_number (encoder, &encoder->message, PROFILE_PERIOD, view->header->period);
	put_number (encoder, &encoder->message, PROFILE_DEFAULT_TYPE, STRING_TYPES + 2 * (encoder->value_count - 1));
	finish_plain (encoder);
}

static void
write_profile (struct encoder *encoder)
{
	const struct monocle__call_paths *paths = encoder->paths;
	add_fixed_strings (encoder);
	for (uint32_t i = 0; i < encoder->value_count; i++)
		write_type (encoder, PROFILE_SAMPLE_TYPE, i);
	write_samples (encoder);
	for (uint32_t i = 0; i < paths->image_count && !encoder->failed; i++)
		write_mapping (encoder, i);
	for (uint32_t i = 0; i < paths->function_count && !encoder->failed; i++) {
		write_location (encoder, i);
		write_function (encoder, i);
	}
	write_rest (encoder);
	compress_bytes (encoder, encoder->strings.data, encoder->strings.length, Z_NO_FLUSH);
	compress_bytes (encoder, NULL, 0, Z_FINISH);
}

int
monocle__pprof_write (const struct monocle__spool_view *view, void **ret_data, size_t *ret_length)
{
	struct monocle__call_paths paths;
	struct encoder encoder = { .view = view, .paths = &paths };
	int error = monocle__call_paths_init (&paths, view);
	if (error)
		return error;
	encoder.value_count = view->header->value_count;
	if (!(view->header->flags & MONOCLE__SPOOL_STACKS) && view->rate <= 0)
		encoder.value_count = 1;
	if (deflateInit2 (&encoder.deflate, COMPRESSION, Z_DEFLATED, GZIP_WINDOW, 8, Z_DEFAULT_STRATEGY) == Z_OK) {
		write_profile (&encoder);
		deflateEnd (&encoder.deflate);
	} else {
		encoder.failed = true;
	}
	free (encoder.message.data);
	free (encoder.inner.data);
	free (encoder.strings.data);
	free (encoder.clean.data);
	monocle__call_paths_done (&paths);
	if (encoder.failed) {
		free (encoder.out.data);
		return -ENOMEM;
	}
	*ret_data = encoder.out.data;
	*ret_length = encoder.out.length;
	return 0;
}
