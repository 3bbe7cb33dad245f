/*
 * SPDX-License-Identifier: MIT
 *
 * table.c - the sum as text: types, their stacks, counts and first messages.
 *
 * A stack is known by a hash of its type and methods, and told by names that are made when it is met first, so that
 * nothing is asked of code that has gone. Names are kept once. All of it is under one lock, which is never held while
 * the runtime is asked for anything.
 */
#include "exceptions.h"

#include <inttypes.h>
#include <pthread.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <mono/metadata/debug-helpers.h>
#include <mono/utils/mono-publib.h>

#include "written-name.h"

enum {
	ENTRIES_MOST = 1 << 14,
	SLOTS = 2 * ENTRIES_MOST,
	NAME_SLOTS = 1 << 16,
	MESSAGE_SIZE = 400,
	BURST = 1 << 17,
	SYNC_MS = 1000
};

struct entry {
	uint64_t hash;
	struct type *type;
	uint64_t thrown, again;
	char *message;
	uint32_t count;
	bool is_cut;
	const char *names[]; /* innermost first */
};

static struct entry *slots[SLOTS];
static const char *names[NAME_SLOTS];
static size_t entry_count, name_count;
static uint64_t homeless, homeless_again; /* throws whose stack found no room */
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

static uint64_t
mix (uint64_t hash, uint64_t value)
{
	hash = (hash ^ value) * 0x9e3779b97f4a7c15u;
	return hash ^ hash >> 29;
}

static uint64_t
hash_of (const struct type *type, MonoMethod *const *methods, uint32_t count, bool is_cut)
{
	uint64_t hash = mix (2 * (uint64_t) count + is_cut, (uintptr_t) type);
	for (uint32_t i = 0; i < count; i++)
		hash = mix (hash, (uintptr_t) methods[i]);
	return hash;
}

/* Where the stack is, or would be; NULL: there is no room. Under the lock. */
static struct entry **
find (uint64_t hash)
{
	for (size_t i = 0; i < SLOTS; i++) {
		struct entry **slot = &slots[(hash + i) % SLOTS];
		if (*slot ? (*slot)->hash == hash : entry_count < ENTRIES_MOST)
			return slot;
		if (!*slot)
			return NULL;
	}
	return NULL;
}

/* True: it was known. */
static bool
count_known (uint64_t hash, bool again)
{
	pthread_mutex_lock (&lock);
	struct entry **slot = find (hash);
	bool is_known = slot && *slot;
	if (is_known && again)
		(*slot)->again++;
	else if (is_known)
		(*slot)->thrown++;
	else if (!slot && again)
		homeless_again++;
	else if (!slot)
		homeless++;
	pthread_mutex_unlock (&lock);
	return is_known || !slot;
}

/* --- a stack that was not met before ------------------------------------------------------------------------------ */

/* Takes `name`; NULL without room. Under the lock. */
static const char *
keep_name (char *name)
{
	uint64_t hash = 0;
	for (const char *at = name; at && *at; at++)
		hash = mix (hash, (unsigned char) *at);
	for (size_t i = 0; name && i < NAME_SLOTS; i++) {
		const char **slot = &names[(hash + i) % NAME_SLOTS];
		if (!*slot && name_count < NAME_SLOTS / 2) {
			name_count++;
			return *slot = name;
		}
		if (!*slot || strcmp (*slot, name) == 0) {
			const char *known = *slot;
			free (name);
			return known;
		}
	}
	free (name);
	return NULL;
}

/* The names of its methods, unkept yet. */
static struct entry *
make (struct type *type, MonoObject *exception, MonoMethod *const *methods, uint32_t count, bool is_cut)
{
	char message[MESSAGE_SIZE];
	struct entry *entry = calloc (1, sizeof *entry + count * sizeof *entry->names);
	if (!entry)
		return NULL;
	type_message (exception, message, sizeof message);
	*entry = (struct entry) { .type = type, .message = strdup (message), .count = count, .is_cut = is_cut };
	for (uint32_t i = 0; i < count; i++) {
		char *name = mono_method_full_name (methods[i], 1), *written = name ? written_name (methods[i], name) : NULL;
		entry->names[i] = written ? written : strdup (name ? name : "?");
		mono_free (name);
	}
	return entry;
}

static void
drop (struct entry *entry)
{
	for (uint32_t i = 0; i < entry->count; i++)
		free ((char *) entry->names[i]);
	free (entry->message);
	free (entry);
}

/* Another thread may have been faster. */
static struct entry *
insert (struct entry *entry, uint64_t hash)
{
	struct entry **slot = find (hash);
	if (!slot || *slot)
		return slot ? *slot : NULL;
	for (uint32_t i = 0; i < entry->count; i++)
		entry->names[i] = keep_name ((char *) entry->names[i]);
	entry->hash = hash;
	entry_count++;
	return *slot = entry;
}

void
table_add (struct type *type, MonoObject *exception, bool again, MonoMethod *const *methods, uint32_t count,
           bool is_cut)
{
	uint64_t hash = hash_of (type, methods, count, is_cut);
	if (count_known (hash, again))
		return;
	struct entry *fresh = make (type, exception, methods, count, is_cut), *entry = NULL;
	pthread_mutex_lock (&lock);
	if (fresh && (entry = insert (fresh, hash)))
		*(again ? &entry->again : &entry->thrown) += 1;
	else
		*(again ? &homeless_again : &homeless) += 1;
	pthread_mutex_unlock (&lock);
	if (fresh && entry != fresh)
		drop (fresh);
}

/* --- writing ------------------------------------------------------------------------------------------------------ */

struct writer {
	monocle_kit_text *text;
	size_t written;
};

/* A line of the text log waits in a buffer for its thread, and at once there must not be more than that holds. */
static void
write_line (struct writer *writer, const char *format, ...)
{
	char line[4096];
	va_list arguments;
	va_start (arguments, format);
	int length = vsnprintf (line, sizeof line, format, arguments);
	va_end (arguments);
	if (length < 0)
		return;
	size_t size = (size_t) length < sizeof line ? (size_t) length : sizeof line - 1;
	monocle_kit_text_line (writer->text, monocle_kit_now (), line, size);
	if ((writer->written += size) < BURST)
		return;
	writer->written = 0;
	monocle_kit_text_sync (writer->text, SYNC_MS);
}

static void
write_entry (struct writer *writer, const struct entry *entry)
{
	char again[64] = "";
	if (entry->again)
		snprintf (again, sizeof again, " (%" PRIu64 " rethrown)", entry->again);
	write_line (writer, "%12" PRIu64 "%s %s", entry->thrown + entry->again, again,
	            entry->message ? entry->message : "");
	for (uint32_t i = 0; i < entry->count; i++)
		write_line (writer, "                %s", entry->names[i] ? entry->names[i] : "?");
	if (!entry->count)
		write_line (writer, "                [native]");
	if (entry->is_cut)
		write_line (writer, "                [truncated]");
}

/* By their names, so that two runs write the same. */
static int
compare_names (const struct entry *x, const struct entry *y)
{
	for (uint32_t i = 0; i < x->count && i < y->count; i++) {
		int order = x->names[i] && y->names[i] ? strcmp (x->names[i], y->names[i]) : 0;
		if (order)
			return order;
	}
	return (x->count > y->count) - (x->count < y->count);
}

static int
by_frequency (const void *a, const void *b)
{
	const struct entry *x = *(struct entry *const *) a, *y = *(struct entry *const *) b;
	uint64_t of_x = x->thrown + x->again, of_y = y->thrown + y->again;
	return of_x != of_y ? (of_x < of_y) - (of_x > of_y) : compare_names (x, y);
}

static void
write_type (struct writer *writer, const struct type *type, struct entry *const *entries, size_t count)
{
	write_line (writer, "%s", "");
	write_line (writer, "%8" PRIu64 " %s", type->thrown + type->again, type->name);
	for (size_t i = 0; i < count; i++)
		if (entries[i]->type == type)
			write_entry (writer, entries[i]);
}

static void
write_sum (struct writer *writer, struct type *const *types, size_t count)
{
	uint64_t thrown = 0, again = 0;
	for (size_t i = 0; i < count; i++) {
		thrown += types[i]->thrown;
		again += types[i]->again;
	}
	write_line (writer, "# %" PRIu64 " thrown, %" PRIu64 " rethrown; %zu types, %zu stacks", thrown, again, count,
	            entry_count);
	if (homeless + homeless_again)
		write_line (writer, "# %" PRIu64 " of them at other stacks, for which there was no room",
		            homeless + homeless_again);
}

/* At the end, or nearly: other threads that still throw wait. */
void
table_write (monocle_kit_text *text)
{
	struct writer writer = { text, 0 };
	size_t type_count = type_list (NULL, 0), count = 0;
	struct type **types = calloc (type_count + 1, sizeof *types);
	struct entry **entries = calloc (ENTRIES_MOST, sizeof *entries);
	pthread_mutex_lock (&lock);
	for (size_t i = 0; entries && i < SLOTS; i++)
		if (slots[i])
			entries[count++] = slots[i];
	pthread_mutex_unlock (&lock);
	if (count)
		qsort (entries, count, sizeof *entries, by_frequency);
	if (types && type_list (types, type_count) < type_count)
		type_count = 0;
	if (types && entries)
		write_sum (&writer, types, type_count);
	for (size_t i = 0; types && entries && i < type_count; i++)
		write_type (&writer, types[i], entries, count);
	free (types);
	free (entries);
}

/* Entries name what is in the table of names. */
void
table_free (void)
{
	for (size_t i = 0; i < SLOTS; i++) {
		if (slots[i])
			free (slots[i]->message);
		free (slots[i]);
	}
	for (size_t i = 0; i < NAME_SLOTS; i++)
		free ((char *) names[i]);
}
