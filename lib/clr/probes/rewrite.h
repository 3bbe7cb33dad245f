/*
 * SPDX-License-Identifier: MIT
 *
 * rewrite.h - what the files that write probes share: one method on its way to a new body.
 */
#ifndef MONOCLE_CLR_REWRITE_H
#define MONOCLE_CLR_REWRITE_H

#include "clr.h"
#include "il.h"

/* Arguments that are kept from a probe: as many as have registers. More of them stay where they are. */
enum { MONOCLE__SPILLS_MAX = 8 };

/* Instructions in the longest probe. */
enum { MONOCLE__PROBE_MAX = 16 + 2 * MONOCLE__KEYS_MAX + 8 * MONOCLE__SPILLS_MAX };

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
	bool handlers;  /* its handlers get probes */
	bool to_native; /* returns to native code: its returns get fences */
	monocle__ecma_methoddef row;
	uint32_t owner, method_params; /* its TypeDef; how many generic parameters it has itself */
	int64_t record;                /* MonoMethod, or monocle__clr_generic */
	bool generic;
	uint32_t key_count, key_tokens[MONOCLE__KEYS_MAX];
	monocle__il_body body;
	monocle__spills spills;
	struct {
		uint8_t *types; /* as a signature has them; NULL: not read yet. Freed with the job */
		uint32_t size, count;
		bool added;
	} locals;
} monocle__rewriting;

/* --- rewrite.c ---------------------------------------------------------------------------------------------------- */

/*
 * Gives the method its probes; the new state of its body. `state`: the present one; what was rewritten already begins
 * anew with what the image has. Under the image's lock.
 */
int monocle__rewrite (monocle__clr_image *image, mdToken token, MonoProfilerCallInstrumentationFlags flags,
                      monocle__invoke invoke, int state, FunctionID function);
/* Puts the enter probe in front of everything. 0 or negative. */
int monocle__rewrite_enter (monocle__rewriting *job, monocle__il_edit *edit);
/* Writes the type handles that say which instance runs; how many instructions. */
uint32_t monocle__rewrite_keys (const monocle__rewriting *job, monocle__il_instruction *out);
/* Writes the call behind its arguments; how many instructions. */
uint32_t monocle__rewrite_call (monocle__il_instruction *out, monocle__probe function, uint32_t signature);

/* --- fence.c ------------------------------------------------------------------------------------------------------ */

enum { MONOCLE__FENCE_SIZE = 10 };
/*
 * Writes a fence that begins with instruction `at` of an insertion; how many instructions. A `ret` follows, what it
 * returns lies below.
 */
uint32_t monocle__fence_write (monocle__il_instruction *out, uint32_t at);
/* Puts one in front of each `ret`, behind what was inserted there before. 0 or negative. */
int monocle__fence_insert (const monocle__rewriting *job, monocle__il_edit *edit);
/* Native code is returned to by a method's own return only: what `tail.` asks for the runtime does not do there. */
void monocle__fence_drop_tail_calls (monocle__il_body *body);

/* --- handler.c ---------------------------------------------------------------------------------------------------- */

/* Puts a probe at the begin of each filter and handler. 0 or negative. */
int monocle__clause_probe_insert (monocle__rewriting *job, monocle__il_edit *edit);

/* --- spill.c: values that probes would push out of their registers; each writes instructions and says how many ---- */

/* Decides what is kept from the probes, and gives the body the locals for it. */
void monocle__spill_plan (monocle__rewriting *job);
uint32_t monocle__spill_before_enter (const monocle__rewriting *job, monocle__il_instruction *out);
/* What the enter probe is passed behind everything else, and how many arguments that are. */
uint32_t monocle__spill_enter_addresses (const monocle__rewriting *job, monocle__il_instruction *out);
uint32_t monocle__spill_enter_count (const monocle__rewriting *job);
/* `at`: how many instructions stand in front of them in the same insertion. */
uint32_t monocle__spill_after_enter (const monocle__rewriting *job, uint32_t at, monocle__il_instruction *out);
bool monocle__spill_has_result (const monocle__rewriting *job);
uint32_t monocle__spill_result_address (const monocle__rewriting *job, monocle__il_instruction *out);
uint32_t monocle__spill_load_result (const monocle__rewriting *job, monocle__il_instruction *out);

/* --- oracle.c: try/fault in the place of the shadow stack --------------------------------------------------------- */

bool monocle__try_fault_suits (const monocle__rewriting *job);
int monocle__try_fault_insert (monocle__rewriting *job);

/* --- tokens.c: each 0 (or false) when the runtime refuses, which was logged --------------------------------------- */

bool monocle__tokens_open (monocle__clr_image *image);
/* void (int64, native int * count), unmanaged, no transition. */
uint32_t monocle__tokens_calli (monocle__clr_image *image, uint32_t count);
/* Reads the types of the locals that the body has. */
bool monocle__tokens_open_locals (monocle__rewriting *job);
/* Gives the body more locals of one type; the number of the first, or MONOCLE__IL_NONE. */
uint32_t monocle__tokens_add_locals (monocle__rewriting *job, const uint8_t *type, uint32_t type_size, uint32_t count);
/* Names all of them in the body. False: it cannot be written. */
bool monocle__tokens_close_locals (monocle__rewriting *job);
uint32_t monocle__tokens_to_int_ptr (monocle__clr_image *image);
/* The generic class itself as its own code sees it. */
uint32_t monocle__tokens_own_class (monocle__clr_image *image, uint32_t owner, uint32_t params);
uint32_t monocle__tokens_type_spec (monocle__clr_image *image, const uint8_t *blob, uint32_t size);

#endif
