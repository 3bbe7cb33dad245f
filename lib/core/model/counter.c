/*
 * SPDX-License-Identifier: MIT
 *
 * counter.c - counters that modules register, and printing them. The core registers none of its own: a runtime's
 * counters are the host's.
 *
 * Counters are in a list that only grows at its end, so that they are met in the order in which they came, as in
 * Mono. Registering is for any thread in normal context.
 */
#include <inttypes.h>
#include <string.h>
#include <mono/utils/mono-counters.h>
#include "arena.h"
#include "records.h"

struct _MonoCounter {
	_Atomic (MonoCounter *) next;
	const char *name;
	void *address;
	int type; /* with section, unit, variance and MONO_COUNTER_CALLBACK */
	size_t size;
};

static _Atomic (MonoCounter *) oldest;
static _Atomic (MonoCounterRegisterCallback) on_register;

static size_t
size_of (int type, int string_size)
{
	switch (type & MONO_COUNTER_TYPE_MASK) {
	case MONO_COUNTER_INT:
	case MONO_COUNTER_UINT: return sizeof (int32_t);
	case MONO_COUNTER_WORD: return sizeof (intptr_t);
	case MONO_COUNTER_STRING: return string_size > 0 ? (size_t) string_size : 0;
	default: return sizeof (int64_t);
	}
}

/* Appends; false when a counter with this address is there already. */
static bool
append (MonoCounter *counter)
{
	_Atomic (MonoCounter *) *end = &oldest;
	MonoCounter *other = NULL;
	while (!atomic_compare_exchange_strong (end, &other, counter)) {
		if (other->address == counter->address)
			return false;
		end = &other->next;
		other = NULL;
	}
	return true;
}

/* Mono takes no second counter with the same address either. */
void
mono_counters_register_with_size (const char *name, int type, void *address, int size)
{
	MonoCounter *counter = name ? monocle__arena_alloc (sizeof *counter) : NULL;
	MonoCounterRegisterCallback told = atomic_load (&on_register);
	if (!counter || !(counter->name = monocle__arena_string (name)))
		return;
	/* Without a variance a counter is taken for one that only grows. */
	counter->type = type & MONO_COUNTER_VARIANCE_MASK ? type : type | MONO_COUNTER_MONOTONIC;
	counter->address = address;
	counter->size = size_of (type, size);
	if (!append (counter))
		monocle_log ("the counter %s has the address of one that is there already; it is left out", name);
	else if (told)
		told (counter);
}

void
mono_counters_register (const char *name, int type, void *address)
{
	mono_counters_register_with_size (name, type, address, 0);
}

void
mono_counters_on_register (MonoCounterRegisterCallback callback)
{
	atomic_store (&on_register, callback);
}

void
mono_counters_foreach (CountersEnumCallback callback, void *user_data)
{
	for (MonoCounter *counter = atomic_load (&oldest); counter; counter = atomic_load (&counter->next))
		if (!callback (counter, user_data))
			return;
}

/* A counter with MONO_COUNTER_CALLBACK is a function that returns the value. */
#define SAMPLE(type_) \
	do { \
		type_ value = is_callback ? ((type_ (*) (void)) counter->address) () : *(type_ *) counter->address; \
		memcpy (buffer, &value, sizeof value); \
		return (int) sizeof value; \
	} while (0)

/* The address is that of the text itself. NULL: there is none. */
static const char *
text_of (const MonoCounter *counter, size_t *ret_length)
{
	bool is_callback = counter->type & MONO_COUNTER_CALLBACK;
	const char *text = is_callback ? ((char *(*) (void) ) counter->address) () : counter->address;
	*ret_length = text && counter->size ? strnlen (text, counter->size - 1) : 0;
	return text;
}

/* `size` bytes of the text are the value: cut, or filled up with zeros. */
static int
sample_string (const MonoCounter *counter, char *buffer)
{
	size_t length;
	const char *text = text_of (counter, &length);
	if (length)
		memcpy (buffer, text, length);
	memset (buffer + length, 0, counter->size - length);
	return (int) counter->size;
}

/* Copies the value; returns how many bytes, or -1 when the buffer is too small for it. */
int
mono_counters_sample (MonoCounter *counter, void *buffer, int buffer_size)
{
	if (!counter || !buffer || buffer_size < 0)
		return -1;
	bool is_callback = counter->type & MONO_COUNTER_CALLBACK;
	int type = counter->type & MONO_COUNTER_TYPE_MASK;
	if ((size_t) buffer_size < counter->size)
		return -1;
	switch (type) {
	case MONO_COUNTER_STRING: return sample_string (counter, buffer);
	case MONO_COUNTER_INT:
	case MONO_COUNTER_UINT: SAMPLE (int32_t);
	case MONO_COUNTER_WORD: SAMPLE (intptr_t);
	case MONO_COUNTER_DOUBLE: SAMPLE (double);
	default: SAMPLE (int64_t);
	}
}

const char *
mono_counter_get_name (MonoCounter *counter)
{
	return counter ? counter->name : NULL;
}

int
mono_counter_get_type (MonoCounter *counter)
{
	return counter ? counter->type & MONO_COUNTER_TYPE_MASK : 0;
}

int
mono_counter_get_section (MonoCounter *counter)
{
	return counter ? counter->type & MONO_COUNTER_SECTION_MASK : 0;
}

int
mono_counter_get_unit (MonoCounter *counter)
{
	return counter ? (int) ((unsigned) counter->type & MONO_COUNTER_UNIT_MASK) : 0;
}

int
mono_counter_get_variance (MonoCounter *counter)
{
	return counter ? (int) ((unsigned) counter->type & MONO_COUNTER_VARIANCE_MASK) : 0;
}

size_t
mono_counter_get_size (MonoCounter *counter)
{
	return counter ? counter->size : 0;
}

/* --- printing: the text is Mono's --------------------------------------------------------------------------------- */

enum { HUNDRED_NS_PER_MS = 10000, US_PER_MS = 1000 };

/* By bits of the type word, from MONO_COUNTER_JIT on. */
static const char *const sections[] = {
	"JIT", "GC", "Metadata", "Generics", "Security", "Runtime", "System", "", "Profiler", "Interp",
};

_Static_assert(MONO_COUNTER_JIT << (sizeof sections / sizeof *sections - 1) == MONO_COUNTER_INTERP,
               "each section has a name");

static atomic_int enabled; /* sections */

void
mono_counters_enable (int section_mask)
{
	atomic_store (&enabled, section_mask & MONO_COUNTER_SECTION_MASK);
}

static void
print_text (MonoCounter *counter, FILE *out)
{
	size_t length;
	const char *text = text_of (counter, &length);
	fprintf (out, "%.*s\n", (int) length, text ? text : "");
}

/* Of 64 bits; only these have a unit of time. */
static void
print_long (MonoCounter *counter, FILE *out)
{
	union {
		int64_t number;
		uint64_t positive;
	} value = { 0 };
	int type = mono_counter_get_type (counter);
	bool is_positive = type == MONO_COUNTER_ULONG;
	mono_counters_sample (counter, &value, sizeof value);
	double real = is_positive ? (double) value.positive : (double) value.number;
	if (type == MONO_COUNTER_TIME_INTERVAL)
		fprintf (out, "%.2f ms\n", real / US_PER_MS);
	else if (mono_counter_get_unit (counter) == MONO_COUNTER_TIME)
		fprintf (out, "%.2f ms\n", real / HUNDRED_NS_PER_MS);
	else if (is_positive)
		fprintf (out, "%ju\n", (uintmax_t) value.positive);
	else
		fprintf (out, "%jd\n", (intmax_t) value.number);
}

static void
print_value (MonoCounter *counter, FILE *out)
{
	union {
		int32_t number;
		uint32_t positive;
		intptr_t word;
		double real;
	} value = { 0 };
	int type = mono_counter_get_type (counter);
	if (type != MONO_COUNTER_STRING)
		mono_counters_sample (counter, &value, sizeof value);
	switch (type) {
	case MONO_COUNTER_INT: fprintf (out, "%" PRId32 "\n", value.number); break;
	case MONO_COUNTER_UINT: fprintf (out, "%" PRIu32 "\n", value.positive); break;
	case MONO_COUNTER_WORD: fprintf (out, "%" PRIdPTR "\n", value.word); break;
	case MONO_COUNTER_DOUBLE: fprintf (out, "%.4f\n", value.real); break;
	case MONO_COUNTER_STRING: print_text (counter, out); break;
	default: print_long (counter, out);
	}
}

static void
print_section (int section, const char *name, FILE *out)
{
	bool headed = false;
	for (MonoCounter *counter = atomic_load (&oldest); counter; counter = atomic_load (&counter->next)) {
		if (!(counter->type & section))
			continue;
		if (!headed)
			fprintf (out, "\n%s statistics\n", name);
		headed = true;
		fprintf (out, "%-36s: ", counter->name);
		print_value (counter, out);
	}
}

/* A counter of several sections stands in each of them, as on Mono. */
void
mono_counters_dump (int section_mask, FILE *outfile)
{
	int wanted = section_mask & atomic_load (&enabled);
	for (size_t i = 0; outfile && i < sizeof sections / sizeof *sections; i++)
		if (wanted & MONO_COUNTER_JIT << i)
			print_section (MONO_COUNTER_JIT << i, sections[i], outfile);
	if (outfile)
		fflush (outfile);
}
