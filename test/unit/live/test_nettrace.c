/*
 * SPDX-License-Identifier: MIT
 *
 * test_nettrace.c - streams of events that are made here byte by byte: whole, in pieces, damaged.
 */
#include "counter.h"
#include "figures.h"
#include "nettrace.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

/* --- making streams ----------------------------------------------------------------------------------------------- */

typedef struct {
	uint8_t bytes[1 << 16];
	size_t size;
} buffer;

static void
put (buffer *out, const void *bytes, size_t size)
{
	assert_true (out->size + size <= sizeof out->bytes);
	memcpy (out->bytes + out->size, bytes, size);
	out->size += size;
}

static void
put_number (buffer *out, uint64_t number, size_t size)
{
	uint8_t bytes[8];
	monocle__put_le64 (bytes, number);
	put (out, bytes, size);
}

static void
put_varying (buffer *out, uint64_t number)
{
	do {
		uint8_t byte = (uint8_t) (number & 0x7f) | (number > 0x7f ? 0x80 : 0);
		put (out, &byte, 1);
	} while (number >>= 7);
}

static void
put_text (buffer *out, const char *text)
{
	for (; *text; text++)
		put_number (out, (uint8_t) *text, 2);
	put_number (out, 0, 2);
}

static void
put_object (buffer *out, const char *name)
{
	put (out, "\x05\x05\x01\x04\0\0\0\x04\0\0\0", 11);
	put_number (out, strlen (name), 4);
	put (out, name, strlen (name));
	put (out, "\x06", 1);
}

static void
put_start (buffer *out)
{
	out->size = 0;
	put (out, "Nettrace\x14\0\0\0!FastSerialization.1", 32);
	put_object (out, "Trace");
	put (out, (uint8_t[16]) { 0 }, 16);
	put_number (out, 5, 8);
	put_number (out, 1000000000, 8);
	put (out, (uint8_t[16]) { 8 }, 16);
	put (out, "\x06", 1);
}

static void
put_block (buffer *out, const char *name, const buffer *block)
{
	put_object (out, name);
	put_number (out, block->size, 4);
	while (out->size & 3)
		put (out, "", 1);
	put (out, block->bytes, block->size);
	put (out, "\x06", 1);
}

/* The head of a block of events: 20 bytes, compressed. */
static void
put_head (buffer *block)
{
	block->size = 0;
	put (block, "\x14\0\x01\0", 4);
	put (block, (uint8_t[16]) { 0 }, 16);
}

/* All that a header can say. */
static void
put_event (buffer *block, uint32_t kind, uint64_t sequence, uint64_t thread, uint32_t stack, uint64_t time,
           const buffer *data)
{
	put (block, "\x8f", 1);
	put_varying (block, kind);
	put_varying (block, sequence);
	put_varying (block, 77);
	put_varying (block, 0);
	put_varying (block, thread);
	put_varying (block, stack);
	put_varying (block, time);
	put_varying (block, data->size);
	put (block, data->bytes, data->size);
}

static void
put_kind (buffer *block, uint32_t number, const char *provider, uint32_t id, const char *name, const buffer *fields)
{
	static buffer data;
	data.size = 0;
	put_number (&data, number, 4);
	put_text (&data, provider);
	put_number (&data, id, 4);
	put_text (&data, name);
	put_number (&data, 0, 8);
	put_number (&data, 1, 4);
	put_number (&data, 4, 4);
	put (&data, fields->bytes, fields->size);
	put_event (block, 0, 0, 0, 0, 0, &data);
}

/* --- reading them ------------------------------------------------------------------------------------------------- */

typedef struct {
	char text[512];
} heard;

static void
hear (const monocle__live_event *event, void *context)
{
	heard *self = context;
	size_t used = strlen (self->text);
	snprintf (self->text + used, sizeof self->text - used, "%s.%u@%u:%u+%zu/%zu%s ", event->kind->provider,
	          event->kind->id, (unsigned) event->thread, (unsigned) event->time, event->data.size, event->depth,
	          event->depth && event->stack[0] == 0x1000 ? "!" : "");
}

static buffer stream, block, data;

/* Two kinds, a stack, three events, the end. */
static void
make_stream (void)
{
	static const buffer nothing = { .size = 0 };
	put_start (&stream);
	put_head (&block);
	put_kind (&block, 1, "P", 10, "", &nothing);
	put_kind (&block, 300, "Q", 20, "name", &nothing);
	put_block (&stream, "MetadataBlock", &block);
	block.size = 0;
	put_number (&block, 5, 4);
	put_number (&block, 2, 4);
	put_number (&block, 16, 4);
	put_number (&block, 0x1000, 8);
	put_number (&block, 0x2000, 8);
	put_number (&block, 0, 4);
	put_block (&stream, "StackBlock", &block);
	put_head (&block);
	data.size = 3;
	put_event (&block, 1, 0, 40, 5, 100, &data);
	data.size = 0;
	put_event (&block, 300, 0, 41, 6, 20, &data);
	put (&block, "\0\x05", 2); /* as before, five later */
	put_block (&stream, "EventBlock", &block);
	put (&stream, "\x01", 1);
}

static int
feed_pieces (heard *said, const uint8_t *bytes, size_t size, size_t piece, bool *ret_over)
{
	monocle__live_nettrace *trace = monocle__live_nettrace_new (hear, said);
	const char *error;
	int result = 0;
	for (size_t i = 0; i < size && result == 0; i += piece)
		result = monocle__live_nettrace_feed (trace, bytes + i, size - i < piece ? size - i : piece, &error);
	*ret_over = monocle__live_nettrace_is_over (trace);
	monocle__live_nettrace_free (trace);
	return result;
}

static void
events_are_told_whatever_the_pieces (void **state)
{
	make_stream ();
	for (size_t piece = 1; piece <= stream.size; piece++) {
		heard said = { "" };
		bool over;
		assert_int_equal (feed_pieces (&said, stream.bytes, stream.size, piece, &over), 0);
		assert_true (over);
		assert_string_equal (said.text, "P.10@40:100+3/2! Q.20@41:120+0/0 Q.20@41:125+0/0 ");
	}
}

static void
a_stream_that_stops_anywhere_is_no_error (void **state)
{
	make_stream ();
	for (size_t size = 0; size < stream.size; size++) {
		heard said = { "" };
		bool over;
		assert_int_equal (feed_pieces (&said, stream.bytes, size, 100, &over), 0);
		assert_false (over);
	}
}

static void
something_else_is_refused_at_once (void **state)
{
	heard said = { "" };
	bool over;
	assert_int_equal (feed_pieces (&said, (const uint8_t *) "NettracE", 8, 1, &over), -1);
	make_stream ();
	stream.bytes[32] = 9;
	assert_int_equal (feed_pieces (&said, stream.bytes, stream.size, 1000, &over), -1);
	make_stream ();
	monocle__put_le32 (stream.bytes + 32 + 11, 1000); /* a name of 1000 letters */
	assert_int_equal (feed_pieces (&said, stream.bytes, stream.size, 1000, &over), -1);
	assert_string_equal (said.text, "");
}

static void
a_block_without_end_is_refused (void **state)
{
	heard said = { "" };
	bool over;
	put_start (&stream);
	put_object (&stream, "EventBlock");
	put_number (&stream, 0x7fffffff, 4);
	put (&stream, (uint8_t[8]) { 0 }, 8);
	assert_int_equal (feed_pieces (&said, stream.bytes, stream.size, 1000, &over), -1);
}

static void
blocks_and_kinds_that_are_not_known_are_passed_over (void **state)
{
	heard said = { "" };
	bool over;
	static const buffer nothing = { .size = 0 };
	put_start (&stream);
	data.size = 5;
	put_block (&stream, "NewBlock", &data);
	put_head (&block);
	put_event (&block, 9, 0, 1, 0, 1, &data);
	put_block (&stream, "EventBlock", &block);
	put_head (&block);
	put_kind (&block, 9, "R", 1, "", &nothing);
	put_block (&stream, "MetadataBlock", &block);
	put_head (&block);
	put_event (&block, 9, 0, 1, 0, 1, &data);
	put (&block, "\x80\x01\xff\xff\xff\xff\x0f", 7); /* more data than there is */
	put_block (&stream, "EventBlock", &block);
	assert_int_equal (feed_pieces (&said, stream.bytes, stream.size, 1000, &over), 0);
	assert_string_equal (said.text, "R.1@1:1+5/0 ");
}

/* --- what is lost ------------------------------------------------------------------------------------------------- */

static void
what_the_runtime_dropped_is_counted (void **state)
{
	static const buffer nothing = { .size = 0 };
	heard said = { "" };
	const char *error;
	monocle__live_nettrace *trace = monocle__live_nettrace_new (hear, &said);
	put_start (&stream);
	put_head (&block);
	put_kind (&block, 1, "P", 10, "", &nothing);
	put_block (&stream, "MetadataBlock", &block);
	for (uint64_t sequence = 10; sequence <= 30; sequence += 10) { /* 11, 21, 31: nine are missing, twice */
		put_head (&block);
		put_event (&block, 1, sequence, 1, 0, 1, &nothing);
		put_block (&stream, "EventBlock", &block);
	}
	assert_int_equal (monocle__live_nettrace_feed (trace, stream.bytes, stream.size, &error), 0);
	assert_int_equal (monocle__live_nettrace_lost (trace), 18);
	monocle__live_nettrace_free (trace);
}

/* --- figures ------------------------------------------------------------------------------------------------------ */

static monocle__live_event_kind kind;
static monocle__live_figures figures;

static void
native (uint32_t id, uint64_t time)
{
	monocle__live_event event = { .kind = &kind, .time = time, .data = { data.bytes, data.size } };
	memset (&kind, 0, sizeof kind);
	strcpy (kind.provider, "Microsoft-Windows-DotNETRuntime");
	kind.id = id;
	monocle__live_figures_event (&event, &figures);
}

static void
collections_are_counted_by_generation_and_their_pauses_summed (void **state)
{
	monocle__live_figures_init (&figures);
	for (uint32_t generation = 0; generation < 4; generation++) {
		data.size = 0;
		put_number (&data, 1, 4);
		put_number (&data, generation, 4);
		native (1, 0);
	}
	data.size = 0;
	put_number (&data, 1, 4);
	native (9, 1000);
	native (3, 1500);
	native (3, 9000); /* of a suspension for something else */
	native (9, 2000);
	native (3, 2300);
	assert_int_equal (figures.values[MONOCLE__LIVE_GC_0], 1);
	assert_int_equal (figures.values[MONOCLE__LIVE_GC_1], 1);
	assert_int_equal (figures.values[MONOCLE__LIVE_GC_2], 1);
	assert_int_equal (figures.values[MONOCLE__LIVE_GC_PAUSE], 800);
	assert_int_equal (figures.values[MONOCLE__LIVE_GC_PAUSE_MOST], 500);
}

static void
events_that_are_too_short_do_no_harm (void **state)
{
	monocle__live_figures_init (&figures);
	for (uint32_t id = 0; id < 300; id++) {
		for (data.size = 0; data.size < 120; data.size += 7)
			native (id, 5);
	}
	assert_int_equal (figures.values[MONOCLE__LIVE_EXCEPTIONS], 18);
}

/* Name, and Mean or Increment, among others, in an object. */
static void
counter (const char *name, const char *value_name, double value, uint64_t time)
{
	static buffer fields;
	uint64_t word;
	monocle__live_event event = { .kind = &kind, .time = time };
	memcpy (&word, &value, sizeof word);
	fields.size = data.size = 0;
	put_number (&fields, 1, 4); /* one field, an object of four */
	put_number (&fields, 1, 4);
	put_number (&fields, 4, 4);
	put_number (&fields, 18, 4);
	put_text (&fields, "Name");
	put_number (&fields, 9, 4);
	put_text (&fields, "Count");
	put_number (&fields, 18, 4);
	put_text (&fields, "Series");
	put_number (&fields, 14, 4);
	put_text (&fields, value_name);
	put_text (&fields, "Payload");
	put_text (&data, name);
	put_number (&data, 1, 4);
	put_text (&data, "Interval=1000");
	put_number (&data, word, 8);
	memset (&kind, 0, sizeof kind);
	strcpy (kind.provider, "System.Runtime");
	strcpy (kind.name, "EventCounters");
	kind.fields = fields.bytes;
	kind.fields_size = fields.size;
	event.data = (monocle__span) { data.bytes, data.size };
	monocle__live_figures_event (&event, &figures);
	for (event.data.size = 0; event.data.size < data.size; event.data.size++) {
		monocle__live_counter read;
		assert_false (monocle__live_counter_read (&event, &read));
	}
}

static void
counters_are_read_by_their_own_description (void **state)
{
	monocle__live_figures_init (&figures);
	counter ("threadpool-queue-length", "Mean", 12, 100);
	counter ("threadpool-queue-length", "Mean", 11, 90); /* older, and later */
	counter ("threadpool-completed-items-count", "Increment", 5, 100);
	counter ("threadpool-completed-items-count", "Increment", 6, 200);
	counter ("gc-heap-size", "Mean", 1.5, 100);
	counter ("methods-jitted-count", "Max", 3, 100);
	counter ("threadpool-thread-count", "Mean", -1, 100);
	assert_int_equal (figures.values[MONOCLE__LIVE_POOL_QUEUE], 12);
	assert_int_equal (figures.values[MONOCLE__LIVE_POOL_ITEMS], 11);
	assert_int_equal (figures.values[MONOCLE__LIVE_HEAP], 1500000);
	assert_false (figures.is_known[MONOCLE__LIVE_METHODS]);
	assert_false (figures.is_known[MONOCLE__LIVE_POOL_THREADS]);
}

static void
tick (uint64_t time, uint64_t bytes)
{
	data.size = 0;
	put_number (&data, 0, 8);
	put_number (&data, 0, 2);
	put_number (&data, bytes, 8);
	native (10, time);
}

static void
allocations_are_the_counters_and_what_came_since (void **state)
{
	const uint64_t second = 1000000000;
	monocle__live_figures_init (&figures);
	monocle__live_figures_settle (&figures);
	assert_false (figures.is_known[MONOCLE__LIVE_ALLOCATED]);
	tick (second / 2, 100);
	tick (3 * second / 2, 1000);
	monocle__live_figures_settle (&figures);
	assert_int_equal (figures.values[MONOCLE__LIVE_ALLOCATED], 1100);
	counter ("alloc-rate", "Increment", 130, second); /* comes after what is newer */
	monocle__live_figures_settle (&figures);
	assert_int_equal (figures.values[MONOCLE__LIVE_ALLOCATED], 1130);
	tick (second / 4, 5000); /* which the counter has counted */
	monocle__live_figures_settle (&figures);
	assert_int_equal (figures.values[MONOCLE__LIVE_ALLOCATED], 1130);
	counter ("alloc-rate", "Increment", 2000, 2 * second);
	monocle__live_figures_settle (&figures);
	assert_int_equal (figures.values[MONOCLE__LIVE_ALLOCATED], 2130);
}

int
main (void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test (events_are_told_whatever_the_pieces),
		cmocka_unit_test (a_stream_that_stops_anywhere_is_no_error),
		cmocka_unit_test (something_else_is_refused_at_once),
		cmocka_unit_test (a_block_without_end_is_refused),
		cmocka_unit_test (blocks_and_kinds_that_are_not_known_are_passed_over),
		cmocka_unit_test (what_the_runtime_dropped_is_counted),
		cmocka_unit_test (collections_are_counted_by_generation_and_their_pauses_summed),
		cmocka_unit_test (events_that_are_too_short_do_no_harm),
		cmocka_unit_test (counters_are_read_by_their_own_description),
		cmocka_unit_test (allocations_are_the_counters_and_what_came_since),
	};
	return cmocka_run_group_tests (tests, NULL, NULL);
}
