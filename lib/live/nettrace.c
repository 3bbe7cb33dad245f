/*
 * SPDX-License-Identifier: MIT
 *
 * nettrace.c - see nettrace.h. Bytes are gathered until an object, or the block behind its head, is whole; then it is
 * read where it lies. An event in a block that cannot be read ends the block, not the stream: sizes lead over it.
 */
#include "nettrace.h"

#include "hash.h"
#include "live-text.h"
#include "nettrace-stacks.h"

#include <stdlib.h>
#include <string.h>

static const char preamble[] = "Nettrace\x14\0\0\0!FastSerialization.1";

enum {
	TAG_NULL = 1,
	TAG_BEGIN = 5,
	TAG_END = 6,

	PREAMBLE_SIZE = sizeof preamble - 1,
	HEAD_SIZE = 3 + 12, /* tags, version, oldest reader, length of the name */
	NAME_MOST = 32,
	TRACE_SIZE = 48,
	KIND_SLOTS = MONOCLE__LIVE_NETTRACE_KINDS_MOST * 2,
	FIELDS_MOST = 1 << 14,
	THREADS = 1 << 10, /* whose sequence numbers are followed */
};

typedef enum { AT_PREAMBLE, AT_OBJECT, AT_TRACE, AT_SIZE, AT_BLOCK, AT_END, OVER, BROKEN } place;

typedef enum { BLOCK_OTHER, BLOCK_EVENTS, BLOCK_METADATA, BLOCK_STACKS, BLOCK_POINT, OBJECT_TRACE } block;

typedef struct {
	uint64_t thread;
	uint32_t sequence;
} capture;

struct monocle__live_nettrace {
	monocle__live_event_handler handler;
	void *context;
	place place;
	block block;
	uint8_t *bytes; /* what has come and is not read yet */
	size_t size, room;
	uint64_t offset;    /* of bytes[0] in the stream: blocks are aligned in it */
	size_t block_size;  /* AT_BLOCK */
	uint64_t frequency; /* ticks in a second */
	monocle__live_event_kind *kinds[KIND_SLOTS];
	size_t kind_count;
	monocle__live_nettrace_stacks stacks;
	capture captures[THREADS];
	uint64_t lost;
};

/* --- bytes -------------------------------------------------------------------------------------------------------- */

static bool
take (monocle__span *rest, size_t size, const uint8_t **ret_bytes)
{
	if (rest->size < size)
		return false;
	*ret_bytes = rest->data;
	rest->data += size;
	rest->size -= size;
	return true;
}

static bool
take_u32 (monocle__span *rest, uint32_t *ret_number)
{
	const uint8_t *bytes;
	if (!take (rest, 4, &bytes))
		return false;
	*ret_number = monocle__le32 (bytes);
	return true;
}

/* Seven bits a byte, the lowest first. */
static bool
take_varying (monocle__span *rest, uint64_t *ret_number)
{
	uint64_t number = 0;
	for (unsigned shift = 0; shift < 70 && rest->size; shift += 7) {
		uint8_t byte = *rest->data++;
		rest->size--;
		if (shift < 64)
			number |= (uint64_t) (byte & 0x7f) << shift;
		if (!(byte & 0x80)) {
			*ret_number = number;
			return true;
		}
	}
	return false;
}

bool
monocle__live_nettrace_take_text (monocle__span *rest, char *buffer, size_t size)
{
	size_t units = 0, most = rest->size / 2;
	while (units < most && (rest->data[2 * units] || rest->data[2 * units + 1]))
		units++;
	if (units == most)
		return false;
	monocle__live_text (rest->data, units, buffer, size);
	rest->data += 2 * units + 2;
	rest->size -= 2 * units + 2;
	return true;
}

/* --- kinds -------------------------------------------------------------------------------------------------------- */

static monocle__live_event_kind **
kind_slot (monocle__live_nettrace *self, uint32_t number)
{
	size_t slot = (size_t) (monocle__hash_spread (number) >> 32) % KIND_SLOTS;
	while (self->kinds[slot] && self->kinds[slot]->number != number)
		slot = (slot + 1) % KIND_SLOTS;
	return &self->kinds[slot];
}

static bool
kind_read (monocle__live_event_kind *kind, monocle__span data)
{
	const uint8_t *skipped;
	uint32_t level;
	if (!take_u32 (&data, &kind->number) ||
	    !monocle__live_nettrace_take_text (&data, kind->provider, sizeof kind->provider) ||
	    !take_u32 (&data, &kind->id) || !monocle__live_nettrace_take_text (&data, kind->name, sizeof kind->name) ||
	    !take (&data, 8, &skipped) || !take_u32 (&data, &kind->version) || !take_u32 (&data, &level))
		return false;
	kind->fields_size = data.size < FIELDS_MOST ? data.size : 0;
	kind->fields = kind->fields_size ? malloc (kind->fields_size) : NULL;
	if (kind->fields)
		memcpy (kind->fields, data.data, kind->fields_size);
	else
		kind->fields_size = 0;
	return true;
}

static void
kind_free (monocle__live_event_kind *kind)
{
	if (kind)
		free (kind->fields);
	free (kind);
}

/* A number that is told again means the same; where there are too many kinds, events of the others are not told. */
static void
kind_add (monocle__live_nettrace *self, monocle__span data)
{
	monocle__live_event_kind *kind = calloc (1, sizeof *kind), **slot;
	if (kind && kind_read (kind, data) && self->kind_count < MONOCLE__LIVE_NETTRACE_KINDS_MOST &&
	    !*(slot = kind_slot (self, kind->number))) {
		*slot = kind;
		self->kind_count++;
	} else {
		kind_free (kind);
	}
}

/* --- events ------------------------------------------------------------------------------------------------------- */

/* What an event does not say is what the one before said. */
typedef struct {
	uint64_t kind, sequence, capture, processor, thread, stack, time, size;
} header;

enum {
	HAS_KIND = 1,
	HAS_SEQUENCE = 2,
	HAS_THREAD = 4,
	HAS_STACK = 8,
	HAS_ACTIVITY = 16,
	HAS_RELATED = 32,
	HAS_SIZE = 128,
	ACTIVITY_SIZE = 16,
};

static bool
header_read (header *self, monocle__span *rest)
{
	const uint8_t *flags, *skipped;
	uint64_t more = 0;
	if (!take (rest, 1, &flags) || ((*flags & HAS_KIND) && !take_varying (rest, &self->kind)))
		return false;
	if ((*flags & HAS_SEQUENCE) &&
	    (!take_varying (rest, &more) || !take_varying (rest, &self->capture) || !take_varying (rest, &self->processor)))
		return false;
	self->sequence += more + (self->kind != 0);
	if (((*flags & HAS_THREAD) && !take_varying (rest, &self->thread)) ||
	    ((*flags & HAS_STACK) && !take_varying (rest, &self->stack)) || !take_varying (rest, &more))
		return false;
	self->time += more;
	return (!(*flags & HAS_ACTIVITY) || take (rest, ACTIVITY_SIZE, &skipped)) &&
	       (!(*flags & HAS_RELATED) || take (rest, ACTIVITY_SIZE, &skipped)) &&
	       (!(*flags & HAS_SIZE) || take_varying (rest, &self->size));
}

/* Each thread numbers its events, those too that found no room; what is missing between two was lost. */
static void
count_lost (monocle__live_nettrace *self, const header *head)
{
	capture *at = &self->captures[monocle__hash_spread (head->capture) >> 54];
	uint32_t sequence = (uint32_t) head->sequence, missing = sequence - at->sequence - 1;
	if (at->thread == head->capture && at->sequence && missing < UINT32_MAX / 2)
		self->lost += missing;
	at->thread = head->capture;
	at->sequence = sequence;
}

static uint64_t
nanoseconds_of (const monocle__live_nettrace *self, uint64_t ticks)
{
	return self->frequency == 1000000000 ? ticks : (uint64_t) ((double) ticks * 1e9 / (double) self->frequency);
}

static void
tell (monocle__live_nettrace *self, const header *head, monocle__span data)
{
	monocle__live_event event = { .kind = *kind_slot (self, (uint32_t) head->kind),
		                          .thread = head->thread,
		                          .time = nanoseconds_of (self, head->time),
		                          .data = data };
	if (!event.kind)
		return;
	event.stack = monocle__live_nettrace_stacks_find (&self->stacks, (uint32_t) head->stack, &event.depth);
	self->handler (&event, self->context);
}

/* A head (its size, flags, the times of the first and the last event), then the events. */
static void
read_events (monocle__live_nettrace *self, monocle__span data)
{
	header head = { 0 };
	monocle__span rest, body;
	const uint8_t *bytes;
	if (data.size < 4 || !(monocle__le16 (data.data + 2) & 1) ||
	    !monocle__span_rest (data, monocle__le16 (data.data), &rest))
		return;
	while (rest.size && header_read (&head, &rest)) {
		if (head.size > rest.size || !take (&rest, (size_t) head.size, &bytes))
			return;
		body = (monocle__span) { bytes, (size_t) head.size };
		if (self->block == BLOCK_METADATA) {
			kind_add (self, body);
		} else {
			count_lost (self, &head);
			tell (self, &head, body);
		}
	}
}

/* --- objects ------------------------------------------------------------------------------------------------------ */

static void
read_block (monocle__live_nettrace *self, monocle__span data)
{
	switch (self->block) {
	case BLOCK_EVENTS:
	case BLOCK_METADATA: read_events (self, data); break;
	case BLOCK_STACKS: monocle__live_nettrace_stacks_add (&self->stacks, data); break;
	case BLOCK_POINT: monocle__live_nettrace_stacks_clear (&self->stacks); break;
	case BLOCK_OTHER:
	case OBJECT_TRACE: break;
	}
}

static block
block_of (const char *name, size_t length)
{
	static const struct {
		const char *name;
		block block;
	} blocks[] = { { "Trace", OBJECT_TRACE },
		           { "EventBlock", BLOCK_EVENTS },
		           { "MetadataBlock", BLOCK_METADATA },
		           { "StackBlock", BLOCK_STACKS },
		           { "SPBlock", BLOCK_POINT } };
	for (size_t i = 0; i < sizeof blocks / sizeof *blocks; i++) {
		if (strlen (blocks[i].name) == length && memcmp (blocks[i].name, name, length) == 0)
			return blocks[i].block;
	}
	return BLOCK_OTHER;
}

/* Each step answers how many bytes it has used; 0: it needs more, and at_end or broken is in `place`. */

static size_t
broken (monocle__live_nettrace *self)
{
	self->place = BROKEN;
	return 0;
}

static size_t
step_preamble (monocle__live_nettrace *self)
{
	size_t known = self->size < PREAMBLE_SIZE ? self->size : PREAMBLE_SIZE;
	if (memcmp (self->bytes, preamble, known) != 0)
		return broken (self);
	if (known < PREAMBLE_SIZE)
		return 0;
	self->place = AT_OBJECT;
	return PREAMBLE_SIZE;
}

/* Its name says what it is. */
static size_t
step_object (monocle__live_nettrace *self)
{
	const uint8_t *at = self->bytes;
	uint32_t length;
	if (at[0] == TAG_NULL) {
		self->place = OVER;
		return 1;
	}
	if (self->size < HEAD_SIZE)
		return at[0] == TAG_BEGIN ? 0 : broken (self);
	length = monocle__le32 (at + HEAD_SIZE - 4);
	if (at[0] != TAG_BEGIN || at[1] != TAG_BEGIN || at[2] != TAG_NULL || length > NAME_MOST)
		return broken (self);
	if (self->size < HEAD_SIZE + length + 1)
		return 0;
	if (at[HEAD_SIZE + length] != TAG_END)
		return broken (self);
	self->block = block_of ((const char *) at + HEAD_SIZE, length);
	self->place = self->block == OBJECT_TRACE ? AT_TRACE : AT_SIZE;
	return HEAD_SIZE + length + 1;
}

/* A date (16 bytes), a time, and how many of its ticks are a second. */
static size_t
step_trace (monocle__live_nettrace *self)
{
	if (self->size < TRACE_SIZE)
		return 0;
	self->frequency = monocle__le64 (self->bytes + 24);
	self->place = AT_END;
	return self->frequency ? TRACE_SIZE : broken (self);
}

/* The block begins at the next multiple of four. */
static size_t
step_size (monocle__live_nettrace *self)
{
	size_t padding = (size_t) (-(self->offset + 4) & 3);
	if (self->size < 4 + padding)
		return 0;
	self->block_size = monocle__le32 (self->bytes);
	self->place = AT_BLOCK;
	return self->block_size <= MONOCLE__LIVE_NETTRACE_BLOCK_MOST ? 4 + padding : broken (self);
}

/* An empty block is one byte less than nothing: the tag that ends the object is read with it. */
static size_t
step_block (monocle__live_nettrace *self)
{
	if (self->size < self->block_size + 1)
		return 0;
	if (self->bytes[self->block_size] != TAG_END)
		return broken (self);
	read_block (self, (monocle__span) { self->bytes, self->block_size });
	self->place = AT_OBJECT;
	return self->block_size + 1;
}

static size_t
step_end (monocle__live_nettrace *self)
{
	if (self->bytes[0] != TAG_END)
		return broken (self);
	self->place = AT_OBJECT;
	return 1;
}

static size_t
step (monocle__live_nettrace *self)
{
	switch (self->place) {
	case AT_PREAMBLE: return step_preamble (self);
	case AT_OBJECT: return step_object (self);
	case AT_TRACE: return step_trace (self);
	case AT_SIZE: return step_size (self);
	case AT_BLOCK: return step_block (self);
	case AT_END: return step_end (self);
	case OVER: return self->size; /* Whatever follows is nobody's. */
	case BROKEN: break;
	}
	return 0;
}

/* --- the stream --------------------------------------------------------------------------------------------------- */

monocle__live_nettrace *
monocle__live_nettrace_new (monocle__live_event_handler handler, void *context)
{
	monocle__live_nettrace *self = calloc (1, sizeof *self);
	if (self) {
		self->handler = handler;
		self->context = context;
	}
	return self;
}

void
monocle__live_nettrace_free (monocle__live_nettrace *trace)
{
	if (!trace)
		return;
	for (size_t i = 0; i < KIND_SLOTS; i++)
		kind_free (trace->kinds[i]);
	monocle__live_nettrace_stacks_done (&trace->stacks);
	free (trace->bytes);
	free (trace);
}

/* Pieces are added no faster than blocks are read, so no more than a block and a piece is kept. */
static bool
append (monocle__live_nettrace *self, const void *bytes, size_t size)
{
	if (size > self->room - self->size) {
		size_t room = (self->size + size) * 2;
		uint8_t *grown = realloc (self->bytes, room);
		if (!grown)
			return false;
		self->bytes = grown;
		self->room = room;
	}
	if (size)
		memcpy (self->bytes + self->size, bytes, size);
	self->size += size;
	return true;
}

static void
read_all (monocle__live_nettrace *self)
{
	uint8_t *begin = self->bytes;
	size_t used = 1, size = self->size;
	while (self->size && used) {
		used = step (self);
		self->bytes += used;
		self->size -= used;
		self->offset += used;
	}
	if (size)
		memmove (begin, self->bytes, self->size);
	self->bytes = begin;
}

int
monocle__live_nettrace_feed (monocle__live_nettrace *trace, const void *bytes, size_t size, const char **ret_error)
{
	if (trace->place != BROKEN && !append (trace, bytes, size)) {
		*ret_error = "out of memory";
		return -1;
	}
	read_all (trace);
	if (trace->place != BROKEN)
		return 0;
	*ret_error = "sends something else than events";
	return -1;
}

bool
monocle__live_nettrace_is_over (const monocle__live_nettrace *trace)
{
	return trace->place == OVER;
}

uint64_t
monocle__live_nettrace_lost (const monocle__live_nettrace *trace)
{
	return trace->lost;
}
