/*
 * SPDX-License-Identifier: MIT
 *
 * describe.h - answers about any CLI image, from its metadata: names, types, signatures, members, bodies, attributes.
 *
 * A host that runs CLI images embeds a monocle__describe_image in what it keeps of an image, gives it to
 * monocle_image_new () as its data, and fills the metadata operations of its monocle_host_ops from here. What only the
 * host knows (which image an assembly's name means, which one is corlib, memory per thread) it answers through
 * monocle__describe_owner.
 *
 * No runtime is called and no lock taken. But for opening and closing, everything may run in any context on any
 * thread. What metadata says is not believed: depth, work and lengths are bounded, and a malformed part is an answer of
 * "unknown", never a wild read or an endless walk.
 */
#ifndef MONOCLE_CLI_H
#define MONOCLE_CLI_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>
#include <monocle/host.h>
#include "ecma.h"
#include "r2r.h"

/* --- images (image.c) --------------------------------------------------------------------------------------------- */

typedef struct monocle__describe_index monocle__describe_index;
typedef struct monocle__describe_source monocle__describe_source;

typedef struct monocle__describe_image {
	MonoImage *record;
	monocle__ecma_image ecma; /* over the image as it is mapped */
	atomic_bool readable;     /* may `ecma` be used? Not without metadata, nor after unloading */
	atomic_uint readers;      /* who reads `ecma` for another image's sake: unloading waits for them */
	bool is_corlib;           /* names such as System.Int32 mean primitives here */
	const char *name;         /* simple name of the assembly, never freed; NULL: unknown */
	uint32_t typeref_rows;
	MonoClass *_Atomic *typerefs;                /* resolved TypeRefs by row - 1 */
	_Atomic (monocle__describe_index *) index;   /* types by name; made when first asked for */
	_Atomic (monocle__describe_source *) source; /* its symbols (source.h); looked for when first asked for */
	_Atomic (_Atomic uint8_t *) references;      /* by row of MemberRef, what returns.c knows; made when first asked */
} monocle__describe_image;

/*
 * Allocates what goes with an image whose `ecma` is open. False: no memory. Normal context, before anybody else knows
 * the image. The owner sets `record`, `is_corlib`, and `readable` last.
 */
bool monocle__describe_image_init (monocle__describe_image *image);
/* Gives it back. `readable` is false and `readers` 0 by then. Accepts an image that was never initialised. */
void monocle__describe_image_done (monocle__describe_image *image);
/*
 * Brackets reading `ecma` of an image that nothing else keeps alive: one that was found by name. False: it is gone. Any
 * context.
 */
bool monocle__describe_image_read_begin (monocle__describe_image *image);
void monocle__describe_image_read_end (monocle__describe_image *image);
/* The image of a record, NULL when its metadata cannot be read (any more). */
monocle__describe_image *monocle__describe_image_of (MonoImage *record);

/* --- memory per thread (scratch.c) -------------------------------------------------------------------------------- */

enum { MONOCLE__DESCRIBE_RECENT = 1 << 12, MONOCLE__DESCRIBE_TYPES_MAX = MONOCLE__DESCRIBE_RECENT + (1 << 17) };

/*
 * Zeroed at first. Lists of types are made at the end of `types`. A list that an operation returned stays readable
 * while the next ones make theirs after it, MONOCLE__DESCRIBE_RECENT types in all, so that a signal handler may ask
 * while what it interrupts still copies; an operation inside another one works after the other's unfinished list. It
 * is large, but only what is touched costs memory: map it.
 */
typedef struct {
	uint32_t depth; /* of operations and nested types at work */
	uint32_t work;  /* types read since `depth` was 0 */
	uint32_t used;
	uint32_t rows[64];
	char guid[37];
	MonoType *types[MONOCLE__DESCRIBE_TYPES_MAX];
} monocle__describe_scratch;

/*
 * A list begins at monocle__describe_list_begin (), grows at its end (false: no room), and is kept as said above,
 * unless monocle__describe_list_drop () gives it up, and all after it.
 */
static inline uint32_t
monocle__describe_list_begin (const monocle__describe_scratch *scratch)
{
	return scratch->used;
}

static inline bool
monocle__describe_list_add (monocle__describe_scratch *scratch, MonoType *type)
{
	if (!type || scratch->used >= MONOCLE__DESCRIBE_TYPES_MAX)
		return false;
	scratch->types[scratch->used++] = type;
	return true;
}

static inline MonoType **
monocle__describe_list (monocle__describe_scratch *scratch, uint32_t begin)
{
	return scratch->types + begin;
}

static inline void
monocle__describe_list_drop (monocle__describe_scratch *scratch, uint32_t begin)
{
	scratch->used = begin;
}

/* Another level of work on this thread begins; its end lowers `depth`. */
static inline void
monocle__describe_scratch_deepen (monocle__describe_scratch *scratch)
{
	if (scratch->depth++)
		return;
	scratch->work = 0;
	if (scratch->used > MONOCLE__DESCRIBE_RECENT)
		scratch->used = 0;
}

/* --- who owns the images ------------------------------------------------------------------------------------------ */

/*
 * What an owner answers about an image that is not readable, and about rows beyond those of one that is, from what it
 * knows otherwise. Each is asked in the place of the operation of the same name in monocle_host_ops, and keeps its
 * contract. All in any context, none is absent.
 */
typedef struct {
	int (*describe_image) (MonoImage *record, monocle_image_info *ret);
	int (*describe_class) (MonoClass *klass, monocle_class_info *ret);
	int (*describe_method) (MonoMethod *method, monocle_method_info *ret);
	int (*describe_signature) (MonoMethod *method, monocle_signature_info *ret); /* of a definition */
	const char *(*generic_param_name) (MonoClass *klass, MonoMethod *method, uint32_t index);
	MonoClass *(*class_parent) (MonoClass *klass);
	/* For signatures that the owner found; `valuetype` as the signature says. */
	MonoClass *(*class_of_token) (monocle__describe_image *image, uint32_t token, MonoClass *owner, MonoMethod *method,
	                              int valuetype);
} monocle__describe_unreadable;

/* All in any context. */
typedef struct {
	/* The image that `from` means by the simple name of an assembly; NULL: it is not loaded. */
	monocle__describe_image *(*image_named) (monocle__describe_image *from, const char *assembly);
	/* NULL: not loaded yet. */
	monocle__describe_image *(*corlib) (void);
	/*
	 * This thread's memory, NULL: there is none. A signal handler gets what it interrupts: lists of types last as said
	 * above, the rows and the GUID of an image until the next one is described, be it by the handler.
	 */
	monocle__describe_scratch *(*scratch) (void);
	/* A type that a signature of the runtime's own making names by its handle. May be absent. */
	MonoClass *(*class_of_handle) (uintptr_t handle);
	/* May be absent: then nothing is known of such images. */
	const monocle__describe_unreadable *unreadable;
} monocle__describe_owner;

/* Once, before the first image. The struct is kept. */
void monocle__describe_init (const monocle__describe_owner *owner);
/* Sets the operations that are answered here, and no others. */
void monocle__describe_fill_ops (monocle_host_ops *ops);

/* --- base classes (describe.c) ------------------------------------------------------------------------------------ */

typedef enum {
	MONOCLE__BASE_OTHER,
	MONOCLE__BASE_VALUETYPE, /* System.ValueType */
	MONOCLE__BASE_ENUM,      /* System.Enum */
} monocle__describe_base;

/* What the name of a base class says of the class. */
monocle__describe_base monocle__describe_base_named (const char *name_space, const char *name);

/* --- tokens and signatures (resolve.c, type.c) -------------------------------------------------------------------- */

/* The definition of a type by name, forwarded ones followed; NULL: there is none, or its image is not loaded. */
MonoClass *monocle__describe_find_class (monocle__describe_image *image, const char *name_space, const char *name);
/* A TypeDef, TypeRef or TypeSpec token of the image. `owner`/`method` name the scope of generic parameters. */
MonoClass *monocle__describe_class_of_token (monocle__describe_image *image, uint32_t token, MonoClass *owner,
                                             MonoMethod *method);
/* One type of a signature; NULL when malformed. */
MonoType *monocle__describe_read_type (monocle__describe_image *image, monocle__ecma_cursor *cursor, MonoClass *owner,
                                       MonoMethod *method);
/* A method signature; the cursor is after its end then. The parameters last until the next operation. */
int monocle__describe_read_signature (monocle__describe_image *image, monocle__ecma_cursor *cursor, MonoClass *owner,
                                      MonoMethod *method, monocle_signature_info *ret);
/*
 * The same of a signature that the runtime made itself: it may name types by their handles (II.23.1.16: INTERNAL),
 * which in a file would be any value that was written there.
 */
int monocle__describe_read_runtime_signature (monocle__describe_image *image, monocle__ecma_cursor *cursor,
                                              monocle_signature_info *ret);

/* --- precompiled code (native.c) ---------------------------------------------------------------------------------- */

/*
 * The generic instance whose signature is there among `r2r->instances`, which is of this image. NULL: malformed, of
 * a kind that is not read, or of an image that is not loaded.
 */
MonoMethod *monocle__describe_native_method (monocle__describe_image *image, const monocle__r2r *r2r, uint32_t offset);

#endif
