/*
 * SPDX-License-Identifier: MIT
 *
 * records.h - the object model: what MonoImage, MonoClass, MonoMethod and the others are outside Mono.
 *
 * A record is made once, lives in the arena for ever and is found again by what it is. Its identity (kind, image,
 * token, arguments) is written before it is published and never changes. What it is *called* comes from the host on
 * first use: a description is built beside the record and published by one compare-and-swap, so every getter may run
 * in any context.
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
#include <mono/utils/mono-error.h>
#include "dispatch/core.h"

/* --- error.c ----------------------------------------------------------------------------------------------------- */

/* Fills an error that was initialised. `message` lives for ever. */
void monocle__error_set (MonoError *error, uint16_t code, const char *message);

/* --- arena.c ----------------------------------------------------------------------------------------------------- */

/* Zeroed, 16-byte aligned, never freed. NULL when the kernel has no memory. Any context. */
void *monocle__arena_alloc (size_t size);
/* A copy, the same for equal texts; NULL for NULL and without memory. Any context. */
const char *monocle__arena_string (const char *text);
/* For tests: so many allocations succeed from now on, later ones fail; negative: no limit. */
void monocle__arena_set_budget (int64_t allocations);

/* --- intern.c: insert-only hash sets of records that are known by their parts ------------------------------------- */

typedef struct monocle__node monocle__node;

struct monocle__node {
	monocle__node *next; /* written before the node is published */
	uint64_t hash;
};

enum { MONOCLE__INTERN_BUCKETS = 1 << 15 };

typedef struct {
	_Atomic (monocle__node *) buckets[MONOCLE__INTERN_BUCKETS];
} monocle__intern;

typedef bool (*monocle__same) (const monocle__node *node, const void *key);

monocle__node *monocle__intern_find (monocle__intern *set, uint64_t hash, monocle__same same, const void *key);
/* Publishes `node` under `hash`, unless its like came first: returns the one that is in the set. */
monocle__node *monocle__intern_add (monocle__intern *set, uint64_t hash, monocle__node *node, monocle__same same,
                                    const void *key);
uint64_t monocle__hash (uint64_t seed, uint64_t value);
uint64_t monocle__hash_string (uint64_t seed, const char *text);

/* --- table.c: records by row number, growing in levels ------------------------------------------------------------ */

enum { MONOCLE__TABLE_LEVELS = 20, MONOCLE__TABLE_FIRST_LEVEL = 64 };

/* Rows 1..rows stand in `base`; later ones (dynamic images, edit and continue) in levels, each twice the one before. */
typedef struct {
	uint32_t rows;
	_Atomic (void *) *base;
	_Atomic (_Atomic (void *) *) levels[MONOCLE__TABLE_LEVELS];
} monocle__table;

bool monocle__table_init (monocle__table *table, uint32_t rows);
/* Where row's record stands; NULL: no such row can be (or, with make, no memory). */
_Atomic (void *) *monocle__table_slot (monocle__table *table, uint32_t row, bool make);
/* One more than the highest row that may hold a record. */
uint32_t monocle__table_end (const monocle__table *table);

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

/* NULL while the host cannot tell. */
const monocle__image_desc *monocle__image_describe (MonoImage *image);
/* Brackets every question to the host about what is in `image`; false: it is gone, do not ask. NULL image: true. */
bool monocle__image_ask_begin (MonoImage *image);
void monocle__image_ask_end (MonoImage *image);
/*
 * For those who read an image's own bytes: `MONOCLE__HELD MonoImage *held = monocle__image_hold (image);` keeps them
 * where they are to the end of the block. NULL: the image is gone, or there is none.
 */
#define MONOCLE__HELD __attribute__ ((cleanup (monocle__image_let_go)))
MonoImage *monocle__image_hold (MonoImage *image);
void monocle__image_let_go (MonoImage **held);
MonoImage *monocle__image_first (void);
MonoImage *monocle__image_corlib (void);
bool monocle__image_is_loaded (MonoImage *image);

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
};

struct _MonoClass {
	monocle__node node; /* first: interned classes are found through it */
	uint8_t kind, rank;
	uint8_t depth; /* how deep composites nest in it */
	bool shared_ref;
	bool is_open;               /* generic parameters stand in it */
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

/* An array's record is longer by what mono_type_get_array_type () shows. */
typedef struct {
	MonoClass klass;
	MonoArrayType shape;
} monocle__array_class;

/* --- special-type.c: types that say more than their class does ---------------------------------------------------- */

enum { MONOCLE__MODIFIERS_MAX = 64 };

typedef struct {
	monocle__node node; /* first: it is interned */
	MonoType type;
	bool is_open;
	uint32_t modifier_count;
	MonoType **modifiers; /* in the order of the signature */
	uint64_t required;
	MonoType *pointee;              /* of a pointer to what is special itself */
	MonoMethodSignature *signature; /* of a function pointer */
	MonoArrayType shape;            /* of an array with sizes or bounds: rank is not 0 */
} monocle__special_type;

/* NULL: the class says it all. */
const monocle__special_type *monocle__type_special (const MonoType *type);
/* Do generic parameters stand in it? */
bool monocle__type_is_open (const MonoType *type);
/* The same type over another class or other parts, for inflation. `like` gives modifiers and shape. */
MonoType *monocle__special_type_like (const monocle__special_type *like, MonoType *type);
MonoType *monocle__special_type_fnptr (MonoMethodSignature *signature);

/*
 * What Mono shows of a class that a type names: Gen<T> inside Gen's own definition is the definition itself, though its
 * type is an instance.
 */
MonoClass *monocle__class_shown (MonoClass *klass);
/* Of an enum its underlying type, NULL for all others and where the host does not tell. */
MonoType *monocle__enum_base (MonoClass *klass);
/* T[*]: an array of rank 1 that is no vector. */
MonoClass *monocle__class_general_vector (MonoClass *element);

/* Stands for "asked, there is none" where a MonoClass pointer is cached. */
extern MonoClass monocle__class_none;

/* As it stands in the names of types; "!0" for a parameter that nobody can name. Any context. */
const char *monocle__class_name (MonoClass *klass);
/* NULL while the host cannot tell. Arrays, pointers and the like are described from their element. */
const monocle__class_desc *monocle__class_describe (MonoClass *klass);
/* The definition under an instance; any other class itself. */
MonoClass *monocle__class_definition (MonoClass *klass);
/* Called when corlib becomes known, so that primitives get an image. */
void monocle__class_corlib_is (MonoImage *image);
/* Its like with the parameters replaced; NULL without memory. Counts may be 0: then those parameters stay. */
MonoClass *monocle__class_inflate (MonoClass *klass, uint32_t class_count, MonoType *const *class_arguments,
                                   uint32_t method_count, MonoType *const *method_arguments);
MonoType *monocle__type_inflate (MonoType *type, uint32_t class_count, MonoType *const *class_arguments,
                                 uint32_t method_count, MonoType *const *method_arguments);
/* Describes what is still undescribed: names, parents, parameters. False: that was done already. */
bool monocle__class_complete (MonoClass *klass);
/* The same for the type parameters of a class or of a method. */
void monocle__params_complete (MonoClass *klass, MonoMethod *method, uint32_t count);
/* A copy in the arena. */
MonoType **monocle__type_list (uint32_t count, MonoType *const *types);
uint32_t monocle__type_code (const MonoType *type);

/* --- method.c, signature.c ---------------------------------------------------------------------------------------- */

struct _MonoMethodSignature {
	MonoType *ret;
	MonoType **params;
	uint32_t count, call_convention, generic_params;
	bool has_this, explicit_this;
	uint32_t sentinel;      /* as in monocle_signature_info */
	bool is_owned;          /* an allocation of its own, which mono_metadata_free_method_signature () frees */
	MonoMethod *definition; /* whose signature it is, instances included; NULL: it stands alone */
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
	uint16_t flags, iflags;
	uint32_t token;
	MonoClass *klass; /* of an instance; of a definition also when a host told it early */
	_Atomic (MonoMethodSignature *) signature;
	const char *name; /* written last of these */
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

/*
 * debug.c: the IL offset of a native offset into the code that begins at `start`, NULL: the newest. UINT32_MAX:
 * unknown, or none. Normal context.
 */
uint32_t monocle__debug_il_offset (MonoMethod *method, const void *start, uint32_t native_offset);
/* jit-info.c: the code of the image's methods, and of instances over its classes, is gone. Any context. */
void monocle__jit_info_forget_image (const MonoImage *image);

const monocle__method_desc *monocle__method_describe (MonoMethod *method);
void monocle__method_complete (MonoMethod *method);
MonoMethodSignature *monocle__method_signature (MonoMethod *method);
/* In the arena; parameters are zero. */
MonoMethodSignature *monocle__signature_new (uint32_t count);
/* Takes what the host said; `signature` has room for its parameters. */
void monocle__signature_fill (MonoMethodSignature *signature, const monocle_signature_info *info);
/* Its like with the parameters replaced, in the arena; NULL without memory. */
MonoMethodSignature *monocle__signature_inflate (MonoMethodSignature *open, uint32_t class_count,
                                                 MonoType *const *class_arguments, uint32_t method_count,
                                                 MonoType *const *method_arguments);

/* --- names.c: text without allocation ----------------------------------------------------------------------------- */

/* Writes what fits and counts what would have been needed, as snprintf does. Any context. */
typedef struct {
	char *data;
	size_t size, length;
} monocle__text;

#endif
