/*
 * SPDX-License-Identifier: MIT
 *
 * debug-helpers.h - names for people, and finding methods by name.
 *
 * The spellings are exact: people parse them. Everything here allocates: not async-safe. Outside Mono the name
 * functions read records only, so that they also work inside call probes and for unloaded methods.
 */
#ifndef MONO_METADATA_DEBUG_HELPERS_H
#define MONO_METADATA_DEBUG_HELPERS_H

#include <mono/metadata/class.h>

MONO_BEGIN_DECLS

typedef struct MonoMethodDesc MonoMethodDesc;

/*
 * "[(wrapper KIND) ]Ns.Outer/Nested:Name<inst> (args)"; without `signature` the args are left out. The class part has
 * arity and instance ("Outer`1/Inner`1<string, int>"), args are separated by a comma without space, generic arguments
 * by one with space; open generics show "<T>", code shared by reference types "<T_REF>". Caller frees.
 */
MONO_API char *mono_method_full_name (MonoMethod *method, mono_bool signature);
/*
 * The same idea in reflection's spelling: "N.S.Outer`1+Inner`1[System.String,System.Int32].M[object](string)". Caller
 * frees.
 */
MONO_API char *mono_method_get_reflection_name (MonoMethod *method);
/* "Ns.Type:field". Caller frees. */
MONO_API char *mono_field_full_name (MonoClassField *field);
/* A type as mono_method_full_name () writes it: "N.S.Outer`1/Inner`1<string, int>". Caller frees. */
MONO_API char *mono_type_full_name (MonoType *type);
/*
 * Parameter types, comma separated, no parentheses. Primitives are void bool char sbyte byte int16 uint16 int uint long
 * ulong single double intptr uintptr string object typedbyref; the rest "T[]", "T[,]", "T*", "T&", "*()". Caller frees.
 */
MONO_API char *mono_signature_get_desc (MonoMethodSignature *sig, mono_bool include_namespace);
/* "<T1, T2>" of a generic context. Caller frees. */
MONO_API char *mono_context_get_desc (MonoGenericContext *context);

/*
 * A pattern "Ns.Type:Method(args)", where "*" matches any type or method name and args may be absent. NULL:
 * malformed. Free with mono_method_desc_free ().
 */
MONO_API MonoMethodDesc *mono_method_desc_new (const char *name, mono_bool include_namespace);
/* The pattern of a method's class, name and args, which it matches. Free the same way. Normal context. */
MONO_API MonoMethodDesc *mono_method_desc_from_method (MonoMethod *method);
/* Not async-safe. */
MONO_API void mono_method_desc_free (MonoMethodDesc *desc);
/* Name and, where the pattern has them, args equal; _full_match looks at the class as well. Normal context. */
MONO_API mono_bool mono_method_desc_match (MonoMethodDesc *desc, MonoMethod *method);
MONO_API mono_bool mono_method_desc_full_match (MonoMethodDesc *desc, MonoMethod *method);
/* Nonzero when the pattern names a class. */
MONO_API mono_bool mono_method_desc_is_full (MonoMethodDesc *desc);
/* The first method that matches. Borrowed, NULL when there is none. May load types. Normal context. */
MONO_API MonoMethod *mono_method_desc_search_in_class (MonoMethodDesc *desc, MonoClass *klass);
MONO_API MonoMethod *mono_method_desc_search_in_image (MonoMethodDesc *desc, MonoImage *image);

/*
 * How IL is written: what ends a line, printf formats of one unsigned number for an instruction's offset and for a
 * branch's target (NULL: no label; the distance), what comes before the label, and how a token is written (both
 * may be NULL; their text is freed). `user_data` is the caller's.
 */
typedef struct MonoDisHelper MonoDisHelper;
typedef char *(*MonoDisIndenter) (MonoDisHelper *dh, MonoMethod *method, uint32_t ip_offset);
typedef char *(*MonoDisTokener) (MonoDisHelper *dh, MonoMethod *method, uint32_t token);

struct MonoDisHelper {
	const char *newline;
	const char *label_format;
	const char *label_target;
	MonoDisIndenter indenter;
	MonoDisTokener tokener;
	void *user_data;
};

/*
 * IL as text, from what mono_method_header_get_code () gives: "IL_0009: call      0x0a000011\n" and so on, or as `dh`
 * (may be NULL) says. One instruction: *endp (may be NULL) gets where the next begins. Caller frees. Normal context.
 */
MONO_API char *mono_disasm_code_one (MonoDisHelper *dh, MonoMethod *method, const mono_byte *ip,
                                     const mono_byte **endp);
MONO_API char *mono_disasm_code (MonoDisHelper *dh, MonoMethod *method, const mono_byte *ip, const mono_byte *end);

MONO_END_DECLS

#endif
