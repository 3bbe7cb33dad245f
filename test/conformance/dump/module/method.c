/*
 * SPDX-License-Identifier: MIT
 *
 * method.c - answers about a method: names, signature, parameters, body.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "dump.h"

static uint32_t
implementation_flags (MonoMethod *method)
{
	uint32_t iflags = 0;

	mono_method_get_flags (method, &iflags);
	return iflags;
}

/* Asking for the header of a method without one is legal, but says nothing good of the asker. */
static int
has_body (MonoMethod *method)
{
	uint32_t iflags, flags = mono_method_get_flags (method, &iflags);

	return !(flags & (MONO_METHOD_ATTR_ABSTRACT | MONO_METHOD_ATTR_PINVOKE_IMPL)) &&
	       !(iflags & (MONO_METHOD_IMPL_ATTR_CODE_TYPE_MASK | MONO_METHOD_IMPL_ATTR_INTERNAL_CALL));
}

/* The method that the pattern CLASS:NAME(ARGS) finds is itself, unless another one differs in its result only. */
static void
descriptions (MonoMethod *method, MonoMethodSignature *signature)
{
	MonoClass *klass = mono_method_get_class (method);
	char *type = mono_type_full_name (mono_class_get_type (klass));
	char *args = mono_signature_get_desc (signature, 1);
	char *text = NULL;
	MonoMethodDesc *desc = NULL;

	if (asprintf (&text, "%s:%s(%s)", type, mono_method_get_name (method), args) > 0)
		desc = mono_method_desc_new (text, 1);
	dump_yes ("pattern parses", desc != NULL);
	if (desc) {
		dump_yes ("pattern is full", mono_method_desc_is_full (desc));
		dump_yes ("pattern matches", mono_method_desc_match (desc, method));
		dump_yes ("pattern matches fully", mono_method_desc_full_match (desc, method));
		dump_method ("of its pattern in the class", mono_method_desc_search_in_class (desc, klass));
		dump_method ("of its pattern in the image",
		             mono_method_desc_search_in_image (desc, mono_class_get_image (klass)));
		mono_method_desc_free (desc);
	}
	free (text);
	mono_free (args);
	mono_free (type);
}

static void
lookups (MonoMethod *method, MonoMethodSignature *signature)
{
	MonoClass *klass = mono_method_get_class (method);
	const char *name = mono_method_get_name (method);
	int count = (int) mono_signature_get_param_count (signature);
	int flags = (int) mono_method_get_flags (method, NULL) & MONO_METHOD_ATTR_STATIC;

	dump_method ("of its name", mono_class_get_method_from_name (klass, name, -1));
	dump_method ("of its name and count", mono_class_get_method_from_name (klass, name, count));
	dump_method ("of its name and kind", mono_class_get_method_from_name_flags (klass, name, count, flags));
	dump_method ("of its token", mono_get_method (mono_class_get_image (klass), mono_method_get_token (method), klass));
}

static void
parameter_names (MonoMethod *method, uint32_t count)
{
	const char **names = calloc (count + 1, sizeof *names);

	mono_method_get_param_names (method, names);
	for (uint32_t i = 0; i < count; i++) {
		dump_prefix ("parameter %u ", i);
		dump_text ("named", names[i]);
		dump_hex ("token", mono_method_get_param_token (method, (int) i));
	}
	dump_prefix ("%s", "");
	free (names);
}

static void
parameters (MonoMethod *method, MonoMethodSignature *sig)
{
	uint32_t count = mono_signature_get_param_count (sig);
	MonoType *type;
	void *iter = NULL;
	int i = 0;

	parameter_names (method, count);
	dump_type ("result", -1, mono_signature_get_return_type (sig));
	while ((type = mono_signature_get_params (sig, &iter))) {
		dump_type ("parameter", i, type);
		dump_prefix ("parameter %d ", i);
		dump_yes ("out", mono_signature_param_is_out (sig, i));
		i++;
	}
	dump_prefix ("%s", "");
	dump_number ("parameters walked", i);
}

void
dump_method_answers (MonoMethod *method)
{
	MonoMethodSignature *sig = mono_method_signature (method);

#define METHOD(form, key, expression) dump_##form (key, expression);
#include "answers.def"
	dump_yes ("has a signature", sig != NULL);
	if (!sig)
		return;
#define SIGNATURE(form, key, expression) dump_##form (key, expression);
#include "answers.def"
	descriptions (method, sig);
	lookups (method, sig);
	parameters (method, sig);
}

static void
locals (MonoMethodHeader *header)
{
	uint32_t count = 0;
	mono_bool init = 0;
	MonoType **types = mono_method_header_get_locals (header, &count, &init);

	dump_number ("locals", count);
	dump_yes ("locals are cleared", init);
	for (uint32_t i = 0; i < count; i++)
		dump_type ("local", (int) i, types[i]);
}

static void
clauses (MonoMethodHeader *header, MonoMethod *method)
{
	MonoExceptionClause clause;
	void *iter = NULL;
	int i = 0;

	dump_number ("clauses", mono_method_header_get_num_clauses (header));
	while (mono_method_header_get_clauses (header, method, &iter, &clause)) {
		dump_prefix ("clause %d ", i++);
		dump_number ("kind", clause.flags);
		dump_number ("try offset", clause.try_offset);
		dump_number ("try length", clause.try_len);
		dump_number ("handler offset", clause.handler_offset);
		dump_number ("handler length", clause.handler_len);
		if (clause.flags == MONO_EXCEPTION_CLAUSE_NONE)
			dump_class ("catches", clause.data.catch_class);
		if (clause.flags == MONO_EXCEPTION_CLAUSE_FILTER)
			dump_number ("filter offset", clause.data.filter_offset);
	}
	dump_prefix ("%s", "");
}

/* The texts that the code loads: `ldstr` is the byte 0x72 and a token whose last byte is 0x70. */
static void
literals (MonoImage *image, const unsigned char *code, uint32_t size)
{
	int count = 0;
	char key[32];

	for (uint32_t i = 0; i + 5 <= size; i++) {
		if (code[i] != 0x72 || code[i + 4] != 0x70)
			continue;
		uint32_t offset = code[i + 1] | (uint32_t) code[i + 2] << 8 | (uint32_t) code[i + 3] << 16;
		const char *text = mono_metadata_user_string (image, offset);
		uint32_t length = text ? mono_metadata_decode_blob_size (text, &text) : 0;
		snprintf (key, sizeof key, "literal %d", count++);
		dump_bytes (key, text, length);
		i += 4;
	}
}

void
dump_body (MonoMethod *method)
{
	MonoMethodHeader *header = has_body (method) ? mono_method_get_header (method) : NULL;
	uint32_t size = 0, max_stack = 0;
	const unsigned char *code;

	dump_yes ("has a header", header != NULL);
	if (!header)
		return;
	code = mono_method_header_get_code (header, &size, &max_stack);
	dump_bytes ("code", code, size);
	dump_number ("max stack", max_stack);
	locals (header);
	clauses (header, method);
	literals (mono_class_get_image (mono_method_get_class (method)), code, size);
	mono_metadata_free_mh (header);
}
