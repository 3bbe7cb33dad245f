/*
 * SPDX-License-Identifier: MIT
 *
 * wrapper.c - methods that no image lists: what a program compiles from a DynamicMethod, the runtime's stubs.
 *
 * They come and go by the thousand, and what a module holds must stay readable. So a record is never freed; when its
 * method is gone the next one with the same spelling takes it: kind, class, name and signature. Only the number of
 * different spellings takes memory. Two that live at the same time are two records. Any thread, any context.
 */
#include <string.h>
#include "arena.h"
#include "class.h"
#include "hash.h"
#include "intern.h"
#include "shown.h"
#include "signature.h"

typedef struct {
	MonoMethod method; /* first: hosts and modules know it */
	monocle__node node;
	monocle__method_desc desc;
	_Atomic (bool) is_taken; /* a method that is in use; false: it may be taken */
} wrapper;

static monocle__intern wrappers;

static wrapper *
of_node (const monocle__node *node)
{
	return (wrapper *) (void *) ((char *) (uintptr_t) node - offsetof (wrapper, node));
}

typedef struct {
	const monocle_wrapper_info *info;
	MonoMethodSignature *signature;
} key;

/* Equal, and not in use: then it is taken. */
static bool
take_same (const monocle__node *node, const void *data)
{
	wrapper *w = of_node (node);
	const key *k = data;
	bool expected = false;
	if (w->method.klass != k->info->klass || w->desc.flags != k->info->flags || w->desc.iflags != k->info->iflags ||
	    strcmp (w->desc.name, k->info->name) || strcmp (w->desc.wrapper, k->info->wrapper) ||
	    atomic_load_explicit (&w->method.signature, memory_order_acquire) != k->signature)
		return false;
	return atomic_compare_exchange_strong_explicit (&w->is_taken, &expected, true, memory_order_acq_rel,
	                                                memory_order_relaxed);
}

static wrapper *
wrapper_new (const monocle_wrapper_info *info, MonoMethodSignature *signature)
{
	wrapper *w = monocle__arena_alloc (sizeof *w);
	if (!w)
		return NULL;
	w->desc = (monocle__method_desc) {
		.name = monocle__arena_string (info->name),
		.wrapper = monocle__arena_string (info->wrapper),
		.flags = (uint16_t) info->flags,
		.iflags = (uint16_t) info->iflags,
		.klass = info->klass,
	};
	w->method.image = monocle__class_image (info->klass);
	atomic_init (&w->method.signature, signature);
	atomic_init (&w->method.desc, &w->desc);
	atomic_init (&w->is_taken, true);
	if (!w->desc.name || !w->desc.wrapper)
		return NULL;
	monocle__shown_method_is (&w->method, &w->desc);
	return w;
}

MonoMethod *
monocle_method_wrapper_new (const monocle_wrapper_info *info)
{
	if (!info || info->size < sizeof *info || !info->name || !info->wrapper || !info->klass)
		return NULL;
	const monocle_signature_info nothing = { .size = sizeof nothing };
	key k = { info, monocle__signature_shared (info->signature ? info->signature : &nothing) };
	if (!k.signature)
		return NULL;
	uint64_t hash = monocle__hash (monocle__hash_text ((uintptr_t) k.signature, info->name), (uintptr_t) info->klass);
	monocle__node *node = monocle__intern_find (&wrappers, hash, take_same, &k);
	wrapper *fresh = node ? NULL : wrapper_new (info, k.signature);
	if (fresh)
		node = monocle__intern_add (&wrappers, hash, &fresh->node, take_same, &k);
	return node ? &of_node (node)->method : NULL;
}

/* No other record's description is inside this one. */
void
monocle_method_wrapper_free (MonoMethod *method)
{
	wrapper *w = (wrapper *) (void *) method;
	if (method && atomic_load_explicit (&method->desc, memory_order_acquire) == &w->desc)
		atomic_store_explicit (&w->is_taken, false, memory_order_release);
}
