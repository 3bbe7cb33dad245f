/*
 * SPDX-License-Identifier: MIT
 *
 * rewrite.h - what the files that write probes share: one method on its way to a new body.
 */
#ifndef MONOCLE_CLR_REWRITE_H
#define MONOCLE_CLR_REWRITE_H

#include "il.h"
#include "images/image.h"
#include "probe.h"
#include "runtime-async.h"

/* Arguments that are kept from a probe: as many as have registers. More of them stay where they are. */
enum { MONOCLE__SPILLS_MAX = 8 };

typedef struct monocle__capture monocle__capture;

/* Instructions in the longest probe that shows no values. */
enum { MONOCLE__PROBE_MAX = 24 + 2 * MONOCLE__KEYS_MAX + 8 * MONOCLE__SPILLS_MAX };

/* The enter probe is the longest: copies and guard, record or more, keys, what comes last, addresses, call, back. */
_Static_assert(MONOCLE__PROBE_MAX >= (2 * MONOCLE__SPILLS_MAX + 2) + 1 + 2 * MONOCLE__KEYS_MAX + 2 +
                                         2 * (MONOCLE__SPILLS_MAX + 1) + 4 + 4 + (4 + 4 * MONOCLE__SPILLS_MAX) + 1,
               "a probe has room");
_Static_assert(MONOCLE__CALLI_MAX >= MONOCLE__KEYS_MAX + 1 + 1 + MONOCLE__SPILLS_MAX, "every probe has a signature");

/* A value that passes a probe in memory. */
typedef struct {
	uint32_t argument, local;
	uint32_t clear; /* the type's token where the local may not keep what it held, else 0 */
} monocle__spill;

typedef struct {
	uint32_t guard; /* local; MONOCLE__IL_NONE: nothing is kept from the enter probe */
	uint32_t count;
	monocle__spill arguments[MONOCLE__SPILLS_MAX];
	monocle__spill result; /* its local is MONOCLE__IL_NONE: it stays on the stack */
	bool result_in_memory; /* the leave probe is passed its address */
} monocle__spills;

#define MONOCLE__SPILLS_NONE \
	{ \
		.guard = MONOCLE__IL_NONE, .result.local = MONOCLE__IL_NONE \
	}

typedef struct {
	monocle__clr_image *image;
	mdToken token;
	MonoProfilerCallInstrumentationFlags flags;
	monocle__invoke invoke;
	ICorProfilerFunctionControl *further; /* where a further body goes; NULL: it is the first */
	bool clauses;                         /* its filters and handlers get probes */
	bool to_native;                       /* returns to native code: its returns get fences */
	bool covered;                         /* a filter wants its coverage */
	bool gated;                           /* its image may be edited: its probes go through the gate (gate.h) */
	bool raced;                           /* it was edited meanwhile */
	bool is_runtimes;                     /* only the runtime reads its metadata (images/emitted.h) */
	uint32_t way;                         /* its number for the gate; MONOCLE__IL_NONE: it has none yet */
	const uint8_t *replaces;              /* the body that the runtime has, of an image that may be edited */
	struct monocle__counting *counting;   /* what is counted in it (counter-probe.h); NULL: nothing */
	monocle__ecma_methoddef row;
	uint32_t owner; /* its TypeDef */
	uint32_t class_params, method_params;
	const uint8_t *signature; /* of the method; NULL: it is malformed */
	uint32_t signature_size;
	int64_t record; /* MonoMethod, or monocle__clr_generic */
	bool generic;
	uint32_t key_count, key_tokens[MONOCLE__KEYS_MAX];
	monocle__il_body body;
	monocle__spills spills;
	struct {
		MonoProfiler *prof;
		void *const *enter, *const *leave; /* NULL: through a probe (direct.h) */
	} direct;
	monocle__capture *capture;              /* NULL: nobody asks for contexts (capture.c) */
	monocle__async_part part;               /* what it is in the suspension of methods */
	struct monocle__clr_segments *segments; /* NULL: it is never suspended. Freed with the image, once written */
	uint32_t segment;                       /* its local */
	struct {
		uint8_t *types; /* as a signature has them; NULL: not read yet. Freed with the job */
		uint32_t size, count;
		bool added;
	} locals;
} monocle__rewriting;

/* What the filters want of a method. */
typedef struct {
	MonoProfilerCallInstrumentationFlags flags;
	monocle__invoke invoke;
	bool covered;
} monocle__wish;

/*
 * Gives the method its probes; the new state of its body. `state`: the present one; what was rewritten already begins
 * anew with what the image has. Under the image's lock.
 */
int monocle__rewrite (monocle__clr_image *image, mdToken token, const monocle__wish *wish, int state,
                      FunctionID function);
/*
 * The same for a further body, which begins with what the image has, too. Where nothing is wanted, it is that.
 */
int monocle__rewrite_further (monocle__clr_image *image, mdToken token, const monocle__wish *wish,
                              ICorProfilerFunctionControl *control);
/*
 * A method whose body was ours was edited, and gets no body of ours: offsets in its code are those of the edited body
 * again. `function` is being compiled. Under the image's lock.
 */
void monocle__rewrite_leave (monocle__clr_image *image, mdToken token, FunctionID function);
/* Makes a method of the core library the gate, before any code runs. False: the runtime refuses, which was logged. */
bool monocle__rewrite_as_gate (monocle__clr_image *corlib, mdToken token);
/* Puts the enter probe before everything. 0 or negative. */
int monocle__rewrite_enter (monocle__rewriting *job, monocle__il_edit *edit);
/* Writes the type handles that say which instance runs; how many instructions. */
uint32_t monocle__rewrite_keys (const monocle__rewriting *job, monocle__il_instruction *out);
/* Writes what an enter probe ends with; how many instructions. */
uint32_t monocle__rewrite_end_block (const monocle__rewriting *job, monocle__il_instruction *out);
/* Writes the call after its arguments; how many instructions. */
uint32_t monocle__rewrite_call (monocle__il_instruction *out, monocle__probe function, uint32_t signature);

#endif
