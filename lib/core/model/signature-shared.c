/*
 * SPDX-License-Identifier: MIT
 *
 * signature-shared.c - signatures that belong to no method in particular: of function pointers and of wrappers.
 *
 * There are few, and many have the same, so equal ones are one record. Any thread, any context.
 */
#include "signature.h"

#include <string.h>
#include "arena.h"
#include "hash.h"
#include "intern.h"

typedef struct {
	monocle__node node;
	MonoMethodSignature signature; /* longer by its parameters */
} record;

typedef struct {
	const MonoMethodSignature *head; /* without its parameters */
	MonoType *const *params;
} asked_for;

static monocle__intern signatures;

static bool
same (const monocle__node *node, const void *data)
{
	const MonoMethodSignature *known = &((const record *) (const void *) node)->signature;
	const asked_for *asked = data;
	return monocle__signature_heads_equal (known, asked->head) &&
	       (!known->count || !memcmp (known->params, asked->params, known->count * sizeof *known->params));
}

static uint64_t
hash_of (const asked_for *key)
{
	uint64_t hash = monocle__hash (key->head->count, (uintptr_t) key->head->ret);
	for (uint32_t i = 0; i < key->head->count; i++)
		hash = monocle__hash (hash, (uintptr_t) key->params[i]);
	return hash;
}

static record *
record_new (const asked_for *key)
{
	record *made = monocle__arena_alloc (offsetof (record, signature) + monocle__signature_size (key->head->count));
	if (!made)
		return NULL;
	made->signature = *key->head;
	if (key->head->count)
		memcpy (made->signature.params, key->params, key->head->count * sizeof *key->params);
	return made;
}

MonoMethodSignature *
monocle__signature_shared (const monocle_signature_info *info)
{
	MonoMethodSignature head;
	asked_for asked = { &head, info->params };
	monocle__signature_head (info, &head);
	if (info->param_count > MONOCLE__PARAM_LIMIT)
		return NULL;
	for (uint32_t i = 0; i < info->param_count; i++)
		if (!info->params[i])
			return NULL;
	uint64_t hash = hash_of (&asked);
	monocle__node *node = monocle__intern_find (&signatures, hash, same, &asked);
	record *made = node ? NULL : record_new (&asked);
	if (made)
		node = monocle__intern_add (&signatures, hash, &made->node, same, &asked);
	return node ? &((record *) (void *) node)->signature : NULL;
}
