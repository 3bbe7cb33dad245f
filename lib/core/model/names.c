/*
 * SPDX-License-Identifier: MIT
 *
 * names.c - how Mono spells types, signatures and methods.
 *
 * There are three syntaxes, and people parse all of them; test/unit/core/oracle shows what real Mono 6.8 prints.
 *
 *   desc        N.S.Outer`1/Inner`1<string, int[]>       method names, signatures, mono_type_full_name
 *   IL          N.S.Outer.Inner<System.String,System.Int32[]>                mono_type_get_name
 *   reflection  N.S.Outer`1+Inner`1[System.String,System.Int32[]]            mono_method_get_reflection_name
 *
 * An open definition shows its parameters in the last two only. The writers may run in any context; what returns
 * allocated text may not run in a signal handler.
 */
#include <stdlib.h>
#include <string.h>
#include "class.h"
#include "method.h"
#include "signature.h"
#include "special-type.h"
#include "type.h"

enum {
	STACK_TEXT = 1024,
	NESTING_LIMIT = 32,
	/* Generic types, each twice in the next, double the name at every level: such a name is not written to its end. */
	NAME_LIMIT = 1 << 20,
};

/* --- text --------------------------------------------------------------------------------------------------------- */

/* Writes what fits and counts what would have been needed, as snprintf does. Any context. */
typedef struct {
	char *data;
	size_t size, length;
} monocle__text;

static void
put_char (monocle__text *text, char c)
{
	if (text->length + 1 < text->size)
		text->data[text->length] = c;
	text->length++;
}

static void
put_bytes (monocle__text *text, const char *bytes, size_t length)
{
	if (text->length + length < text->size)
		memcpy (text->data + text->length, bytes, length);
	else if (text->length + 1 < text->size)
		memcpy (text->data + text->length, bytes, text->size - 1 - text->length);
	text->length += length;
}

static void
put (monocle__text *text, const char *string)
{
	put_bytes (text, string, strlen (string));
}

/* "[,,]" */
static void
put_rank (monocle__text *text, uint32_t rank)
{
	put_char (text, '[');
	for (uint32_t i = 1; i < rank; i++)
		put_char (text, ',');
	put_char (text, ']');
}

static void
put_end (monocle__text *text)
{
	if (text->size)
		text->data[text->length < text->size ? text->length : text->size - 1] = 0;
}

/* --- desc --------------------------------------------------------------------------------------------------------- */

static const char *
keyword (uint32_t code)
{
	static const char *const keywords[] = {
#define MONOCLE__PRIMITIVE(code_, class_name, keyword_, valuetype, class_flags) [MONO_TYPE_##code_] = keyword_,
#include "primitives.def"
	};
	return keywords[code];
}

/* The class and what it is nested in, innermost first. Bounded, against metadata that nests in circles. */
static uint32_t
nesting_chain (MonoClass *klass, MonoClass *chain[NESTING_LIMIT])
{
	uint32_t count = 0;
	for (; klass && count < NESTING_LIMIT; klass = mono_class_get_nesting_type (klass))
		chain[count++] = klass;
	return count;
}

static void
put_namespace (monocle__text *text, MonoClass *klass)
{
	const char *name_space = mono_class_get_namespace (klass);
	if (!*name_space)
		return;
	put (text, name_space);
	put_char (text, '.');
}

static void
desc_name (monocle__text *text, MonoClass *klass, bool with_namespace)
{
	MonoClass *chain[NESTING_LIMIT];
	uint32_t count = nesting_chain (klass, chain);
	if (with_namespace)
		put_namespace (text, chain[count - 1]);
	while (count--) {
		put (text, mono_class_get_name (chain[count]));
		if (count)
			put_char (text, '/');
	}
}

static void desc_class (monocle__text *text, MonoClass *klass, bool with_namespace);

/* The last one that the signature names comes first. */
static void
desc_modifiers (monocle__text *text, const monocle__special_type *special, bool with_namespace)
{
	for (uint32_t i = special->modifier_count; i--;) {
		put (text, special->required >> i & 1 ? " modreq(" : " modopt(");
		desc_class (text, special->modifiers[i]->klass, with_namespace);
		put_char (text, ')');
	}
}

static void
desc_type (monocle__text *text, const MonoType *type, bool with_namespace)
{
	const monocle__special_type *special = monocle__special_type_of (type);
	if (text->length > NAME_LIMIT)
		return;
	if (special && special->pointee) {
		desc_type (text, special->pointee, with_namespace);
		put_char (text, '*');
	} else {
		desc_class (text, type->klass, with_namespace);
	}
	if (special)
		desc_modifiers (text, special, with_namespace);
	if (type->is_byref)
		put_char (text, '&');
}

static void
desc_types (monocle__text *text, uint32_t count, MonoType *const *types, const char *separator, bool with_namespace)
{
	for (uint32_t i = 0; i < count; i++) {
		if (i)
			put (text, separator);
		desc_type (text, types[i], with_namespace);
	}
}

static void
desc_class (monocle__text *text, MonoClass *klass, bool with_namespace)
{
	switch (klass->kind) {
	case MONOCLE__CLASS_PRIMITIVE: put (text, keyword (klass->primitive)); break;
	case MONOCLE__CLASS_INST:
		desc_name (text, klass->element, with_namespace);
		put_char (text, '<');
		desc_types (text, klass->count, klass->arguments, ", ", with_namespace);
		put_char (text, '>');
		break;
	case MONOCLE__CLASS_ARRAY:
		desc_class (text, monocle__class_shown (klass->element), with_namespace);
		put_rank (text, klass->rank);
		break;
	case MONOCLE__CLASS_POINTER:
		desc_class (text, monocle__class_shown (klass->element), with_namespace);
		put_char (text, '*');
		break;
	case MONOCLE__CLASS_FNPTR: put (text, "*()"); break;
	case MONOCLE__CLASS_PARAM: put (text, monocle__class_name (klass)); break;
	default: desc_name (text, klass, with_namespace);
	}
}

static void
desc_signature (monocle__text *text, const MonoMethodSignature *signature, bool with_namespace)
{
	if (signature)
		desc_types (text, signature->count, signature->params, ",", with_namespace);
	else
		put (text, "<invalid signature>");
}

/* --- IL and reflection -------------------------------------------------------------------------------------------- */

/* The numbers are those of mono_type_get_name_full (). */
enum { FORMAT_IL, FORMAT_REFLECTION, FORMAT_FULL_NAME, FORMAT_ASSEMBLY_QUALIFIED };

/* Reflection escapes what its own syntax uses. */
static void
put_identifier (monocle__text *text, const char *name, int format)
{
	const char *arity;
	if (format == FORMAT_IL) {
		arity = strchr (name, '`');
		put_bytes (text, name, arity ? (size_t) (arity - name) : strlen (name));
		return;
	}
	for (; *name; name++) {
		if (strchr ("\\+&*[],", *name))
			put_char (text, '\\');
		put_char (text, *name);
	}
}

static void
type_name_path (monocle__text *text, MonoClass *klass, int format)
{
	MonoClass *chain[NESTING_LIMIT];
	uint32_t count = nesting_chain (klass, chain);
	put_namespace (text, chain[count - 1]);
	while (count--) {
		put_identifier (text, mono_class_get_name (chain[count]), format);
		if (count)
			put_char (text, format == FORMAT_IL ? '.' : '+');
	}
}

static void type_name (monocle__text *text, const MonoType *type, int format);

/* The arguments of an instance, or the parameters of an open definition. */
static void
type_name_arguments (monocle__text *text, MonoClass *klass, int format)
{
	const monocle__class_desc *desc = monocle__class_describe (klass);
	bool is_inst = klass->kind == MONOCLE__CLASS_INST;
	uint32_t count = is_inst ? klass->count : desc ? desc->generic_params : 0;
	if (!count)
		return;
	put_char (text, format == FORMAT_IL ? '<' : '[');
	for (uint32_t i = 0; i < count; i++) {
		MonoType *argument = is_inst ? klass->arguments[i] : monocle_type (monocle_class_param (klass, NULL, i, 0));
		if (i)
			put_char (text, ',');
		if (argument)
			type_name (text, argument, format);
	}
	put_char (text, format == FORMAT_IL ? '>' : ']');
}

static void
type_name_class (monocle__text *text, MonoClass *klass, int format)
{
	switch (klass->kind) {
	case MONOCLE__CLASS_ARRAY:
		type_name_class (text, klass->element, format);
		if (klass->index)
			put (text, "[*]");
		else
			put_rank (text, klass->rank);
		break;
	case MONOCLE__CLASS_POINTER:
		type_name_class (text, klass->element, format);
		put_char (text, '*');
		break;
	case MONOCLE__CLASS_PARAM: put (text, monocle__class_name (klass)); break;
	default: type_name_path (text, klass, format); type_name_arguments (text, klass, format);
	}
}

static void
type_name (monocle__text *text, const MonoType *type, int format)
{
	if (text->length > NAME_LIMIT)
		return;
	type_name_class (text, type->klass, format);
	if (type->is_byref)
		put_char (text, '&');
}

/* --- methods ------------------------------------------------------------------------------------------------------ */

/* "<int, A>" of an instance, "<A, B>" of an open definition; reflection differs in the brackets only. */
static void
method_arguments (monocle__text *text, MonoMethod *method, char open, char close)
{
	const monocle__method_desc *desc = monocle__method_describe (method);
	uint32_t count = method->count ? method->count : desc ? desc->generic_params : 0;
	if (!count)
		return;
	put_char (text, open);
	for (uint32_t i = 0; i < count; i++) {
		MonoType *argument = method->count ? monocle__method_arguments (method)[i]
		                                   : monocle_type (monocle_class_param (NULL, method, i, 0));
		if (i)
			put (text, ", ");
		if (argument)
			desc_type (text, argument, true);
	}
	put_char (text, close);
}

/* "(wrapper dynamic-method) " */
static void
put_wrapper (monocle__text *text, MonoMethod *method)
{
	const monocle__method_desc *desc = monocle__method_describe (method);
	if (!desc || !desc->wrapper)
		return;
	put (text, "(wrapper ");
	put (text, desc->wrapper);
	put (text, ") ");
}

static void
method_full_name (monocle__text *text, MonoMethod *method, bool signature)
{
	MonoClass *klass = mono_method_get_class (method);
	put_wrapper (text, method);
	if (klass)
		desc_class (text, klass, true);
	put_char (text, ':');
	put (text, mono_method_get_name (method));
	method_arguments (text, method, '<', '>');
	if (!signature)
		return;
	put (text, " (");
	desc_signature (text, monocle__signature_of (method), true);
	put_char (text, ')');
}

static void
method_reflection_name (monocle__text *text, MonoMethod *method)
{
	MonoClass *klass = mono_method_get_class (method);
	put_wrapper (text, method);
	if (klass)
		type_name_class (text, klass, FORMAT_REFLECTION);
	put_char (text, '.');
	put (text, mono_method_get_name (method));
	method_arguments (text, method, '[', ']');
	put_char (text, '(');
	desc_signature (text, monocle__signature_of (method), true);
	put_char (text, ')');
}

/* --- what returns allocated text ---------------------------------------------------------------------------------- */

typedef void (*writer) (monocle__text *text, void *subject, int option);

/* Most names fit on the stack and are written once; a longer one is written again into what it needs. */
static char *
allocated (writer write, void *subject, int option)
{
	char buffer[STACK_TEXT];
	monocle__text text = { buffer, sizeof buffer, 0 };
	write (&text, subject, option);
	size_t length = text.length;
	char *copy = malloc (length + 1);
	if (!copy)
		return NULL;
	if (length < sizeof buffer) {
		memcpy (copy, buffer, length);
		copy[length] = 0;
	} else {
		/* A class may have been described meanwhile, so that the second text is not the first. */
		text = (monocle__text) { copy, length + 1, 0 };
		write (&text, subject, option);
		put_end (&text);
	}
	return copy;
}

static void
write_full_name (monocle__text *text, void *method, int option)
{
	method_full_name (text, method, option != 0);
}

static void
write_reflection_name (monocle__text *text, void *method, int option)
{
	method_reflection_name (text, method);
}

static void
write_signature (monocle__text *text, void *signature, int option)
{
	desc_signature (text, signature, option != 0);
}

static void
write_desc (monocle__text *text, void *type, int option)
{
	desc_type (text, type, true);
}

static void
write_type_name (monocle__text *text, void *type, int format)
{
	MonoImage *image = mono_class_get_image (((MonoType *) type)->klass);
	type_name (text, type, format);
	if (format == FORMAT_ASSEMBLY_QUALIFIED && image) {
		put (text, ", ");
		put (text, mono_image_get_name (image));
	}
}

char *
mono_method_full_name (MonoMethod *method, mono_bool signature)
{
	return method ? allocated (write_full_name, method, signature) : NULL;
}

char *
mono_method_get_reflection_name (MonoMethod *method)
{
	return method ? allocated (write_reflection_name, method, 0) : NULL;
}

char *
mono_signature_get_desc (MonoMethodSignature *signature, mono_bool include_namespace)
{
	return allocated (write_signature, signature, include_namespace);
}

char *
mono_type_full_name (MonoType *type)
{
	return type ? allocated (write_desc, type, 0) : NULL;
}

char *
mono_type_get_name (MonoType *type)
{
	return type ? allocated (write_type_name, type, FORMAT_IL) : NULL;
}

/* Not in Mono 6.8's headers, but in Unity's and in newer ones. */
MONO_API char *mono_type_get_name_full (MonoType *type, int format);

char *
mono_type_get_name_full (MonoType *type, int format)
{
	return type ? allocated (write_type_name, type, format) : NULL;
}
