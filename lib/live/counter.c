/*
 * SPDX-License-Identifier: MIT
 *
 * counter.c - see counter.h. The event has one field, an object whose fields the event's kind lists with their types;
 * which there are, and their order, is the runtime's choice.
 */
#include "counter.h"

#include <string.h>

enum {
	TYPE_OBJECT = 1, /* of System.TypeCode */
	TYPE_BOOLEAN = 3,
	TYPE_CHAR = 4,
	TYPE_DOUBLE = 14,
	TYPE_GUID = 17,
	TYPE_STRING = 18,

	DEEPEST = 4,
	FIELDS_MOST = 64,
};

typedef struct {
	monocle__span fields, data;
	monocle__live_counter counter;
	bool has_name, has_value;
} reading;

static bool
take_number (monocle__span *rest, uint32_t *ret_number)
{
	if (rest->size < 4)
		return false;
	*ret_number = monocle__le32 (rest->data);
	return monocle__span_rest (*rest, 4, rest);
}

/* 0: values of the type have no size of their own. */
static size_t
size_of (uint32_t type)
{
	static const uint8_t sizes[] = {
		[TYPE_BOOLEAN] = 4, [TYPE_CHAR] = 2, [5] = 1,  [6] = 1,  [7] = 2,           [8] = 2,   [9] = 4,
		[10] = 4,           [11] = 8,        [12] = 8, [13] = 4, [TYPE_DOUBLE] = 8, [15] = 16, [16] = 8,
		[TYPE_GUID] = 16
	};
	return type < sizeof sizes ? sizes[type] : 0;
}

static void
keep_number (reading *self, const char *name, const uint8_t *bytes)
{
	uint64_t word = monocle__le64 (bytes);
	double value;
	memcpy (&value, &word, sizeof value);
	if (strcmp (name, "Mean") != 0 && strcmp (name, "Increment") != 0)
		return;
	self->counter.value = value;
	self->counter.is_increment = name[0] == 'I';
	self->has_value = true;
}

static bool
read_value (reading *self, uint32_t type, const char *name)
{
	char text[sizeof self->counter.name];
	size_t size = size_of (type);
	if (type == TYPE_STRING) {
		if (!monocle__live_nettrace_take_text (&self->data, text, sizeof text))
			return false;
		if (strcmp (name, "Name") == 0) {
			memcpy (self->counter.name, text, sizeof text);
			self->has_name = true;
		}
		return true;
	}
	if (!size || self->data.size < size)
		return false;
	if (type == TYPE_DOUBLE)
		keep_number (self, name, self->data.data);
	return monocle__span_rest (self->data, size, &self->data);
}

/* A field is its type, of an object also its fields, and its name: an object's values come before its name is read. */
static bool
read_fields (reading *self, unsigned depth)
{
	uint32_t count, type;
	char name[32] = "";
	if (depth == DEEPEST || !take_number (&self->fields, &count) || count > FIELDS_MOST)
		return false;
	for (uint32_t i = 0; i < count; i++) {
		if (!take_number (&self->fields, &type) || (type == TYPE_OBJECT && !read_fields (self, depth + 1)) ||
		    !monocle__live_nettrace_take_text (&self->fields, name, sizeof name) ||
		    (type != TYPE_OBJECT && !read_value (self, type, name)))
			return false;
	}
	return true;
}

bool
monocle__live_counter_read (const monocle__live_event *event, monocle__live_counter *ret_counter)
{
	reading self = { .fields = { event->kind->fields, event->kind->fields_size }, .data = event->data };
	read_fields (&self, 0);
	if (!self.has_name || !self.has_value)
		return false;
	*ret_counter = self.counter;
	return true;
}
