/*
 * SPDX-License-Identifier: MIT
 *
 * callvalues.c - says of each call what log.cs says of it in the program, from what its call context shows.
 *
 * Each different line is written once, at the end, after the number of times that it came, in the order in which it
 * came first. The sizes of buffers must be those of the types; a line says where they are not.
 * Options: `output=FILE`, `image=NAME`, `locals` (Mono crashes in that getter).
 */
#include <inttypes.h>
#include <malloc.h>
#include <pthread.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <mono/metadata/appdomain.h>
#include <mono/metadata/attrdefs.h>
#include <mono/metadata/class.h>
#include <mono/metadata/image.h>
#include <mono/metadata/metadata.h>
#include <mono/metadata/profiler.h>
#include <monocle/ext.h>

enum { LINE_MAX = 16384, LINES_MAX = 1 << 16, SHOWN_MAX = 64 };

/* libc's smallest chunk has room for 24 bytes, and it gives one that is 16 larger where the rest would be too small. */
enum { SLACK = 40 };

typedef struct {
	char *text;
	uint64_t count;
} line;

struct _MonoProfiler {
	FILE *out;
	char image[64];
	bool locals;
	pthread_mutex_t lock;
	uint32_t count, buckets[LINES_MAX]; /* a line's number and one */
	line lines[LINES_MAX];
};

static struct _MonoProfiler profiler = { .lock = PTHREAD_MUTEX_INITIALIZER };

/* A line that is being written; what does not fit is cut off, and the line differs. */
typedef struct {
	size_t length;
	char text[LINE_MAX];
} draft;

MONO_API void mono_profiler_init_callvalues (const char *desc);

#define PUT(d, ...) \
	((d)->length += (size_t) snprintf ((d)->text + (d)->length, LINE_MAX - (d)->length, __VA_ARGS__), \
	 (d)->length = (d)->length < LINE_MAX ? (d)->length : LINE_MAX - 1)

/* --- lines -------------------------------------------------------------------------------------------------------- */

static uint32_t
bucket_of (const char *text)
{
	uint64_t sum = 0;
	for (const char *c = text; *c; c++)
		sum = (sum ^ (unsigned char) *c) * UINT64_C (0x100000001b3);
	uint32_t at = (uint32_t) (sum >> 20) % LINES_MAX;
	while (profiler.buckets[at] && strcmp (profiler.lines[profiler.buckets[at] - 1].text, text) != 0)
		at = (at + 1) % LINES_MAX;
	return at;
}

static void
add_line (const char *text)
{
	pthread_mutex_lock (&profiler.lock);
	uint32_t at = bucket_of (text);
	if (!profiler.buckets[at] && profiler.count < LINES_MAX - 1) {
		profiler.lines[profiler.count].text = strdup (text);
		profiler.buckets[at] = ++profiler.count;
	}
	if (profiler.buckets[at])
		profiler.lines[profiler.buckets[at] - 1].count++;
	pthread_mutex_unlock (&profiler.lock);
}

/* --- values ------------------------------------------------------------------------------------------------------- */

static void put_value (draft *d, MonoType *type, const char *at);

static void
put_hex (draft *d, const void *data, size_t size)
{
	static const char digits[] = "0123456789abcdef";
	const unsigned char *bytes = data;
	for (size_t i = 0; i < size && d->length + 2 < LINE_MAX; i++) {
		d->text[d->length++] = digits[bytes[i] >> 4];
		d->text[d->length++] = digits[bytes[i] & 15];
	}
	d->text[d->length] = 0;
}

static void
put_raw (draft *d, const char *at, size_t size)
{
	uint64_t sum = 0, part;
	size_t i = 0;
	if (size <= SHOWN_MAX) {
		put_hex (d, at, size);
		return;
	}
	for (; i + sizeof part <= size; i += sizeof part) {
		memcpy (&part, at + i, sizeof part);
		sum = (sum ^ part) * UINT64_C (0x100000001b3);
	}
	for (; i < size; i++)
		sum = (sum ^ (unsigned char) at[i]) * UINT64_C (0x100000001b3);
	PUT (d, "sum ");
	put_hex (d, &sum, sizeof sum);
}

static bool
is_static (MonoClassField *field)
{
	return mono_field_get_flags (field) & MONO_FIELD_ATTR_STATIC;
}

static size_t
header_size (MonoClass *klass)
{
	return (size_t) (mono_class_instance_size (klass) - mono_class_value_size (klass, NULL));
}

static void
put_maybe (draft *d, MonoClass *klass, const char *at)
{
	MonoClassField *field, *value = NULL;
	void *position = NULL;
	bool has = false;
	at -= header_size (klass);
	while ((field = mono_class_get_fields (klass, &position)))
		if (is_static (field))
			continue;
		else if (strcmp (mono_field_get_name (field), "value") == 0)
			value = field;
		else
			has = at[mono_field_get_offset (field)];
	PUT (d, "%s", has ? "some " : "none");
	if (has)
		put_value (d, mono_field_get_type (value), at + mono_field_get_offset (value));
}

static void
put_struct (draft *d, MonoClass *klass, const char *at)
{
	const char *name = mono_class_get_name (klass);
	MonoClassField *field;
	void *position = NULL;
	bool first = true;
	if (mono_class_value_size (klass, NULL) <= 0) {
		PUT (d, "%s of unknown size", name);
		return;
	}
	if (strcmp (name, "Nullable`1") == 0) {
		put_maybe (d, klass, at);
		return;
	}
	PUT (d, "%s{", name);
	if (strncmp (name, "Raw", 3) == 0)
		put_raw (d, at, (size_t) mono_class_value_size (klass, NULL));
	else
		while ((field = mono_class_get_fields (klass, &position))) {
			if (is_static (field))
				continue;
			PUT (d, "%s", first ? "" : ",");
			first = false;
			put_value (d, mono_field_get_type (field), at - header_size (klass) + mono_field_get_offset (field));
		}
	PUT (d, "}");
}

static void
put_string (draft *d, MonoString *string)
{
	const mono_unichar2 *characters = mono_string_chars (string);
	PUT (d, "\"");
	for (int i = 0; i < mono_string_length (string); i++)
		PUT (d, "%c", characters[i] < 0x7f ? characters[i] : '?');
	PUT (d, "\"");
}

static void
put_object (draft *d, MonoObject *object)
{
	if (!object) {
		PUT (d, "null");
		return;
	}
	MonoClass *klass = mono_object_get_class (object);
	if (klass == mono_get_string_class ()) {
		put_string (d, (MonoString *) object);
		return;
	}
	MonoClassField *id = mono_class_get_field_from_name (klass, "Id");
	PUT (d, "%s", mono_class_get_name (klass));
	if (id && !is_static (id))
		PUT (d, "#%d", *(const int *) ((const char *) object + mono_field_get_offset (id)));
}

static size_t
size_of (MonoType *type)
{
	int alignment;
	return (size_t) mono_type_size (type, &alignment);
}

/* `this` of a struct, and what is passed by reference. */
static void
put_target (draft *d, MonoType *type, const char *buffer)
{
	const char *target;
	memcpy (&target, buffer, sizeof target);
	PUT (d, "%s", target ? "&" : "&null");
	if (target)
		put_value (d, mono_class_get_type (mono_class_from_mono_type (type)), target);
}

static void
put_value (draft *d, MonoType *type, const char *at)
{
	MonoObject *object;
	if (mono_type_is_byref (type)) {
		put_target (d, type, at);
		return;
	}
	type = mono_type_get_underlying_type (type);
	int code = mono_type_get_type (type);
	switch (code) {
	case MONO_TYPE_VALUETYPE: put_struct (d, mono_class_from_mono_type (type), at); return;
	case MONO_TYPE_GENERICINST:
		if (!mono_class_is_valuetype (mono_class_from_mono_type (type)))
			break;
		put_struct (d, mono_class_from_mono_type (type), at);
		return;
	case MONO_TYPE_PTR:
	case MONO_TYPE_FNPTR: put_hex (d, at, sizeof (void *)); return;
	case MONO_TYPE_STRING:
	case MONO_TYPE_CLASS:
	case MONO_TYPE_OBJECT:
	case MONO_TYPE_ARRAY:
	case MONO_TYPE_SZARRAY:
	case MONO_TYPE_VAR:
	case MONO_TYPE_MVAR: break;
	default: put_hex (d, at, size_of (type)); return;
	}
	memcpy (&object, at, sizeof object);
	put_object (d, object);
}

/* --- calls -------------------------------------------------------------------------------------------------------- */

/* Takes the buffer over. */
static void
put_buffer (draft *d, MonoType *type, void *buffer)
{
	if (!buffer) {
		PUT (d, "NULL");
		return;
	}
	size_t size = size_of (type), usable = malloc_usable_size (buffer);
	if (usable < size || usable >= size + SLACK)
		PUT (d, "BAD SIZE %zu %zu ", size, usable);
	else
		put_value (d, type, buffer);
	mono_profiler_call_context_free_buffer (buffer);
}

static void
put_this (draft *d, MonoClass *klass, MonoProfilerCallContext *context)
{
	void *buffer = mono_profiler_call_context_get_this (context);
	if (!buffer)
		PUT (d, "-");
	else if (malloc_usable_size (buffer) >= sizeof (void *) + SLACK)
		PUT (d, "BAD SIZE");
	else if (mono_class_is_valuetype (klass))
		put_target (d, mono_class_get_type (klass), buffer);
	else
		put_object (d, *(MonoObject **) buffer);
	mono_profiler_call_context_free_buffer (buffer);
}

/* What the compiler has named stands for lambdas and iterators, whose names differ; `this` is the compiler's own. */
static bool
is_hidden (MonoMethod *method)
{
	return strchr (mono_method_get_name (method), '<') ||
	       strchr (mono_class_get_name (mono_method_get_class (method)), '<');
}

static void
put_call (draft *d, char arrow, MonoMethod *method, MonoProfilerCallContext *context)
{
	MonoMethodSignature *signature = mono_method_signature (method);
	MonoClass *klass = mono_method_get_class (method);
	uint32_t count = mono_signature_get_param_count (signature), i = 0;
	const char *name = mono_method_get_name (method);
	void *position = NULL;
	MonoType *type;
	if (is_hidden (method)) {
		PUT (d, "%c ? this=- (", arrow);
	} else {
		PUT (d, "%c %s.%s this=", arrow, mono_class_get_name (klass), name);
		put_this (d, klass, context);
		PUT (d, " (");
	}
	while ((type = mono_signature_get_params (signature, &position))) {
		PUT (d, "%s", i ? "|" : "");
		if (arrow == '>' && strcmp (name, "Out") == 0 && i + 1 == count)
			PUT (d, "&?");
		else
			put_buffer (d, type, mono_profiler_call_context_get_argument (context, i));
		i++;
	}
	PUT (d, ")");
	if (mono_profiler_call_context_get_argument (context, i))
		PUT (d, " and more");
}

static bool
is_void (MonoType *type)
{
	return !mono_type_is_byref (type) && mono_type_get_type (type) == MONO_TYPE_VOID;
}

/* NULL: it returns what its signature says. */
static MonoType *
awaited_type (MonoMethod *method)
{
	return monocle_method_get_awaited_type ? monocle_method_get_awaited_type (method) : NULL;
}

/* Local 0 of the programs has the type of the result, or, without one, that of the first argument's value. */
static void
put_local (draft *d, MonoMethodSignature *signature, MonoProfilerCallContext *context)
{
	void *position = NULL;
	MonoType *type = mono_signature_get_return_type (signature);
	if (is_void (type) && (type = mono_signature_get_params (signature, &position)))
		type = mono_type_is_byref (type) ? mono_class_get_type (mono_class_from_mono_type (type)) : type;
	if (type)
		put_buffer (d, type, mono_profiler_call_context_get_local (context, 0));
}

static void
method_enter (MonoProfiler *prof, MonoMethod *method, MonoProfilerCallContext *context)
{
	draft d;
	d.length = 0;
	d.text[0] = 0;
	put_call (&d, '>', method, context);
	if (mono_profiler_call_context_get_result (context) ||
	    (awaited_type (method) && monocle_call_context_get_awaited_result (context)))
		PUT (&d, " and a result");
	add_line (d.text);
}

static void
method_leave (MonoProfiler *prof, MonoMethod *method, MonoProfilerCallContext *context)
{
	MonoMethodSignature *signature = mono_method_signature (method);
	MonoType *result = mono_signature_get_return_type (signature), *awaited = awaited_type (method);
	draft d;
	d.length = 0;
	d.text[0] = 0;
	put_call (&d, '<', method, context);
	PUT (&d, " = ");
	if (awaited)
		put_buffer (&d, awaited, monocle_call_context_get_awaited_result (context));
	else if (!is_void (result))
		put_buffer (&d, result, mono_profiler_call_context_get_result (context));
	else
		PUT (&d, "%s", mono_profiler_call_context_get_result (context) ? "something" : "-");
	PUT (&d, " ;");
	if (prof->locals && !is_hidden (method) && *mono_class_get_name (mono_method_get_class (method)) != 'X')
		put_local (&d, signature, context);
	add_line (d.text);
}

/* Rows: C*, V*, Shared, Generic`1. Special calls: X*, and what the compiler makes of lambdas and iterators in them. */
static bool
is_told (MonoMethod *method)
{
	static const char *const silent[] = { "First", "Second", "Run", "Make", "S", ".ctor", ".cctor" };
	const char *name = mono_method_get_name (method);
	MonoClass *klass = mono_method_get_class (method), *outer;
	while ((outer = mono_class_get_nesting_type (klass)))
		klass = outer;
	char letter = *mono_class_get_name (klass);
	if (is_hidden (method))
		return letter == 'X' &&
		       (strcmp (name, "MoveNext") == 0 || strstr (name, "m__") || strstr (name, "b__") || strstr (name, "g__"));
	if (strncmp (mono_class_get_name (klass), "XCtor", 5) == 0)
		return true;
	for (size_t i = 0; i < sizeof silent / sizeof *silent; i++)
		if (strcmp (name, silent[i]) == 0)
			return false;
	return strchr ("CVXSG", letter) && strcmp (mono_class_get_name (klass), "Special") != 0 &&
	       strcmp (mono_class_get_name (klass), "XHidden") != 0;
}

static MonoProfilerCallInstrumentationFlags
filter (MonoProfiler *prof, MonoMethod *method)
{
	MonoClass *klass = mono_method_get_class (method);
	MonoImage *image = klass ? mono_class_get_image (klass) : NULL;
	if (!image || strcmp (mono_image_get_name (image), prof->image) != 0 || !mono_method_get_token (method) ||
	    !is_told (method))
		return MONO_PROFILER_CALL_INSTRUMENTATION_NONE;
	return MONO_PROFILER_CALL_INSTRUMENTATION_ENTER | MONO_PROFILER_CALL_INSTRUMENTATION_ENTER_CONTEXT |
	       MONO_PROFILER_CALL_INSTRUMENTATION_LEAVE | MONO_PROFILER_CALL_INSTRUMENTATION_LEAVE_CONTEXT;
}

static void
shutdown_end (MonoProfiler *prof)
{
	for (uint32_t i = 0; i < prof->count; i++)
		fprintf (prof->out, "%" PRIu64 " %s\n", prof->lines[i].count, prof->lines[i].text);
	fclose (prof->out);
}

MONO_API void
mono_profiler_init_callvalues (const char *desc)
{
	const char *output = strstr (desc, "output="), *image = strstr (desc, "image=");
	if (image)
		sscanf (image, "image=%63[^,]", profiler.image);
	profiler.out = fopen (output ? output + strlen ("output=") : "/dev/null", "w");
	profiler.locals = strstr (desc, "locals") != NULL;
	if (!profiler.out) {
		perror (desc);
		exit (1);
	}
	if (!mono_profiler_enable_call_context_introspection ())
		fprintf (stderr, "callvalues: no introspection\n");
	MonoProfilerHandle handle = mono_profiler_create (&profiler);
	mono_profiler_set_runtime_shutdown_end_callback (handle, shutdown_end);
	mono_profiler_set_call_instrumentation_filter_callback (handle, filter);
	mono_profiler_set_method_enter_callback (handle, method_enter);
	mono_profiler_set_method_leave_callback (handle, method_leave);
}
