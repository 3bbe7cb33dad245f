/*
 * SPDX-License-Identifier: MIT
 *
 * records.h - the object model: what MonoImage, MonoClass, MonoMethod and the others are outside Mono.
 *
 * A record is made once, lives in the arena for ever and is found again by what it is. Its identity (kind, image,
 * token, arguments) is written before it is published and never changes. What it is *called* comes from the host on
 * first use: a description is built beside the record and published by one compare-and-swap, so every getter may run
 * in any context.
 *
 * Records begin as those of Mono 6.8 do, since there are modules that read fields without asking: shown.h says which
 * of them are true, and when. What is called `unset` are fields of Mono's that are zeros here. Behind what Mono has, or
 * in the place of what only its loader and its collector look at, is what is ours.
 *
 * Only the records are here, since files read each other's. What a file does for others is in the header of its name.
 */
#ifndef MONOCLE_RECORDS_H
#define MONOCLE_RECORDS_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <mono/metadata/assembly.h>
#include <mono/metadata/blob.h>
#include <mono/metadata/class.h>
#include <mono/metadata/debug-helpers.h>
#include <mono/metadata/object.h>
#include <mono/metadata/row-indexes.h>
#include <mono/metadata/tokentype.h>
#include <monocle/host.h>
#include "intern.h"
#include "table.h"

enum { MONOCLE__DEPTH_LIMIT = 64 }; /* of parents and nesting, against hosts that make circles */

/* --- domain.c, image.c -------------------------------------------------------------------------------------------- */

struct _MonoDomain {
	int32_t id;
	_Atomic (const char *) friendly_name;
};

/*
 * Of an image: text in the arena, for ever. Of a parsed name: in allocations of its own, which
 * mono_assembly_name_free () gives back. No larger than Mono's own struct, which modules may have copied.
 */
struct _MonoAssemblyName {
	const char *name, *culture; /* culture: NULL when a parsed name does not say */
	uint64_t unset_16[2];
	char public_key_token[17]; /* hexadecimal, "" without a key */
	bool is_owned;             /* the strings are the name's */
	uint32_t unset_52[2];
	uint32_t flags;
	uint16_t version[4];
};

enum { MONOCLE__TABLES = 64 };

struct _MonoTableInfo {
	MonoImage *image;
	uint32_t table, rows;
};

typedef struct {
	MonoAssemblyName name;
	const char *guid, *module_name;
	uint32_t entry_point;
	uint32_t public_key_size;
	const uint8_t *public_key; /* NULL: none */
	MonoTableInfo tables[MONOCLE__TABLES];
} monocle__image_desc;

struct _MonoAssembly {
	int32_t references; /* always one */
	const char *folder; /* with the last slash */
	MonoAssemblyName name;
	uint64_t unset_88;
	MonoImage *image;
	uint64_t unset_104[3];
};

struct _MonoImage {
	int32_t references; /* always one */
	uint64_t unset_8[2];
	uint32_t unset_24;
	bool is_dynamic;
	const char *filename, *filename_again;
	_Atomic (const char *) assembly_name, module_name; /* NULL until it is described */
	uint64_t unset_64[3];
	_Atomic (const char *) guid;
	uint64_t unset_96[140];
	_Atomic (MonoAssembly *) shown_assembly; /* NULL until it is visible */
	/* Ours. */
	MonoImage *next;         /* list of all images, newest first; only grows */
	const char *simple_name; /* of the file, without folder and extension: what it is called before it is described */
	uint32_t flags, class_rows, method_rows;
	_Atomic (void *) data;
	_Atomic (bool) unloaded;
	_Atomic (uint32_t) describing; /* how many threads ask the host about this image right now */
	MonoAssembly assembly;
	monocle__table classes, methods;
	_Atomic (monocle__image_desc *) desc;
	_Atomic (MonoClass *) unknown_class; /* monocle__class_unknown_of () */
};

/* --- class.c, type.c ---------------------------------------------------------------------------------------------- */

typedef enum {
	MONOCLE__CLASS_DEF,       /* (image, token) */
	MONOCLE__CLASS_PRIMITIVE, /* a class of corlib that has an element type of its own */
	MONOCLE__CLASS_NAMED,     /* names only */
	MONOCLE__CLASS_INST,      /* element: the definition; arguments */
	MONOCLE__CLASS_ARRAY,     /* element, rank */
	MONOCLE__CLASS_POINTER,   /* element */
	MONOCLE__CLASS_FNPTR,
	MONOCLE__CLASS_PARAM, /* element: owning class, or owner: owning method; index */
} monocle__class_kind;

typedef struct {
	const char *name, *name_space;
	MonoClass *nesting;
	uint32_t flags;
	uint16_t generic_params;
	uint8_t element_type, enum_base;
} monocle__class_desc;

struct _MonoType {
	MonoClass *klass;
	uint16_t unset_8;
	_Atomic (uint8_t) shown_code; /* MONO_TYPE_*; 0 until the class is described */
	uint8_t unset_11 : 1;
	uint8_t is_byref : 1;
	uint8_t unset_11_2 : 1;
	uint8_t is_special : 1; /* a monocle__special_type */
};

struct MonoVTable {
	MonoClass *klass;
	_Atomic (bool) is_told; /* monocle_class_set_up () was called */
};

/* Type arguments, the same record for the same list: generic-inst.c. */
typedef struct {
	int32_t id;
	uint32_t count : 22;
	uint32_t is_open : 1;
	MonoType *types[];
} monocle__generic_inst;

struct _MonoGenericContext {
	const monocle__generic_inst *class_inst, *method_inst; /* NULL where nothing is given */
};

/* What an instance is one of. Mono's own goes on behind it. */
typedef struct {
	MonoClass *container;
	MonoGenericContext context;
	uint64_t unset_24;
	MonoClass *klass;
} monocle__generic_class;

struct _MonoClass {
	_Atomic (MonoClass *) element_class;
	uint64_t unset_8[2];
	uint16_t unset_24;
	uint8_t rank;
	_Atomic (uint8_t) shown_kind; /* shown.h */
	int32_t unset_28;
	_Atomic (uint8_t) shown_bits; /* shown.h */
	_Atomic (MonoClass *) parent; /* what the host said */
	_Atomic (MonoClass *) nested_in;
	_Atomic (MonoImage *) image; /* of a PRIMITIVE: set when corlib comes */
	_Atomic (const char *) name; /* written last of what describing shows; before, what stands in for it, or NULL */
	_Atomic (const char *) name_space;
	_Atomic (uint32_t) token; /* of a PRIMITIVE: set when corlib comes */
	uint32_t unset_84[5];
	monocle__node node; /* interned classes are found through it */
	MonoMethod *owner;
	uint64_t unset_128[4];
	MonoType by_reference, by_value;
	_Atomic (struct monocle__class_members *) members; /* member.h */
	uint64_t unset_200;
	void *slot;
	_Atomic (monocle__class_desc *) desc;
	union {
		_Atomic (uint32_t) flags;
		monocle__generic_class *generic_class; /* of an INST */
	};
	/* Ours. */
	MonoClass *element;
	MonoType *const *arguments;
	MonoVTable vtable;
	_Atomic (const char *) fallback; /* a name for a class that cannot be described */
	_Atomic (uint32_t) variance;     /* of a definition's parameters, two bits each; 0: not asked yet */
	uint16_t index, count;
	uint8_t kind;
	uint8_t depth;     /* how deep composites nest in it */
	uint8_t primitive; /* MONO_TYPE_* of a PRIMITIVE */
	uint8_t shared_ref : 1;
	uint8_t is_open : 1;          /* it contains generic parameters */
	uint8_t is_own : 1;           /* an instance over its definition's own parameters: see monocle__class_shown () */
	_Atomic (bool) has_no_parent; /* the host said so, or will not be asked again */
	_Atomic (bool) is_complete;   /* its image is being unloaded and all was asked */
	_Atomic (bool) is_shown;      /* what it is made of was described: shown.c */
};

/* --- method.c, signature.c ---------------------------------------------------------------------------------------- */

/* Behind the parameters is one more word, see monocle__signature_owner (). */
struct _MonoMethodSignature {
	MonoType *ret;
	uint16_t count;
	int16_t vararg_start; /* -1: it is no vararg's */
	uint32_t generic_params : 16;
	uint32_t call_convention : 6;
	uint32_t has_this : 1;
	uint32_t explicit_this : 1;
	uint32_t unset_15 : 1;
	uint32_t is_inflated : 1;
	MonoType *params[];
};

typedef struct {
	const char *name;
	const char *wrapper; /* Mono's word for what it is a wrapper of (wrapper.c); NULL: it is none */
	uint16_t flags, iflags, generic_params;
	MonoClass *klass;
} monocle__method_desc;

struct _MonoMethod {
	_Atomic (uint16_t) flags, iflags;
	uint32_t token;
	_Atomic (MonoClass *) klass; /* of an instance; of a definition also when a host told it early */
	_Atomic (MonoMethodSignature *) signature;
	_Atomic (const char *) name;   /* as a class's */
	_Atomic (uint32_t) shown_bits; /* shown.h */
	uint32_t count;                /* of an instance's own arguments */
	MonoImage *image;
	void *slot;
	MonoMethod *definition; /* of an instance; NULL: this is a definition */
	union {
		struct {
			_Atomic (monocle__method_desc *) desc;
			_Atomic (struct monocle__param *) params; /* param.c */
		};
		MonoGenericContext context; /* of an instance */
	};
};

#endif
