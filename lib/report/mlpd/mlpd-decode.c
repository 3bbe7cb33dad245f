/*
 * SPDX-License-Identifier: MIT
 *
 * mlpd-decode.c - walks over the bytes of an mlpd file by the table of its events.
 */
#include "mlpd-decode.h"

#include "array.h"
#include "bytes.h"
#include "mlpd.h"

#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

enum {
	METADATA_TYPE = 2, /* the lower half of the first byte */
	WHAT_COUNT = 8,
	WINDOWS_COUNTER = 1 << 15,
	SPECIFIC_TRAMPOLINE = 5,
};

typedef struct {
	monocle__mlpd_kind kind;
	uint8_t byte, what, first, last;
	const char *fields;
} row;

#define EVENT(kind, byte, first, last, fields)          { MONOCLE__MLPD_##kind, byte, 0, first, last, fields },
#define METADATA(kind, byte, what, first, last, fields) { MONOCLE__MLPD_##kind, byte, what, first, last, fields },
static const row rows[] = {
#include "mlpd-events.def"
};
#undef EVENT
#undef METADATA
_Static_assert(sizeof rows / sizeof *rows < UINT8_MAX, "rows are counted in a byte");

/* false: what is left is `what`. */
static bool __attribute__ ((format (printf, 2, 3))) fail (monocle__mlpd_decoder *d, const char *what, ...)
{
	va_list arguments;
	if (*d->problem)
		return false;
	va_start (arguments, what);
	vsnprintf (d->problem, sizeof d->problem, what, arguments);
	va_end (arguments);
	d->is_damaged = true;
	return false;
}

static bool
fail_cut (monocle__mlpd_decoder *d)
{
	fail (d, "the file is cut off at its end");
	d->is_damaged = false;
	return false;
}

/* The bytes of an event are not what they must be: of the buffer where the file ends, they are only not all there. */
static bool
fail_event (monocle__mlpd_decoder *d, const char *what)
{
	if (d->is_cut)
		return fail_cut (d);
	return fail (d, "%s at byte %zu", what, (size_t) (d->buffer.at - d->begin));
}

static bool
fail_memory (monocle__mlpd_decoder *d)
{
	d->no_memory = true;
	return fail (d, "out of memory");
}

/* --- numbers and texts -------------------------------------------------------------------------------------------- */

static bool
try_number (monocle__mlpd_decoder *d, uint64_t *ret_number)
{
	return monocle__wire_try_varint (&d->buffer, ret_number) || fail_event (d, "a number does not end");
}

/* The bit below the highest one of the last byte is the sign. */
static bool
try_signed (monocle__mlpd_decoder *d, uint64_t *ret_number)
{
	const uint8_t *begin = d->buffer.at;
	unsigned bits;
	if (!try_number (d, ret_number))
		return false;
	bits = 7 * (unsigned) (d->buffer.at - begin);
	if (bits < 64 && d->buffer.at[-1] & 0x40)
		*ret_number |= UINT64_MAX << bits;
	return true;
}

static bool
try_byte (monocle__mlpd_decoder *d, uint64_t *ret_number)
{
	if (d->buffer.at == d->buffer.end)
		return fail_event (d, "an event does not end");
	*ret_number = *d->buffer.at++;
	return true;
}

static bool
try_text (monocle__mlpd_decoder *d)
{
	const uint8_t *end = memchr (d->buffer.at, 0, (size_t) (d->buffer.end - d->buffer.at));
	if (!end)
		return fail_event (d, "a text does not end");
	d->event.text = (const char *) d->buffer.at;
	d->buffer.at = end + 1;
	return true;
}

/* Of what has a byte at least. */
static bool
try_count (monocle__mlpd_decoder *d, uint64_t *ret_count)
{
	if (!try_number (d, ret_count))
		return false;
	if (*ret_count > (uint64_t) (d->buffer.end - d->buffer.at))
		return fail_event (d, "an event has more parts than bytes");
	return true;
}

static bool
list_add (monocle__mlpd_decoder *d, monocle__mlpd_list *list, uint64_t item)
{
	if (!MONOCLE__RESERVE (list->items, list->capacity, list->count + 1))
		return fail_memory (d);
	list->items[list->count++] = item;
	return true;
}

/* --- fields ------------------------------------------------------------------------------------------------------- */

/* One of those that are a number in the file. */
static bool
try_field (monocle__mlpd_decoder *d, char field, uint64_t *ret_number)
{
	switch (field) {
	case 'b': return try_byte (d, ret_number);
	case 'u': return try_number (d, ret_number);
	case 'p':
		if (!try_signed (d, ret_number))
			return false;
		*ret_number += d->pointers;
		return true;
	case 'o':
		if (!try_signed (d, ret_number))
			return false;
		*ret_number = (*ret_number + d->objects) << 3;
		return true;
	default:
		if (!try_signed (d, ret_number))
			return false;
		*ret_number = d->method += *ret_number;
		return true;
	}
}

static bool
try_frames (monocle__mlpd_decoder *d)
{
	uint64_t count, method;
	d->event.has_frames = true;
	if (!try_count (d, &count))
		return false;
	for (; count > 0; count--) {
		if (!try_field (d, 'm', &method) || !list_add (d, &d->event.frames, method))
			return false;
	}
	return true;
}

/* What a counter's value is after its index and type. */
static bool
try_value (monocle__mlpd_decoder *d, uint64_t type)
{
	enum { INT, UINT, WORD, LONG, ULONG, DOUBLE, TEXT, INTERVAL };
	uint64_t number;
	switch (type) {
	case INT:
	case UINT:
	case WORD:
	case LONG:
	case ULONG:
	case INTERVAL: return try_number (d, &number);
	case DOUBLE:
		if (d->buffer.end - d->buffer.at < 8)
			return fail_event (d, "an event does not end");
		d->buffer.at += 8;
		return true;
	case TEXT: return try_byte (d, &number) && (number == 0 || try_text (d));
	default: return fail_event (d, "a counter of an unknown type");
	}
}

static bool
try_counters (monocle__mlpd_decoder *d, char type_field)
{
	for (;;) {
		uint64_t index, type;
		if (!try_number (d, &index))
			return false;
		if (index == 0)
			return true;
		if (!try_field (d, type_field, &type) || !try_value (d, type))
			return false;
	}
}

/* One pass over the fields in [], which `fields` is behind of. */
static bool
try_group (monocle__mlpd_decoder *d, const char *fields)
{
	uint64_t number = 0;
	for (; *fields != ']'; fields++) {
		bool done;
		if (*fields == 's' || *fields == 'S')
			done = (*fields == 'S' && number != WINDOWS_COUNTER) || try_text (d);
		else
			done = try_field (d, *fields, &number) && list_add (d, &d->event.items, number);
		if (!done)
			return false;
	}
	return true;
}

/* What is not told is not kept. */
static bool
try_groups (monocle__mlpd_decoder *d, const char *fields, uint64_t count)
{
	for (; count > 0; count--) {
		if (!try_group (d, fields))
			return false;
		if (d->event.kind != MONOCLE__MLPD_MOVE && d->event.kind != MONOCLE__MLPD_HIT)
			d->event.items.count = 0;
	}
	return true;
}

static bool
try_fields (monocle__mlpd_decoder *d, const char *fields)
{
	uint64_t count = 0, *number = d->event.numbers;
	for (; *fields; fields++) {
		bool done;
		switch (*fields) {
		case 's': done = try_text (d); break;
		case 'T': done = d->event.numbers[0] != SPECIFIC_TRAMPOLINE || try_text (d); break;
		case 'B': done = try_frames (d); break;
		case 'C': done = try_counters (d, 'u'); break;
		case 'c': done = try_counters (d, 'b'); break;
		case '#': done = try_count (d, &count); break;
		case '[':
			done = try_groups (d, fields + 1, count);
			fields += strcspn (fields, "]");
			break;
		default: done = try_field (d, *fields, number++); break;
		}
		if (!done)
			return false;
	}
	return true;
}

/* --- events ------------------------------------------------------------------------------------------------------- */

static bool
fail_unknown (monocle__mlpd_decoder *d, unsigned byte, size_t at)
{
	return fail (d, "an unknown event 0x%02x at byte %zu", byte, at);
}

/* The row of the event whose first byte and time were read; of metadata it takes one more byte. */
static const row *
find_row (monocle__mlpd_decoder *d, unsigned byte, size_t at)
{
	uint64_t what = 0;
	unsigned index = d->events[byte];
	if ((byte & 0xf) == METADATA_TYPE) {
		if (!try_byte (d, &what))
			return NULL;
		index = what < WHAT_COUNT ? d->metadata[byte >> 4][what] : 0;
	}
	if (index == 0)
		fail_unknown (d, byte, at);
	return index ? &rows[index - 1] : NULL;
}

static bool
try_event (monocle__mlpd_decoder *d)
{
	monocle__mlpd_event *event = &d->event;
	size_t at = (size_t) (d->buffer.at - d->begin);
	unsigned byte = *d->buffer.at++;
	const row *found;
	uint64_t passed;
	if (d->events[byte] == 0 && (byte & 0xf) != METADATA_TYPE)
		return fail_unknown (d, byte, at);
	if (!try_number (d, &passed) || !(found = find_row (d, byte, at)))
		return false;
	d->time += passed; /* modulo 2^64: a sample may be older than the event before */
	event->kind = found->kind;
	event->time = d->time;
	event->thread = d->thread;
	event->text = "";
	event->items.count = event->frames.count = 0;
	event->has_frames = false;
	return try_fields (d, found->fields);
}

/* --- buffers ------------------------------------------------------------------------------------------------------ */

static bool
try_buffer (monocle__mlpd_decoder *d)
{
	const uint8_t *header = d->file.at;
	size_t left = (size_t) (d->file.end - d->file.at), size;
	if (left < MONOCLE__MLPD_BUFFER_SIZE)
		return fail_cut (d);
	if (monocle__le32 (header) != MONOCLE__MLPD_BUFFER_MAGIC)
		return fail (d, "no buffer begins at byte %zu, where one must", (size_t) (header - d->begin));
	size = monocle__le32 (header + 4);
	d->time = monocle__le64 (header + 8);
	d->pointers = monocle__le64 (header + 16);
	d->objects = monocle__le64 (header + 24);
	d->thread = monocle__le64 (header + 32);
	d->method = monocle__le64 (header + 40);
	left -= MONOCLE__MLPD_BUFFER_SIZE;
	d->is_cut = size > left;
	d->buffer.at = header + MONOCLE__MLPD_BUFFER_SIZE;
	d->buffer.end = d->buffer.at + (d->is_cut ? left : size);
	d->file.at = d->buffer.end;
	return true;
}

const monocle__mlpd_event *
monocle__mlpd_decode_next (monocle__mlpd_decoder *d)
{
	while (!*d->problem && d->buffer.at == d->buffer.end) {
		if (d->is_cut)
			fail_cut (d);
		else if (d->file.at == d->file.end || !try_buffer (d))
			return NULL;
	}
	return !*d->problem && try_event (d) ? &d->event : NULL;
}

/* --- the header --------------------------------------------------------------------------------------------------- */

typedef struct {
	const uint8_t *at;
	size_t left;
} rest;

/* NULL: there are not so many bytes. */
static const uint8_t *
take (rest *r, size_t size)
{
	const uint8_t *taken = r->at;
	if (size > r->left)
		return NULL;
	r->at += size;
	r->left -= size;
	return taken;
}

/* Its size counts a NUL at the end, which may be missing. */
static bool
try_header_text (rest *r, char *text, size_t room)
{
	const uint8_t *size = take (r, 4), *bytes = size ? take (r, monocle__le32 (size)) : NULL;
	if (!bytes)
		return false;
	snprintf (text, room, "%.*s", (int) (monocle__le32 (size) < room ? monocle__le32 (size) : room),
	          (const char *) bytes);
	return true;
}

static bool
try_header (monocle__mlpd_decoder *d, rest *r)
{
	monocle__mlpd_header *header = &d->header;
	const uint8_t *fixed = take (r, 16), *start = NULL;
	if (!fixed)
		return fail (d, "the file is cut off in its header");
	header->major = fixed[4];
	header->minor = fixed[5];
	header->format = fixed[6];
	header->start_ms = monocle__le64 (fixed + 8);
	if (header->format < MONOCLE__MLPD_FIRST || header->format > MONOCLE__MLPD_LAST)
		return fail (d, "it is mlpd of format %u, and %d to %d are read", header->format, MONOCLE__MLPD_FIRST,
		             MONOCLE__MLPD_LAST);
	if (fixed[7] != 4 && fixed[7] != 8)
		return fail (d, "damaged: pointers of %u bytes", fixed[7]);
	if (header->major >= 3 && !(start = take (r, 8)))
		return fail (d, "the file is cut off in its header");
	header->start_ns = start ? monocle__le64 (start) : 0;
	if (!(fixed = take (r, 14)))
		return fail (d, "the file is cut off in its header");
	header->process = monocle__le32 (fixed + 8);
	if (monocle__le32 (fixed + 4) != 0)
		return fail (d, "damaged: its flags are 0x%" PRIx32, monocle__le32 (fixed + 4));
	if (!try_header_text (r, header->arguments, sizeof header->arguments) ||
	    !try_header_text (r, header->cpu, sizeof header->cpu) ||
	    !try_header_text (r, header->system, sizeof header->system))
		return fail (d, "the file is cut off in its header");
	return true;
}

static void
choose_rows (monocle__mlpd_decoder *d)
{
	for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
		if (d->header.format < rows[i].first || d->header.format > rows[i].last)
			continue;
		if ((rows[i].byte & 0xf) == METADATA_TYPE)
			d->metadata[rows[i].byte >> 4][rows[i].what] = (uint8_t) (i + 1);
		else
			d->events[rows[i].byte] = (uint8_t) (i + 1);
	}
}

bool
monocle__mlpd_decode_init (monocle__mlpd_decoder *d, const void *bytes, size_t size)
{
	rest r = { bytes, size };
	*d = (monocle__mlpd_decoder) { .begin = bytes };
	if (!try_header (d, &r))
		return false;
	d->file = (monocle__wire_span) { r.at, r.at + r.left };
	d->buffer = (monocle__wire_span) { r.at, r.at };
	choose_rows (d);
	return true;
}

void
monocle__mlpd_decode_done (monocle__mlpd_decoder *d)
{
	free (d->event.items.items);
	free (d->event.frames.items);
}
