/*
 * SPDX-License-Identifier: MIT
 *
 * clause.c - the clauses of functions that exceptions passed, as their IL has them, and which machine code is the
 * handler of which.
 *
 * The runtime names a handler by where its code begins. Compilers put each handler and filter after the method's own
 * code, with a prologue of its own, in the order of the table; what the debugger's map says of the code after that
 * prologue tells which clause it is. Where optimisation left nothing to say, the place among the others does, if none
 * was left out.
 *
 * What is found is kept for ever and found again without a lock: exceptions fly in cooperative mode.
 */
#include "clause.h"
#include <stdatomic.h>
#include <stdlib.h>
#include "code/code.h"
#include "il.h"
#include "images/editable.h"
#include "images/image.h"
#include "images/resolve.h"
#include "invariant.h"
#include "probes/probing.h"
#include "state.h"

/* One handler's code. */
typedef struct known {
	struct known *next;
	uintptr_t begin;
	uint32_t index;
	bool is_filter;
} known;

struct monocle__clauses {
	monocle__clauses *next;
	FunctionID function;
	monocle__clr_image *image;
	uint32_t row;        /* of the definition */
	unsigned epoch;      /* 0: for ever; else the instance_epoch in which `function` means this */
	const uint8_t *body; /* of an image that may be edited; NULL: of another one */
	bool typed;
	uint32_t count;
	known *_Atomic handlers;
	monocle__il_raw_clause list[];
};

enum { BUCKETS = 1024 };

static monocle__clauses *_Atomic buckets[BUCKETS];

static monocle__clauses *_Atomic *
bucket_of (FunctionID function)
{
	return &buckets[(function >> 3) * 0x9E3779B97F4A7C15u >> 54];
}

static unsigned
epoch (void)
{
	return atomic_load (&monocle__clr_state.instance_epoch);
}

/* --- making ------------------------------------------------------------------------------------------------------- */

/* How many there are. */
static uint32_t
count_of (monocle__clr_image *image, mdToken token, const uint8_t **ret_data, size_t *ret_size)
{
	monocle__il_header header;
	*ret_data = monocle__editable_body_of_any (image, token, ret_size);
	return *ret_data && !monocle__il_read_header (*ret_data, *ret_size, &header) ? header.clause_count : 0;
}

bool
monocle__clause_any (FunctionID function)
{
	ModuleID module;
	mdToken token;
	const uint8_t *data;
	size_t size;
	monocle__clr_image *image =
	    monocle__resolve_function (function, &module, &token) ? monocle__clr_image_find (module) : NULL;
	return image && count_of (image, token, &data, &size) != 0;
}

static monocle__clauses *
make (FunctionID function, monocle__clr_image *image, mdToken token)
{
	const uint8_t *data;
	size_t size;
	uint32_t count = count_of (image, token, &data, &size);
	monocle__clauses *made = calloc (1, sizeof *made + count * sizeof *made->list);
	if (!made)
		return NULL;
	made->function = function;
	made->image = image;
	made->row = token & 0xFFFFFF;
	made->epoch = image->is_collectible ? epoch () : 0;
	made->body = image->is_editable ? data : NULL;
	for (uint32_t i = 0; i < count && !monocle__il_read_clause (data, size, i, &made->list[i]); i++) {
		made->typed |= made->list[i].flags == MONOCLE__IL_CLAUSE_CATCH;
		made->count++;
	}
	return made;
}

static monocle__clauses *
add (FunctionID function)
{
	ModuleID module;
	mdToken token;
	monocle__clr_image *image =
	    monocle__resolve_function (function, &module, &token) ? monocle__clr_image_find (module) : NULL;
	monocle__clauses *made = image ? make (function, image, token) : NULL;
	if (!made)
		return NULL;
	monocle__clauses *_Atomic *bucket = bucket_of (function);
	made->next = atomic_load (bucket);
	while (!atomic_compare_exchange_weak (bucket, &made->next, made))
		;
	return made;
}

/* An id of code that was unloaded may mean another function, and one that was edited has other clauses. */
static bool
is_current (const monocle__clauses *c)
{
	size_t size;
	if (c->epoch && c->epoch != epoch ())
		return false;
	return !c->body || c->body == monocle__editable_body (c->image, 0x06000000 | c->row, &size);
}

monocle__clauses *
monocle__clause_of (FunctionID function)
{
	monocle__clauses *c = atomic_load_explicit (bucket_of (function), memory_order_acquire);
	while (c && (c->function != function || !is_current (c)))
		c = c->next;
	if (!c)
		c = add (function);
	return c && c->count ? c : NULL;
}

/* --- asking ------------------------------------------------------------------------------------------------------- */

uint32_t
monocle__clause_flags (const monocle__clauses *clauses, uint32_t index)
{
	MONOCLE__INVARIANT (index < clauses->count);
	return clauses->list[index].flags;
}

bool
monocle__clause_typed (const monocle__clauses *clauses)
{
	return clauses->typed;
}

bool
monocle__clause_probed (const monocle__clauses *clauses)
{
	monocle__clr_image *image = clauses->image;
	uint32_t row = clauses->row;
	return row && row <= image->method_rows &&
	       monocle__probing_has_clause_probes (image, atomic_load (&image->methods[row - 1]));
}

/* Where the handler's IL begins and how long it is, or its filter's. False: it has no filter. */
static bool
region_of (const monocle__il_raw_clause *clause, bool is_filter, uint32_t *ret_begin, uint32_t *ret_length)
{
	if (is_filter && clause->flags != MONOCLE__IL_CLAUSE_FILTER)
		return false;
	*ret_begin = is_filter ? clause->token_or_filter : clause->handler_offset;
	*ret_length = is_filter ? clause->handler_offset - clause->token_or_filter : clause->handler_length;
	return true;
}

static uint32_t
innermost (const monocle__clauses *clauses, uint32_t il_offset, bool is_filter)
{
	uint32_t found = UINT32_MAX, least = UINT32_MAX, begin, length;
	for (uint32_t i = 0; i < clauses->count; i++)
		if (region_of (&clauses->list[i], is_filter, &begin, &length) && il_offset - begin < length && length < least) {
			found = i;
			least = length;
		}
	return found;
}

static uint32_t
by_place (const monocle__clauses *clauses, const monocle__clr_code_handler *handler, bool is_filter)
{
	uint32_t place = 0, found = UINT32_MAX;
	for (uint32_t i = 0; i < clauses->count; i++) {
		bool filtered = clauses->list[i].flags == MONOCLE__IL_CLAUSE_FILTER;
		if (filtered && place++ == handler->place && is_filter)
			found = i;
		if (place++ == handler->place && !is_filter)
			found = i;
	}
	return place == handler->count ? found : UINT32_MAX;
}

static uint32_t
find (const monocle__clauses *clauses, uintptr_t begin, bool is_filter)
{
	monocle__clr_code_handler handler;
	if (!monocle__clr_code_handler_at (clauses->function, begin, &handler))
		return UINT32_MAX;
	return handler.il_offset == UINT32_MAX ? by_place (clauses, &handler, is_filter)
	                                       : innermost (clauses, handler.il_offset, is_filter);
}

uint32_t
monocle__clause_at (monocle__clauses *clauses, uintptr_t begin, bool is_filter)
{
	for (known *k = atomic_load_explicit (&clauses->handlers, memory_order_acquire); k; k = k->next)
		if (k->begin == begin && k->is_filter == is_filter)
			return k->index;
	known *made = malloc (sizeof *made);
	uint32_t index = find (clauses, begin, is_filter);
	if (!made)
		return index;
	MONOCLE__INVARIANT (index == UINT32_MAX || index < clauses->count);
	*made = (known) { atomic_load (&clauses->handlers), begin, index, is_filter };
	while (!atomic_compare_exchange_weak (&clauses->handlers, &made->next, made))
		;
	return index;
}

static bool
try_contains (const monocle__il_raw_clause *clause, uint32_t il_offset)
{
	return il_offset - clause->try_offset < clause->try_length;
}

bool
monocle__clause_protect (const monocle__clauses *clauses, uintptr_t return_address)
{
	uint32_t il_offset = monocle__clr_code_il_offset (clauses->function, return_address - 1);
	for (uint32_t i = 0; i < clauses->count && il_offset != UINT32_MAX; i++)
		if (try_contains (&clauses->list[i], il_offset))
			return true;
	return false;
}

bool
monocle__clause_enclose (const monocle__clauses *clauses, uint32_t in)
{
	MONOCLE__INVARIANT (in < clauses->count);
	for (uint32_t i = 0; i < clauses->count; i++)
		if (try_contains (&clauses->list[i], clauses->list[in].handler_offset))
			return true;
	return false;
}

bool
monocle__clause_nest (const monocle__clauses *clauses, uint32_t outer, uint32_t inner)
{
	const monocle__il_raw_clause *c = &clauses->list[outer];
	return clauses->list[inner].try_offset - c->handler_offset < c->handler_length;
}
