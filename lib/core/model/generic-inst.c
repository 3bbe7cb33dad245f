/*
 * SPDX-License-Identifier: MIT
 *
 * generic-inst.c - lists of type arguments, as Mono lays them out: one record for equal lists, of classes and of
 * methods alike.
 *
 * Any thread, any context.
 */
#include "generic-inst.h"

#include <string.h>
#include "arena.h"
#include "hash.h"
#include "intern.h"
#include "type.h"

enum { COUNT_LIMIT = (1 << 22) - 1 };

typedef struct {
	monocle__node node;
	monocle__generic_inst inst;
} record;

_Static_assert(offsetof (monocle__generic_inst, types) == 8, "arguments are where Mono has them");

typedef struct {
	uint32_t count;
	MonoType *const *types;
} list_key;

static monocle__intern lists;
static _Atomic (int32_t) last_id;

static bool
same (const monocle__node *node, const void *data)
{
	const monocle__generic_inst *known = &((const record *) node)->inst;
	const list_key *asked = data;
	return known->count == asked->count && !memcmp (known->types, asked->types, asked->count * sizeof *asked->types);
}

static record *
record_new (const list_key *key)
{
	record *made = monocle__arena_alloc (sizeof *made + key->count * sizeof *key->types);
	if (!made)
		return NULL;
	made->inst.id = atomic_fetch_add_explicit (&last_id, 1, memory_order_relaxed) + 1;
	made->inst.count = key->count;
	for (uint32_t i = 0; i < key->count; i++) {
		made->inst.types[i] = key->types[i];
		made->inst.is_open |= monocle__type_is_open (key->types[i]);
	}
	return made;
}

const monocle__generic_inst *
monocle__generic_inst_of (uint32_t count, MonoType *const *types)
{
	list_key asked = { count, types };
	if (count > COUNT_LIMIT)
		return NULL;
	uint64_t hash = monocle__hash (count, 0);
	for (uint32_t i = 0; i < count; i++)
		hash = monocle__hash (hash, (uintptr_t) types[i]);
	monocle__node *node = monocle__intern_find (&lists, hash, same, &asked);
	record *made = node ? NULL : record_new (&asked);
	if (made)
		node = monocle__intern_add (&lists, hash, &made->node, same, &asked);
	return node ? &((record *) node)->inst : NULL;
}
