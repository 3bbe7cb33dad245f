/*
 * SPDX-License-Identifier: MIT
 *
 * offsets.c - prints the numbers in what a Look... method of offsets.cs has by reference, at the offsets of their
 * fields: its `this`, or what its first parameter points to. Options: `output=FILE`, `unmet`: also whether the offset
 * of a field is known whose class nothing uses.
 */
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <mono/metadata/attrdefs.h>
#include <mono/metadata/class.h>
#include <mono/metadata/metadata.h>
#include <mono/metadata/profiler.h>

struct _MonoProfiler {
	FILE *out;
	bool unmet;
};

static struct _MonoProfiler profiler;

MONO_API void mono_profiler_init_offsets (const char *desc);

static bool
is_look (MonoMethod *method)
{
	return strncmp (mono_method_get_name (method), "Look", 4) == 0;
}

static MonoProfilerCallInstrumentationFlags
call_filter (MonoProfiler *prof, MonoMethod *method)
{
	return is_look (method)
	         ? MONO_PROFILER_CALL_INSTRUMENTATION_ENTER | MONO_PROFILER_CALL_INSTRUMENTATION_ENTER_CONTEXT
	         : MONO_PROFILER_CALL_INSTRUMENTATION_NONE;
}

/* Offsets of a struct's fields count from the beginning of a box. */
static void
put_fields (MonoClass *klass, const char *value, const char *prefix)
{
	uint32_t alignment;
	int header = mono_class_is_valuetype (klass)
	               ? mono_class_instance_size (klass) - mono_class_value_size (klass, &alignment)
	               : 0;
	void *position = NULL;
	MonoClassField *field;
	while ((field = mono_class_get_fields (klass, &position))) {
		MonoType *type = mono_field_get_type (field);
		const char *at = value + mono_field_get_offset (field) - header, *name = mono_field_get_name (field);
		if (mono_type_get_type (type) == MONO_TYPE_I4)
			fprintf (profiler.out, " %s%s=%d", prefix, name, *(const int *) at);
		else if (mono_type_get_type (type) == MONO_TYPE_VALUETYPE)
			put_fields (mono_class_from_mono_type (type), at, "at.");
	}
}

/* The class of a first parameter that points to something; NULL: it does not. */
static MonoClass *
class_behind (MonoMethodSignature *signature)
{
	void *position = NULL;
	MonoType *type = mono_signature_get_params (signature, &position);
	if (type && mono_type_get_type (type) == MONO_TYPE_PTR)
		type = mono_type_get_ptr_type (type);
	return type ? mono_class_from_mono_type (type) : NULL;
}

static void
method_enter (MonoProfiler *prof, MonoMethod *method, MonoProfilerCallContext *context)
{
	MonoMethodSignature *signature = mono_method_signature (method);
	bool has_this = mono_signature_is_instance (signature);
	if (!is_look (method) || !context)
		return;
	MonoClass *klass = has_this ? mono_method_get_class (method) : class_behind (signature);
	void *buffer =
	    has_this ? mono_profiler_call_context_get_this (context) : mono_profiler_call_context_get_argument (context, 0);
	fprintf (prof->out, "%s", mono_method_get_name (method));
	if (klass && buffer)
		put_fields (klass, *(char **) buffer, "");
	if (prof->unmet) {
		MonoClass *unmet = mono_class_from_name (mono_class_get_image (mono_method_get_class (method)), "", "Unmet");
		MonoClassField *field = mono_class_get_field_from_name (unmet, "number");
		fprintf (prof->out, " unmet=%d", mono_field_get_offset (field) != 0);
	}
	fprintf (prof->out, "\n");
	fflush (prof->out);
	mono_profiler_call_context_free_buffer (buffer);
}

void
mono_profiler_init_offsets (const char *desc)
{
	const char *path = strstr (desc, "output=");
	profiler.unmet = strstr (desc, "unmet,") != NULL;
	profiler.out = path ? fopen (path + strlen ("output="), "w") : NULL;
	if (!profiler.out) {
		perror (desc);
		exit (1);
	}
	MonoProfilerHandle handle = mono_profiler_create (&profiler);
	mono_profiler_enable_call_context_introspection ();
	mono_profiler_set_call_instrumentation_filter_callback (handle, call_filter);
	mono_profiler_set_method_enter_callback (handle, method_enter);
}
