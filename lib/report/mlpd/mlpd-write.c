/*
 * SPDX-License-Identifier: MIT
 *
 * mlpd-write.c - calls or samples as a file of Mono's log profiler, format 17.
 *
 * The file has events, a profile has sums: events are made up that come to the same sums. A sample that was seen n
 * times is n hits. Of the n calls on a path all but the last call nothing and the last one calls everything, one after
 * another; each takes its share of the path's own time. So counts, times and who called whom are the profile's, when
 * anything happened and how long a single call took are not. Methods have addresses that were never those of code.
 */
#include "bytes.h"
#include "format.h"
#include "mlpd.h"
#include "packed.h"
#include "per-thread.h"
#include "spool-name.h"
#include "threads.h"
#include "topics.h"

#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

enum {
	MOST_EVENTS = 1 << 26, /* hits or calls: half a gigabyte of them */
	PIECE = 32 * 1024,     /* a buffer that has as much is written */
	NAMES_THREAD = 0x100,  /* id of the thread that tells the names, and of the first one of the profile */
	FIRST_THREAD = 0x1000,
	THREAD_STEP = 0x100,
	BEGIN = 1000000000, /* the events' clock at the start */
};
static const uint64_t first_method = 0x10000, method_step = 0x10;
static const uint64_t first_code = UINT64_C (0x100000000), code_step = 0x40, code_size = 0x20;

typedef struct {
	FILE *out;
	const monocle__profile *profile;
	monocle__packed buffer; /* events without the buffer's header */
	uint64_t time, method;  /* of the buffer's last event */
	uint64_t begin, thread; /* of the buffer */
	size_t calls, self;     /* values; SIZE_MAX: there are no times */
} writer;

/* --- what fits ---------------------------------------------------------------------------------------------------- */

/* What of the profile would be written; MONOCLE__TOPIC_COUNT: there is nothing. */
static monocle__topic
choose_topic (const monocle__profile *profile, const monocle__convert_options *options)
{
	monocle__topic topic = monocle__topic_of (profile, options->value);
	if (topic == MONOCLE__TOPIC_CALLS)
		return monocle__profile_find_value (profile, "calls") != SIZE_MAX ? topic : MONOCLE__TOPIC_COUNT;
	if (topic == MONOCLE__TOPIC_SAMPLES)
		return topic;
	/* What samples weigh is nothing that the file could have, and how many there are is asked for as well. */
	if (topic == MONOCLE__TOPIC_COUNT && !options->one_value &&
	    monocle__profile_find_value (profile, "samples") != SIZE_MAX)
		return MONOCLE__TOPIC_SAMPLES;
	return MONOCLE__TOPIC_COUNT;
}

typedef struct {
	size_t calls, self;
	uint64_t events;
	char orphan[100]; /* a method with something to tell that was never called; "": none */
	bool has_negative;
} check;

static void
check_amount (check *c, int64_t amount)
{
	c->has_negative = c->has_negative || amount < 0;
	if (amount > 0 && c->events <= MOST_EVENTS)
		c->events += amount <= MOST_EVENTS ? (uint64_t) amount : MOST_EVENTS + 1;
}

static void
check_tree (const monocle__tree *tree, const char *name, size_t number, void *context)
{
	check *c = context;
	for (uint32_t i = 1; i < tree->count; i++) {
		int64_t calls = monocle__tree_self (tree, i, c->calls);
		int64_t self = c->self != SIZE_MAX ? monocle__tree_self (tree, i, c->self) : 0;
		check_amount (c, calls);
		c->has_negative = c->has_negative || self < 0;
		const char *name_of = tree->profile->functions[tree->nodes[i].function].name;
		/* What is between a caller and a fold is left out: the callees are the caller's. */
		bool is_between = self == 0 && strcmp (name_of, MONOCLE__SPOOL_OTHER) == 0;
		if (calls == 0 && !is_between && (self || monocle__tree_total (tree, i, c->calls)))
			snprintf (c->orphan, sizeof c->orphan, "%s", name_of);
	}
}

static bool __attribute__ ((format (printf, 3, 4))) refuse (char *why, size_t size, const char *format, ...)
{
	va_list arguments;
	va_start (arguments, format);
	vsnprintf (why, size, format, arguments);
	va_end (arguments);
	return false;
}

bool
monocle__mlpd_fits (const monocle__profile *profile, const monocle__convert_options *options, char *why, size_t size)
{
	monocle__topic topic = choose_topic (profile, options);
	size_t samples = monocle__profile_find_value (profile, "samples");
	check c = { .calls = monocle__profile_find_value (profile, "calls") };
	c.self = monocle__profile_find_value (profile, "self");
	if (topic == MONOCLE__TOPIC_COUNT)
		return refuse (why, size, "mlpd is written of the values calls and self, or samples, and '%.40s' is neither",
		               profile->value_types[options->value].type);
	for (size_t i = 0; topic == MONOCLE__TOPIC_SAMPLES && i < profile->sample_count; i++)
		check_amount (&c, monocle__profile_values (profile, i)[samples]);
	if (topic == MONOCLE__TOPIC_CALLS && monocle__per_thread (profile, check_tree, &c) != 0)
		return refuse (why, size, "out of memory");
	if (c.has_negative)
		return refuse (why, size, "it has amounts below zero, and mlpd has none");
	if (*c.orphan)
		return refuse (why, size, "mlpd has no time or callees without a call, as %s has", c.orphan);
	if (c.events > MOST_EVENTS)
		return refuse (why, size, "mlpd has an event for each call or sample, and more than %d are too many",
		               MOST_EVENTS);
	return true;
}

/* --- numbers ------------------------------------------------------------------------------------------------------ */

static void
put_byte (writer *w, unsigned byte)
{
	char c = (char) byte;
	monocle__packed_put (&w->buffer, &c, 1);
}

static void
put_number (writer *w, uint64_t number)
{
	for (; number > 0x7f; number >>= 7)
		put_byte (w, 0x80 | (number & 0x7f));
	put_byte (w, (unsigned) number);
}

static void
put_signed (writer *w, int64_t number)
{
	while (number < -0x40 || number > 0x3f) {
		put_byte (w, 0x80 | (number & 0x7f));
		number >>= 7;
	}
	put_byte (w, number & 0x7f);
}

static void
put_text (writer *w, const char *text)
{
	monocle__packed_put (&w->buffer, text, strlen (text) + 1);
}

static void
put_method (writer *w, uint32_t function)
{
	uint64_t method = first_method + function * method_step;
	put_signed (w, (int64_t) (method - w->method));
	w->method = method;
}

static uint64_t
code_of (uint32_t function)
{
	return first_code + function * code_step;
}

/* --- buffers ------------------------------------------------------------------------------------------------------ */

static void
write_buffer (writer *w)
{
	uint8_t header[MONOCLE__MLPD_BUFFER_SIZE] = { 0 };
	if (w->buffer.length == 0)
		return;
	monocle__put_le32 (header, MONOCLE__MLPD_BUFFER_MAGIC);
	monocle__put_le32 (header + 4, (uint32_t) w->buffer.length);
	monocle__put_le64 (header + 8, w->begin);
	monocle__put_le64 (header + 32, w->thread);
	fwrite (header, 1, sizeof header, w->out);
	fwrite (w->buffer.bytes, 1, w->buffer.length, w->out);
	w->buffer.length = 0;
}

static void
begin_buffer (writer *w, uint64_t thread, uint64_t time)
{
	write_buffer (w);
	w->thread = thread;
	w->begin = w->time = time;
	w->method = 0;
}

/* What follows is the event's own. */
static void
put_event (writer *w, unsigned byte, uint64_t time)
{
	if (w->buffer.length > PIECE)
		begin_buffer (w, w->thread, w->time);
	put_byte (w, byte);
	put_number (w, time - w->time);
	w->time = time;
}

/* --- names -------------------------------------------------------------------------------------------------------- */

static void
write_text (FILE *out, const char *text)
{
	uint8_t size[4];
	monocle__put_le32 (size, (uint32_t) strlen (text) + 1);
	fwrite (size, 1, sizeof size, out);
	fwrite (text, 1, strlen (text) + 1, out);
}

static void
write_header (const writer *w, const monocle__convert_options *options)
{
	uint8_t header[38] = { 0 };
	char arguments[256];
	snprintf (arguments, sizeof arguments, "monocle convert %.200s", options->title ? options->title : "");
	monocle__put_le32 (header, MONOCLE__MLPD_MAGIC);
	header[4] = 3; /* version 3.0 of the profiler */
	header[6] = MONOCLE__MLPD_LAST;
	header[7] = 8; /* size of pointers */
	monocle__put_le64 (header + 8, (uint64_t) (w->profile->time_nanos / 1000000));
	monocle__put_le64 (header + 16, BEGIN);
	fwrite (header, 1, sizeof header, w->out);
	write_text (w->out, arguments);
	write_text (w->out, "unknown");
	write_text (w->out, "unknown");
}

static void
put_methods (writer *w)
{
	begin_buffer (w, NAMES_THREAD, BEGIN);
	for (size_t i = 0; i < w->profile->function_count; i++) {
		put_event (w, 0x43, BEGIN);
		put_method (w, (uint32_t) i);
		put_signed (w, (int64_t) code_of ((uint32_t) i));
		put_number (w, code_size);
		put_text (w, w->profile->functions[i].name);
	}
}

static uint64_t
thread_id (size_t number)
{
	return FIRST_THREAD + number * THREAD_STEP;
}

static void
put_thread (writer *w, size_t number, const char *name)
{
	enum { THREAD = 5 };
	begin_buffer (w, thread_id (number), BEGIN);
	if (!*name)
		return;
	put_event (w, 0x02, BEGIN);
	put_byte (w, THREAD);
	put_signed (w, (int64_t) thread_id (number));
	put_text (w, name);
}

/* --- samples ------------------------------------------------------------------------------------------------------ */

static void
put_hit (writer *w, const monocle__sample *sample, size_t thread, uint64_t time)
{
	const uint32_t *frames = w->profile->frames + sample->frames;
	put_event (w, 0x07, time);
	put_signed (w, (int64_t) thread_id (thread));
	put_number (w, 1);
	put_signed (w, sample->depth ? (int64_t) code_of (frames[0]) : 0);
	put_number (w, sample->depth);
	for (size_t i = 0; i < sample->depth; i++)
		put_method (w, frames[i]);
}

/* The program's time is spread over its samples. */
static void
put_hits (writer *w, const monocle__threads *threads)
{
	size_t value = monocle__profile_find_value (w->profile, "samples");
	int64_t sum = monocle__profile_sum (w->profile, value), duration = w->profile->duration_nanos;
	uint64_t step = sum > 0 && duration > sum ? (uint64_t) (duration / sum) : 0, time = BEGIN;
	for (size_t i = 0; i < threads->count; i++)
		put_thread (w, i, threads->names[i]);
	begin_buffer (w, NAMES_THREAD, BEGIN);
	for (size_t i = 0; i < w->profile->sample_count; i++) {
		for (int64_t left = monocle__profile_values (w->profile, i)[value]; left > 0; left--)
			put_hit (w, &w->profile->samples[i], threads->count ? threads->of_sample[i] : 0, time += step);
	}
}

static bool
put_samples (writer *w)
{
	monocle__threads *threads = monocle__threads_new (w->profile);
	if (!threads)
		return false;
	put_hits (w, threads);
	monocle__threads_free (threads);
	return true;
}

/* --- calls -------------------------------------------------------------------------------------------------------- */

enum { LEAVE = 0x13, ENTER = 0x23 };

/* A tree of a thread has functions of its own, which are the profile's by their names. */
static void
put_call (writer *w, const monocle__tree *tree, uint32_t node, unsigned byte, uint64_t time)
{
	const monocle__function *function = &tree->profile->functions[tree->nodes[node].function];
	put_event (w, byte, time);
	put_method (w, (uint32_t) monocle__profile_find_function (w->profile, function));
}

static int64_t
self_time (const writer *w, const monocle__tree *tree, uint32_t node)
{
	return w->self != SIZE_MAX ? monocle__tree_self (tree, node, w->self) : 0;
}

/* All calls but the last one come and go. */
static void
put_enters (const monocle__tree *tree, uint32_t node, void *context)
{
	writer *w = context;
	int64_t calls = node ? monocle__tree_self (tree, node, w->calls) : 0;
	if (calls == 0)
		return;
	for (int64_t i = 1; i < calls; i++) {
		put_call (w, tree, node, ENTER, w->time);
		put_call (w, tree, node, LEAVE, w->time + (uint64_t) (self_time (w, tree, node) / calls));
	}
	put_call (w, tree, node, ENTER, w->time);
}

/* The last one has what the division left over. */
static void
put_leave (const monocle__tree *tree, uint32_t node, void *context)
{
	writer *w = context;
	int64_t calls = node ? monocle__tree_self (tree, node, w->calls) : 0, self = self_time (w, tree, node);
	if (calls > 0)
		put_call (w, tree, node, LEAVE, w->time + (uint64_t) (self - self / calls * (calls - 1)));
}

static void
put_tree (const monocle__tree *tree, const char *name, size_t number, void *context)
{
	writer *w = context;
	monocle__tree_visitor visitor = { .enter = put_enters, .leave = put_leave, .context = w };
	put_thread (w, number, name);
	monocle__tree_walk (tree, &visitor);
}

/* --- all of it ---------------------------------------------------------------------------------------------------- */

int
monocle__mlpd_convert (FILE *out, const monocle__profile *profile, const monocle__convert_options *options)
{
	writer w = { .out = out, .profile = profile };
	bool has_calls = choose_topic (profile, options) == MONOCLE__TOPIC_CALLS, done;
	w.calls = monocle__profile_find_value (profile, "calls");
	w.self = monocle__profile_find_value (profile, "self");
	write_header (&w, options);
	put_methods (&w);
	done = has_calls ? monocle__per_thread (profile, put_tree, &w) == 0 : put_samples (&w);
	write_buffer (&w);
	done = done && !w.buffer.failed;
	monocle__packed_done (&w.buffer);
	return done ? 0 : -1;
}
