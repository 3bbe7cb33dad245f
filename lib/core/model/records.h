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
	uint16_t version[4];
	uint32_t flags;
	char public_key_token[17]; /* hexadecimal, "" without a key */
	bool is_owned;             /* the strings are the name's */
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
	MonoImage *image;
};

struct _MonoImage {
	MonoImage *next; /* list of all images, newest first; only grows */
	const char *filename;
	const char *simple_name; /* of the file, without folder and extension: what it is called before it is described */
	uint32_t flags, class_rows, method_rows;
	_Atomic (void *) data;
	_Atomic (bool) assembly_visible, unloaded;
	_Atomic (uint32_t) describing; /* how many threads ask the host about this image right now */
	MonoAssembly assembly;
	MonoAssemblyName unnamed; /* the name of an assembly that cannot be described yet */
	monocle__table classes, methods;
	_Atomic (monocle__image_desc *) desc;
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
	uint32_t flags, generic_params, element_type, enum_base;
	MonoClass *nesting;
} monocle__class_desc;

struct _MonoType {
	MonoClass *klass;
	bool is_byref;
	bool is_special; /* a monocle__special_type */
};

struct MonoVTable {
	MonoClass *klass;
	_Atomic (bool) is_told; /* monocle_class_set_up () was called */
};

struct _MonoClass {
	monocle__node node; /* first: interned classes are found through it */
	uint8_t kind, rank;
	uint8_t depth; /* how deep composites nest in it */
	bool shared_ref;
	bool is_open;               /* it contains generic parameters */
	bool is_own;                /* an instance over its definition's own parameters: see monocle__class_shown () */
	uint8_t primitive;          /* MONO_TYPE_* of a PRIMITIVE */
	_Atomic (bool) is_complete; /* its image is being unloaded and all was asked */
	uint32_t index, count;
	_Atomic (uint32_t) token;    /* of a PRIMITIVE: set when corlib comes */
	_Atomic (MonoImage *) image; /* of a PRIMITIVE: set when corlib comes */
	MonoClass *element;
	MonoMethod *owner;
	MonoType **arguments;
	MonoType by_value, by_reference;
	MonoVTable vtable;
	void *slot;
	_Atomic (monocle__class_desc *) desc;
	_Atomic (MonoClass *) parent;                      /* what the host said; &monocle__class_none: it has none */
	_Atomic (const char *) fallback;                   /* a name for a class that cannot be described */
	_Atomic (struct monocle__class_members *) members; /* member.h */
	_Atomic (uint32_t) variance; /* of a definition's parameters, two bits each; 0: not asked yet */
};

/* --- method.c, signature.c ---------------------------------------------------------------------------------------- */

struct _MonoMethodSignature {
	MonoType *ret;
	MonoType **params;
	uint32_t count, call_convention, generic_params;
	bool has_this, explicit_this;
	uint32_t sentinel;      /* as in monocle_signature_info */
	bool is_owned;          /* an allocation of its own, which mono_metadata_free_method_signature () frees */
	MonoMethod *definition; /* whose signature it is, instances included; NULL: it belongs to no method */
};

typedef struct {
	const char *name;
	const char *wrapper; /* Mono's word for what it is a wrapper of (wrapper.c); NULL: it is none */
	uint32_t flags, iflags, generic_params;
	MonoClass *klass;
	_Atomic (struct monocle__param *) params; /* param.c */
} monocle__method_desc;

/*
 * Begins as Mono's does, because there are modules that read these fields without asking. They are there once the
 * method was described, the signature once it was asked for; until then they are zeros.
 */
struct _MonoMethod {
	_Atomic (uint16_t) flags, iflags;
	uint32_t token;
	_Atomic (MonoClass *) klass; /* of an instance; of a definition also when a host told it early */
	_Atomic (MonoMethodSignature *) signature;
	_Atomic (const char *) name; /* written last of these */
	monocle__node node;
	MonoMethod *definition; /* of an instance; NULL: this is a definition */
	MonoImage *image;
	uint32_t count;
	MonoType **arguments;
	void *slot;
	_Atomic (monocle__method_desc *) desc; /* of a definition */
	_Atomic (MonoClass **) params;         /* a definition's generic parameters, for open names */
	_Atomic (const char *) fallback;
};

#endif
