/*
 * SPDX-License-Identifier: MIT
 *
 * file-walk.c - see file-host.h: every question about every row of an image.
 */
#include <stdlib.h>
#include <string.h>
#include <mono/metadata/assembly.h>
#include <mono/metadata/class.h>
#include <mono/metadata/debug-helpers.h>
#include <mono/metadata/metadata.h>
#include "file-host.h"

/* Numbers of the tables (ECMA-335 II.22), which are also the first byte of tokens. */
enum {
	TYPEREF = 0x01,
	TYPEDEF = 0x02,
	FIELD = 0x04,
	METHOD = 0x06,
	MEMBERREF = 0x0A,
	CUSTOMATTRIBUTE = 0x0C,
	STANDALONESIG = 0x11,
	TYPESPEC = 0x1B,
	METHODSPEC = 0x2B,
	TABLES = 64,
	COLUMNS_MAX = 10,
	ATTRIBUTE_PARENTS = 22,
};

typedef struct {
	const monocle_host_ops *ops;
	MonoImage *image;
	file_host_counts *counts;
	FILE *complaints;
} walk;

static void
complain (walk *w, const char *what, uint32_t token, uint32_t index)
{
	w->counts->unknown++;
	if (w->complaints)
		fprintf (w->complaints, "%s of %08x, number %u\n", what, token, index);
}

static void
unresolved (walk *w, uint32_t token)
{
	w->counts->unresolved++;
	if (w->complaints)
		fprintf (w->complaints, "%08x leads nowhere\n", token);
}

static uint32_t
rows (walk *w, uint32_t table)
{
	return (uint32_t) mono_image_get_table_rows (w->image, (int) table);
}

static void
name_type (walk *w, MonoType *type)
{
	char *name = type ? mono_type_full_name (type) : NULL, *other = type ? mono_type_get_name (type) : NULL;
	w->counts->names += (name != NULL) + (other != NULL);
	mono_free (name);
	mono_free (other);
}

/* --- classes ------------------------------------------------------------------------------------------------------ */

static uint64_t *
counter (walk *w, monocle_member_kind kind)
{
	/* clang-format off */
	uint64_t *const counters[] = {
		[MONOCLE_MEMBER_METHOD] = &w->counts->methods,       [MONOCLE_MEMBER_FIELD] = &w->counts->fields,
		[MONOCLE_MEMBER_PROPERTY] = &w->counts->properties,  [MONOCLE_MEMBER_EVENT] = &w->counts->events,
		[MONOCLE_MEMBER_NESTED] = &w->counts->nested,        [MONOCLE_MEMBER_INTERFACE] = &w->counts->interfaces,
	};
	/* clang-format on */
	return counters[kind];
}

/* Is there what this kind of member must have? */
static bool
is_whole (monocle_member_kind kind, const monocle_member_info *info)
{
	switch (kind) {
	case MONOCLE_MEMBER_METHOD: return info->token && info->methods[0];
	case MONOCLE_MEMBER_NESTED: return info->token && info->klass;
	case MONOCLE_MEMBER_INTERFACE: return info->klass;
	case MONOCLE_MEMBER_FIELD:
		return info->token && info->name && info->type && !(info->flags & 0x100 && !info->data) &&
		       !(info->flags & 0x8000 && !info->constant_type);
	default:
		return info->token && info->name && info->type && (info->methods[0] || info->methods[1] || info->methods[2]);
	}
}

static void
walk_members (walk *w, MonoClass *klass, monocle_member_kind kind)
{
	uint32_t count = w->ops->member_count (w->ops->host, klass, kind);
	for (uint32_t i = 0; i < count; i++) {
		monocle_member_info info = { .size = sizeof info };
		++*counter (w, kind);
		if (w->ops->describe_member (w->ops->host, klass, kind, i, &info) || !is_whole (kind, &info))
			complain (w, "member", monocle_class_token (klass), (uint32_t) kind << 24 | i);
		name_type (w, info.type);
		if (info.klass)
			name_type (w, mono_class_get_type (info.klass));
	}
}

static void
walk_class (walk *w, uint32_t token)
{
	MonoClass *klass = monocle_class_def (w->image, token);
	w->counts->classes++;
	if (!klass) {
		complain (w, "class", token, 0);
		return;
	}
	if (!*mono_class_get_name (klass))
		complain (w, "name of class", token, 0);
	name_type (w, mono_class_get_type (klass));
	mono_class_get_parent (klass);
	for (int kind = 0; kind < MONOCLE_MEMBER_KINDS; kind++)
		walk_members (w, klass, (monocle_member_kind) kind);
}

/* --- methods ------------------------------------------------------------------------------------------------------ */

static void
walk_body (walk *w, MonoMethod *method, uint32_t token)
{
	monocle_body_info body = { .size = sizeof body };
	uint32_t rva = 0, iflags = 0, flags = mono_method_get_flags (method, &iflags);
	w->ops->metadata_column (w->ops->host, w->image, METHOD, token & 0xFFFFFF, 0, &rva);
	if (!rva || iflags & 3 || flags & 0x2000)
		return;
	w->counts->bodies++;
	if (w->ops->describe_body (w->ops->host, method, &body)) {
		complain (w, "body", token, 0);
		return;
	}
	for (uint32_t i = 0; i < body.clause_count; i++) {
		monocle_clause_info clause = { .size = sizeof clause };
		w->counts->clauses++;
		if (w->ops->describe_clause (w->ops->host, method, i, &clause) || (!clause.flags && !clause.catch_class))
			complain (w, "clause", token, i);
	}
}

static void
walk_method (walk *w, uint32_t token)
{
	MonoMethod *method = monocle_method_def (w->image, token);
	MonoMethodSignature *signature = method ? mono_method_signature (method) : NULL;
	if (!signature) {
		complain (w, "signature", token, 0);
		return;
	}
	char *name = mono_method_full_name (method, 1);
	w->counts->names += name != NULL;
	mono_free (name);
	for (uint32_t i = 0; i <= mono_signature_get_param_count (signature); i++) {
		monocle_param_info param = { .size = sizeof param };
		w->counts->params++;
		if (w->ops->describe_param (w->ops->host, method, i, &param))
			complain (w, "parameter", token, i);
	}
	walk_body (w, method, token);
}

/* --- tokens ------------------------------------------------------------------------------------------------------- */

static bool
resolves (walk *w, uint32_t token)
{
	MonoClass *klass;
	uint32_t index;
	switch (token >> 24) {
	case MEMBERREF:
		return w->ops->method_of_token (w->ops->host, w->image, token, NULL, NULL) ||
		       w->ops->field_of_token (w->ops->host, w->image, token, NULL, NULL, &klass, &index) == 0;
	case METHODSPEC: return w->ops->method_of_token (w->ops->host, w->image, token, NULL, NULL);
	case FIELD: return w->ops->field_of_token (w->ops->host, w->image, token, NULL, NULL, &klass, &index) == 0;
	default:
		klass = w->ops->class_of_token (w->ops->host, w->image, token, NULL, NULL);
		if (klass)
			name_type (w, mono_class_get_type (klass));
		return klass;
	}
}

static void
walk_tokens (walk *w, uint32_t table)
{
	for (uint32_t rid = 1; rid <= rows (w, table); rid++) {
		w->counts->tokens++;
		if (!resolves (w, table << 24 | rid))
			unresolved (w, table << 24 | rid);
	}
}

static void
walk_attributes (walk *w)
{
	for (uint32_t table = 0; table < TABLES; table++)
		for (uint32_t rid = 1; rid <= rows (w, table); rid++)
			for (uint32_t i = 0;; i++) {
				monocle_attribute_info info = { .size = sizeof info };
				int result = w->ops->describe_attribute (w->ops->host, w->image, table << 24 | rid, i, &info);
				if (result == MONOCLE_E_NOT_FOUND)
					break;
				w->counts->attributes++;
				if (result || !info.constructor || !info.klass || info.data_size < 2)
					complain (w, "attribute", table << 24 | rid, i);
			}
}

/* Every cell, and every stand-alone signature; whatever they hold. */
static void
walk_raw (walk *w)
{
	uint32_t value, size;
	for (uint32_t table = 0; table < TABLES; table++)
		for (uint32_t rid = 1; rid <= rows (w, table); rid++)
			for (uint32_t column = 0; column < COLUMNS_MAX; column++)
				if (w->ops->metadata_column (w->ops->host, w->image, table, rid, column, &value) == 0)
					for (int heap = 0; heap < MONOCLE_HEAP_KINDS; heap++)
						w->ops->metadata_heap (w->ops->host, w->image, (monocle_heap_kind) heap, value, &size);
	for (uint32_t rid = 1; rid <= rows (w, STANDALONESIG); rid++) {
		monocle_signature_info info = { .size = sizeof info };
		w->ops->metadata_column (w->ops->host, w->image, STANDALONESIG, rid, 0, &value);
		const uint8_t *at = w->ops->metadata_heap (w->ops->host, w->image, MONOCLE_HEAP_BLOB, value, &size);
		if (at && size && (*at & 0xF) != 6 && (*at & 0xF) != 7 &&
		    w->ops->read_signature (w->ops->host, w->image, &at, at + size, NULL, NULL, &info))
			complain (w, "signature", STANDALONESIG << 24 | rid, 0);
	}
}

void
file_host_walk (MonoImage *image, file_host_counts *ret_counts, FILE *complaints)
{
	static const uint8_t resolved[] = { TYPEREF, FIELD, MEMBERREF, TYPESPEC, METHODSPEC };
	walk w = { file_host_ops (), image, ret_counts, complaints };
	*ret_counts = (file_host_counts) { 0 };
	mono_image_get_guid (image);
	mono_assembly_get_name (monocle_image_assembly (image));
	for (uint32_t rid = 1; rid <= rows (&w, TYPEDEF); rid++)
		walk_class (&w, TYPEDEF << 24 | rid);
	for (uint32_t rid = 1; rid <= rows (&w, METHOD); rid++)
		walk_method (&w, METHOD << 24 | rid);
	for (size_t i = 0; i < sizeof resolved; i++)
		walk_tokens (&w, resolved[i]);
	walk_attributes (&w);
	walk_raw (&w);
}
