/*
 * SPDX-License-Identifier: MIT
 *
 * codemap.h - which managed code an address belongs to, in any context.
 *
 * Three sources feed one answer. What is compiled while the program runs is reported by the runtime's events and is in
 * the core's table of jit infos. What was compiled ahead is looked up in the ReadyToRun tables of the images
 * (lib/ecma's r2r.h), which are where the loader mapped them. What neither knows is learnt: the service thread asks the
 * runtime.
 *
 * Code that is freed leaves the map before the runtime frees it: with its image (ModuleUnloadStarted), with its dynamic
 * method, or when new code is put where it was.
 */
#ifndef MONOCLE_CLR_CODEMAP_H
#define MONOCLE_CLR_CODEMAP_H

#include "images/image.h"

typedef enum {
	MONOCLE__CODE_JIT,          /* compiled while the program runs: every tier, on-stack replacement, ReJIT, dynamic */
	MONOCLE__CODE_R2R,          /* compiled ahead, of a method definition */
	MONOCLE__CODE_R2R_INSTANCE, /* compiled ahead, of a generic instance */
	MONOCLE__CODE_STUB,         /* the runtime's glue: no frame, no method; `start` and `size` may be 0 */
	MONOCLE__CODE_KINDS
} monocle__code_kind;

typedef struct {
	uintptr_t start; /* of the piece that holds the address: a body, its cold part, an R2R funclet */
	uint32_t size;
	MonoMethod *method; /* NULL: unnamed so far; a stub never has one */
	/*
	 * One word per piece for the walker: 0 at first, and again when other code takes the place. NULL: none. It may be
	 * written as long as the code is there; what is written later is lost or harmless, never seen with other code.
	 */
	_Atomic (uint64_t) *frame;
	/*
	 * ReadyToRun code only: the unwind data of the piece, as the CPU has it, whole and inside the image, which stays
	 * mapped; NULL: none.
	 */
	const uint8_t *unwind;
	uint8_t kind; /* monocle__code_kind */
	bool has_inlined;
	bool is_part; /* a funclet or a cold part: the method's entry is in another piece */
} monocle__code;

/*
 * The code at an address; false: none that is known, so native code, or a stub of the runtime. *ret is then untouched.
 * Any context: no lock, no call of the runtime; memory comes from the core's arena, and only when a method is met
 * for the first time.
 */
bool monocle__codemap_find (uintptr_t ip, monocle__code *ret);

/*
 * An address in managed code, or what looks so, that has no name: the service thread will ask the runtime about it,
 * soon (milliseconds), once. Any context. What does not fit into the queue is asked when it is met again.
 */
void monocle__codemap_learn (uintptr_t ip);

/* Questions will come: events are demanded and images indexed from now on. In the init window. Idempotent. */
void monocle__codemap_begin (void);
/* No more questions, nor is code heard of: what may go unheard is to be told as gone. Nobody asks. */
void monocle__codemap_end (void);
/*
 * After an attach. _begin (), before the runtime tells anything: nothing is unloaded (unloads.h) until all that was
 * there before has been asked about, or will not be. _catch_up (), when the images are known: what was compiled before
 * becomes known by and by, on the service thread. _is_catching_up (): any context.
 */
void monocle__codemap_catch_up_begin (void);
void monocle__codemap_catch_up (void);
bool monocle__codemap_is_catching_up (void);
/* The service has left, and what it was to do is not done. */
void monocle__codemap_abandon_catch_up (void);
/* Was it begun? Any context. */
bool monocle__codemap_wanted (void);

/* --- for those who hear of code (jit.c, image.c, dynamic-method.c) ------------------------------------------------ */

/* An image has come that can be read. Normal context. */
void monocle__codemap_image (monocle__clr_image *image);
/*
 * It goes: from now on nothing is learnt, until it has gone. That its code is found no more is monocle_image_unload
 * ()'s.
 */
void monocle__codemap_unloading (monocle__clr_image *image);
void monocle__codemap_unloaded (monocle__clr_image *image);
/*
 * The function has new bodies, of any tier: makes jit infos of those that are new, each raised as a code buffer when
 * somebody listens. Returns the newest, NULL: the runtime shows none. Normal context.
 */
MonoJitInfo *monocle__codemap_compiled (FunctionID function, ReJITID version, MonoMethod *method);
/* The host operation code_at: any context. */
MonoJitInfo *monocle__codemap_jit_info (void *host, const void *address);

/* The host operation code_awaited: any context. */
mono_bool monocle__codemap_awaited (void *host, uint64_t *ret_found);

/* How often monocle__codemap_learn () asked the runtime, and how it went. Any context. */
typedef struct {
	uint64_t asked, named, refused, lost;
	uint64_t bytes; /* of tables over ReadyToRun images */
} monocle__codemap_counts;
void monocle__codemap_count (monocle__codemap_counts *ret);

#endif
