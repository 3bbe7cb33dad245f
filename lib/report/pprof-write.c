/* SPDX-License-Identifier: MIT
 *
 * pprof-write.c - a profile as pprof: profile.proto in gzip.
 *
 * A message's length stands before it, so each sample, label and function is put together in memory; the file itself is
 * written piece by piece. Functions and locations have the profile's indices plus one as ids: 0 means "none". Strings
 * are numbered as they come and written last, which protocol buffers allow.
 */
#include "array.h"
#include "format.h"
#include "hash.h"

#include <string.h>
#include <zlib.h>

enum { PIECE_SIZE = 64 * 1024 };

typedef struct {
	unsigned char *bytes;
	size_t size, capacity;
} buffer;

typedef struct {
	FILE *out;
	const monocle__profile *profile;
	const monocle__convert_options *options;
	z_stream stream;
	buffer piece, message, part; /* the file's next bytes; a field of it; a field of that */
	const char **strings;        /* by index */
	size_t string_count, string_capacity;
	uint32_t *slots; /* hash over strings: index + 1 */
	size_t slot_count;
	bool failed; /* out of memory */
} writer;

/* --- strings --- */

static uint32_t *
string_slot (const writer *w, const char *text)
{
	size_t mask = w->slot_count - 1;

	for (size_t at = (size_t) monocle__hash_text (0, text) & mask;; at = (at + 1) & mask) {
		if (!w->slots[at] || strcmp (w->strings[w->slots[at] - 1], text) == 0)
			return &w->slots[at];
	}
}

static bool
slots_grow (writer *w)
{
	size_t count = w->slot_count ? w->slot_count * 2 : 256;
	uint32_t *slots = calloc (count, sizeof *slots);

	if (!slots)
		return false;
	free (w->slots);
	w->slots = slots;
	w->slot_count = count;
	for (size_t i = 0; i < w->string_count; i++)
		*string_slot (w, w->strings[i]) = (uint32_t) i + 1;
	return true;
}

/* Its index in the string table. */
static uint64_t
intern (writer *w, const char *text)
{
	uint32_t *slot;

	if ((w->string_count * 2 >= w->slot_count && !slots_grow (w)) ||
	    !MONOCLE__RESERVE (w->strings, w->string_capacity, w->string_count + 1)) {
		w->failed = true;
		return 0;
	}
	slot = string_slot (w, text);
	if (!*slot) {
		w->strings[w->string_count++] = text;
		*slot = (uint32_t) w->string_count;
	}
	return *slot - 1;
}

/* --- the wire --- */

static void
put (writer *w, buffer *out, const void *bytes, size_t size)
{
	if (!MONOCLE__RESERVE (out->bytes, out->capacity, out->size + size)) {
		w->failed = true;
		return;
	}
	if (size)
		memcpy (out->bytes + out->size, bytes, size);
	out->size += size;
}

static void
put_varint (writer *w, buffer *out, uint64_t value)
{
	unsigned char bytes[10];
	size_t count = 0;

	while (value >= 0x80) {
		bytes[count++] = (unsigned char) (value | 0x80);
		value >>= 7;
	}
	bytes[count++] = (unsigned char) value;
	put (w, out, bytes, count);
}

/* 0 is what a reader takes for a field that is absent. */
static void
put_number (writer *w, buffer *out, unsigned field, uint64_t value)
{
	if (value == 0)
		return;
	put_varint (w, out, field << 3);
	put_varint (w, out, value);
}

static void
put_bytes (writer *w, buffer *out, unsigned field, const void *bytes, size_t size)
{
	put_varint (w, out, field << 3 | 2);
	put_varint (w, out, size);
	put (w, out, bytes, size);
}

static void
put_part (writer *w, unsigned field)
{
	put_bytes (w, &w->message, field, w->part.bytes, w->part.size);
	w->part.size = 0;
}

/* Packs what has gathered. */
static void
deflate_piece (writer *w, int flush)
{
	unsigned char packed[PIECE_SIZE];

	w->stream.next_in = w->piece.bytes;
	w->stream.avail_in = (uInt) w->piece.size;
	do {
		w->stream.next_out = packed;
		w->stream.avail_out = sizeof packed;
		deflate (&w->stream, flush);
		fwrite (packed, 1, sizeof packed - w->stream.avail_out, w->out);
	} while (w->stream.avail_out == 0);
	w->piece.size = 0;
}

static void
put_message (writer *w, unsigned field)
{
	put_bytes (w, &w->piece, field, w->message.bytes, w->message.size);
	w->message.size = 0;
	if (w->piece.size >= PIECE_SIZE)
		deflate_piece (w, Z_NO_FLUSH);
}

/* --- the profile --- */

static bool
is_written (const writer *w, size_t value)
{
	return !w->options->one_value || value == w->options->value;
}

static void
write_value_types (writer *w)
{
	for (size_t v = 0; v < w->profile->value_count; v++) {
		if (!is_written (w, v))
			continue;
		put_number (w, &w->message, 1, intern (w, w->profile->value_types[v].type));
		put_number (w, &w->message, 2, intern (w, w->profile->value_types[v].unit));
		put_message (w, 1);
	}
}

static void
write_label (writer *w, const monocle__label *label)
{
	put_number (w, &w->part, 1, intern (w, label->key));
	if (label->text)
		put_number (w, &w->part, 2, intern (w, label->text));
	else
		put_number (w, &w->part, 3, (uint64_t) label->number);
	if (!label->text && *label->unit)
		put_number (w, &w->part, 4, intern (w, label->unit));
	put_part (w, 3);
}

static void
write_sample (writer *w, size_t index)
{
	const monocle__sample *sample = &w->profile->samples[index];

	for (size_t i = 0; i < sample->depth; i++)
		put_varint (w, &w->part, (uint64_t) w->profile->frames[sample->frames + i] + 1);
	put_part (w, 1);
	for (size_t v = 0; v < w->profile->value_count; v++) {
		if (is_written (w, v))
			put_varint (w, &w->part, (uint64_t) monocle__profile_values (w->profile, index)[v]);
	}
	put_part (w, 2);
	for (size_t i = 0; i < sample->label_count; i++)
		write_label (w, &w->profile->labels[sample->labels + i]);
	put_message (w, 2);
}

/* A location per function. */
static void
write_function (writer *w, size_t index)
{
	const monocle__function *function = &w->profile->functions[index];

	put_number (w, &w->message, 1, index + 1);
	put_number (w, &w->part, 1, index + 1);
	put_number (w, &w->part, 2, (uint64_t) function->line);
	put_part (w, 4);
	put_message (w, 4);
	put_number (w, &w->message, 1, index + 1);
	put_number (w, &w->message, 2, intern (w, function->name));
	put_number (w, &w->message, 3, intern (w, function->system_name));
	put_number (w, &w->message, 4, intern (w, function->filename));
	put_number (w, &w->message, 5, (uint64_t) function->line);
	put_message (w, 5);
}

static void
write_rest (writer *w)
{
	const monocle__profile *profile = w->profile;

	put_number (w, &w->piece, 9, (uint64_t) profile->time_nanos);
	put_number (w, &w->piece, 10, (uint64_t) profile->duration_nanos);
	for (size_t i = 0; i < profile->comment_count; i++)
		put_number (w, &w->piece, 13, intern (w, profile->comments[i]));
	if (profile->default_type && !w->options->one_value)
		put_number (w, &w->piece, 14, intern (w, profile->default_type));
	for (size_t i = 0; i < w->string_count; i++) {
		put_bytes (w, &w->piece, 6, w->strings[i], strlen (w->strings[i]));
		if (w->piece.size >= PIECE_SIZE)
			deflate_piece (w, Z_NO_FLUSH);
	}
}

static void
write_profile (writer *w)
{
	intern (w, "");
	write_value_types (w);
	for (size_t i = 0; i < w->profile->sample_count && !w->failed; i++)
		write_sample (w, i);
	for (size_t i = 0; i < w->profile->function_count && !w->failed; i++)
		write_function (w, i);
	write_rest (w);
	if (!w->failed)
		deflate_piece (w, Z_FINISH);
}

int
monocle__pprof_convert (FILE *out, const monocle__profile *profile, const monocle__convert_options *options)
{
	writer w = { .out = out, .profile = profile, .options = options };

	if (deflateInit2 (&w.stream, Z_DEFAULT_COMPRESSION, Z_DEFLATED, 15 + 16, 8, Z_DEFAULT_STRATEGY) != Z_OK)
		return -1;
	write_profile (&w);
	deflateEnd (&w.stream);
	free (w.piece.bytes);
	free (w.message.bytes);
	free (w.part.bytes);
	free (w.strings);
	free (w.slots);
	return w.failed ? -1 : 0;
}
