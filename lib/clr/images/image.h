/*
 * SPDX-License-Identifier: MIT
 *
 * image.h - the images that the runtime has loaded: one record each, from its ModuleID to its metadata, the states of
 * its methods, and what is to be dropped when it goes.
 */
#ifndef MONOCLE_CLR_IMAGE_H
#define MONOCLE_CLR_IMAGE_H

#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <monocle/host.h>
#include "corprof.h"
#include "describe.h"
#include "ecma.h"

/* What is known of one method body. Written under the image's lock, read without. */
enum {
	MONOCLE__METHOD_UNKNOWN,
	MONOCLE__METHOD_PLAIN,    /* no filter wants it (in this epoch), or it has no body */
	MONOCLE__METHOD_PROBED,   /* the runtime has our body */
	MONOCLE__METHOD_TRACED,   /* the same, exceptional exits are wanted: inlined only into methods with probes */
	MONOCLE__METHOD_CATCHING, /* the same, and it has catch blocks: never inlined */
	MONOCLE__METHOD_REFUSED,  /* wanted, but its body cannot be rewritten; counted and logged */
	MONOCLE__METHOD_HANDLED,  /* no filter wants it, but its handlers have probes, or its returns fences */
	MONOCLE__METHOD_STALE,    /* the same, and the filters are to be asked again */
};

/* Beside the call flags of a body: it has counters. */
enum { MONOCLE__METHOD_COVERED = 1 };

/* Runtime ids that were bound to records. */
typedef struct {
	struct {
		monocle_id_space space;
		uintptr_t id;
	} * list;
	uint32_t count, capacity;
} monocle__clr_ids;

/* Memory that lives as long as an image's code does. */
typedef struct monocle__clr_memory {
	struct monocle__clr_memory *next;
	void (*release) (void *block);
	void *block;
} monocle__clr_memory;

/* What a method of an image that may be edited has. Written under the image's lock, `ours` last; read without. */
typedef struct {
	_Atomic (const uint8_t *) ours, replaced; /* our body, and the one that it was made of */
} monocle__clr_body;

/* The most native ints that a probe is passed: the values of a call, as many as a signature counts in a byte. */
enum { MONOCLE__CALLI_MAX = 125 };

typedef struct monocle__clr_image {
	monocle__describe_image cli; /* first: its metadata; not readable for Reflection.Emit images */
	_Atomic (ModuleID) id;       /* 0: unloaded */
	_Atomic (AssemblyID) assembly;
	bool is_collectible, is_emitted;    /* Reflection.Emit's */
	bool is_editable;                   /* while it runs (editable.h): its metadata is left as it is */
	uint32_t gate_token;                /* of an editable one: what its probes call (probes/gate.h); 0: it has none */
	atomic_bool is_mapped;              /* codemap.c knows its precompiled code */
	bool is_assembly_told;              /* in this attach */
	atomic_int wanted;                  /* may hold methods that a filter wants: -1 not asked yet, 0, 1 */
	atomic_uint epoch;                  /* filter_epoch for which `wanted` and PLAIN states hold */
	_Atomic (uint32_t) method_rows;     /* grows where an image is being written, and the tables before it */
	_Atomic (uint8_t) *_Atomic methods; /* state by methoddef row - 1 */
	_Atomic (uint8_t) *_Atomic flags;   /* the call flags that its present body has, and _COVERED, by the same */
	pthread_mutex_t lock;               /* guards what follows, and rewriting */
	IMetaDataEmit2 *emit;
	uint32_t calli_token[MONOCLE__CALLI_MAX + 1];           /* signatures by number of native ints, 0: not made yet */
	uint32_t calli_returning_token[MONOCLE__CALLI_MAX + 1]; /* the same of those that return a number */
	uint32_t to_int_ptr_token, corlib_token;
	monocle__clr_body *_Atomic bodies; /* of an editable one, by row - 1; NULL: none yet */
	monocle__clr_ids bound;      /* of a collectible image: what to drop when it unloads; under a lock of image.c */
	monocle__clr_memory *memory; /* what code of this image refers to */
	uint32_t sequence;           /* images are numbered as they come */
	struct monocle__clr_image *_Atomic next;
	struct monocle__clr_image *retired; /* the next one that waits to be used again */
} monocle__clr_image;

/* All that there were, newest first; begins with NULL. One that has gone has the id 0. Any context. */
monocle__clr_image *monocle__clr_image_next (monocle__clr_image *image);
/* NULL for modules that were never announced. Any context. */
monocle__clr_image *monocle__clr_image_find (ModuleID id);
monocle__clr_image *monocle__clr_image_of (MonoImage *record);
monocle__clr_image *monocle__clr_image_corlib (void);
/*
 * After an attach: the images and assemblies that are there, with their events, as if they came now. _begin () before
 * the runtime tells of loads; what it tells meanwhile comes once. On the thread that attaches.
 */
void monocle__images_catch_up_begin (void);
void monocle__images_catch_up (void);
/* `tell` is called for each image that comes, after its events, before any of its code runs; NULL: none is. */
void monocle__images_watch (void (*tell) (monocle__clr_image *image));
/* `tell` is called for each module that is about to go, before that waits (unloads.h). Before images come. */
void monocle__images_watch_unloads (void (*tell) (ModuleID module));
/* The adapter leaves, and will not hear of unloads: what may be unloaded is gone. No other thread is in the adapter. */
void monocle__images_leave (void);
/* What lib/describe asks about the images of this process. */
extern const monocle__describe_owner monocle__clr_image_owner;
/*
 * Binds an id to a record for as long as the id means that: the image's life; for arrays and generic instances (image
 * NULL) until any image unloads, for it may be the one that they are made over. Any thread, not from a signal handler.
 */
void monocle__clr_image_bind (monocle__clr_image *image, monocle_id_space space, uintptr_t id, void *record);

/* An image that is being written has so many methods by now. False: no memory. Under the image's lock. */
bool monocle__clr_image_grow (monocle__clr_image *image, uint32_t rows);
/*
 * Gives a block to the image: `release` is called with it when the image has gone. Without memory it stays for ever.
 * Under the image's lock.
 */
void monocle__clr_image_own (monocle__clr_image *image, void *block, void (*release) (void *block));

#endif
