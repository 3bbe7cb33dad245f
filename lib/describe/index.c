/*
 * SPDX-License-Identifier: MIT
 *
 * index.c - types of an image by name: those it defines, those nested in them, those it forwards.
 *
 * One hash table with open addressing and a list of nested types, made when a name is first looked for, published by
 * one compare-and-swap and never changed. Its memory comes from mmap, since any context may be the first. Of two types
 * with one name the first row is found, as the runtimes do.
 */
#include <string.h>
#include <sys/mman.h>
#include "describe-priv.h"

enum {
	VISIBILITY_MASK = 0x7,
	PUBLIC = 1,        /* the last visibility of a type that is not nested */
	PROBES_MAX = 1024, /* names that were made to collide are not found, instead of being slow */
};

#define EXPORTED 0x80000000u /* a row of ExportedType, else of TypeDef */

typedef struct {
	uint32_t row;   /* of TypeDef, or EXPORTED | row of ExportedType; 0: free */
	uint32_t outer; /* row of the enclosing TypeDef, 0: none */
} index_entry;

/*
 * One mapping: this, the hash table, and the nested types by what they are nested in: those of TypeDef row r are
 * nested[nested_begin[r]] to nested[nested_begin[r + 1]] exclusive.
 */
struct monocle__describe_index {
	size_t size;
	uint32_t mask; /* entries - 1 */
	uint32_t types;
	uint32_t *nested_begin, *nested;
	index_entry entries[];
};

/* Nested types have no namespace. */
typedef struct {
	uint32_t outer;
	const char *name_space, *name;
} type_key;

static uint32_t
hash_text (uint32_t hash, const char *text)
{
	for (; *text; text++)
		hash = (hash ^ (uint8_t) *text) * 0x01000193u;
	return (hash ^ 0xFF) * 0x01000193u;
}

static uint32_t
hash_of (const type_key *key)
{
	uint32_t hash = hash_text (hash_text (0x811C9DC5u ^ key->outer * 0x9E3779B1u, key->name_space), key->name);
	return hash ^ hash >> 15;
}

static const char *
string_at (const monocle__ecma_image *ecma, uint32_t table, uint32_t rid, uint32_t column)
{
	uint32_t offset;
	return monocle__ecma_column (ecma, table, rid, column, &offset) ? NULL : monocle__ecma_string (ecma, offset);
}

/* False: the row has no usable name. */
static bool
key_of (const monocle__ecma_image *ecma, const index_entry *entry, type_key *ret)
{
	ret->outer = entry->outer;
	ret->name_space = "";
	if (entry->row & EXPORTED) {
		uint32_t rid = entry->row & ~EXPORTED;
		ret->name = string_at (ecma, MONOCLE__TABLE_ExportedType, rid, MONOCLE__COL_ExportedType_Name);
		ret->name_space = string_at (ecma, MONOCLE__TABLE_ExportedType, rid, MONOCLE__COL_ExportedType_Namespace);
	} else {
		ret->name = string_at (ecma, MONOCLE__TABLE_TypeDef, entry->row, MONOCLE__COL_TypeDef_Name);
		if (!entry->outer)
			ret->name_space = string_at (ecma, MONOCLE__TABLE_TypeDef, entry->row, MONOCLE__COL_TypeDef_Namespace);
	}
	return ret->name && ret->name_space;
}

/* Where the key is, or would be; NULL: nowhere. */
static index_entry *
probe (const monocle__ecma_image *ecma, monocle__describe_index *index, const type_key *key)
{
	uint32_t at = hash_of (key);
	for (uint32_t probes = 0; probes < PROBES_MAX; probes++, at++) {
		index_entry *entry = &index->entries[at & index->mask];
		type_key other;
		if (!entry->row)
			return entry;
		if (entry->outer == key->outer && key_of (ecma, entry, &other) && strcmp (other.name, key->name) == 0 &&
		    strcmp (other.name_space, key->name_space) == 0)
			return entry;
	}
	return NULL;
}

static void
add (const monocle__ecma_image *ecma, monocle__describe_index *index, uint32_t row, uint32_t outer)
{
	index_entry entry = { row, outer };
	type_key key;
	index_entry *at = key_of (ecma, &entry, &key) ? probe (ecma, index, &key) : NULL;
	if (at && !at->row)
		*at = entry;
}

static void
add_definitions (const monocle__ecma_image *ecma, monocle__describe_index *index)
{
	uint32_t flags;
	for (uint32_t rid = 1; rid <= index->types; rid++)
		if (monocle__ecma_column (ecma, MONOCLE__TABLE_TypeDef, rid, MONOCLE__COL_TypeDef_Flags, &flags) == 0 &&
		    (flags & VISIBILITY_MASK) <= PUBLIC)
			add (ecma, index, rid, 0);
}

/* False: the row of NestedClass names types that do not exist. */
static bool
nested_row (const monocle__ecma_image *ecma, const monocle__describe_index *index, uint32_t rid, uint32_t *ret_inner,
            uint32_t *ret_outer)
{
	return monocle__ecma_column (ecma, MONOCLE__TABLE_NestedClass, rid, MONOCLE__COL_NestedClass_NestedClass,
	                             ret_inner) == 0 &&
	       monocle__ecma_column (ecma, MONOCLE__TABLE_NestedClass, rid, MONOCLE__COL_NestedClass_EnclosingClass,
	                             ret_outer) == 0 &&
	     *ret_inner && *ret_inner <= index->types && *ret_outer && *ret_outer <= index->types;
}

/* Sorts by counting. nested_begin[r + 1] first counts what is in r, then says where that begins, then where it ends. */
static void
add_nested (const monocle__ecma_image *ecma, monocle__describe_index *index)
{
	uint32_t rows = monocle__ecma_rows (ecma, MONOCLE__TABLE_NestedClass), inner, outer, total = 0;
	for (uint32_t rid = 1; rid <= rows; rid++)
		if (nested_row (ecma, index, rid, &inner, &outer)) {
			add (ecma, index, inner, outer);
			index->nested_begin[outer + 1]++;
		}
	for (uint32_t rid = 1; rid <= index->types; rid++) {
		uint32_t count = index->nested_begin[rid + 1];
		index->nested_begin[rid + 1] = total;
		total += count;
	}
	for (uint32_t rid = 1; rid <= rows; rid++)
		if (nested_row (ecma, index, rid, &inner, &outer))
			index->nested[index->nested_begin[outer + 1]++] = inner;
}

/* What is nested in a forwarded type is found there: only those that name another assembly count. */
static void
add_forwarders (const monocle__ecma_image *ecma, monocle__describe_index *index)
{
	uint32_t exported = monocle__ecma_rows (ecma, MONOCLE__TABLE_ExportedType), to;
	for (uint32_t rid = 1; rid <= exported; rid++)
		if (monocle__ecma_column (ecma, MONOCLE__TABLE_ExportedType, rid, MONOCLE__COL_ExportedType_Implementation,
		                          &to) == 0 &&
		    monocle__ecma_coded_token (MONOCLE__CODED_Implementation, to) >> 24 == MONOCLE__TABLE_AssemblyRef)
			add (ecma, index, EXPORTED | rid, 0);
}

void
monocle__describe_index_free (monocle__describe_index *index)
{
	if (index)
		munmap (index, index->size);
}

static uint32_t
entry_count (const monocle__ecma_image *ecma)
{
	uint64_t names = (uint64_t) monocle__ecma_rows (ecma, MONOCLE__TABLE_TypeDef) +
	                 monocle__ecma_rows (ecma, MONOCLE__TABLE_ExportedType);
	uint32_t entries = 16;
	while (entries < 2 * names && entries < 1u << 26)
		entries *= 2;
	return entries;
}

static monocle__describe_index *
index_new (const monocle__ecma_image *ecma)
{
	uint32_t types = monocle__ecma_rows (ecma, MONOCLE__TABLE_TypeDef), entries = entry_count (ecma);
	size_t table_size = sizeof (monocle__describe_index) + entries * sizeof (index_entry);
	size_t size = table_size + (types + 2 + (size_t) monocle__ecma_rows (ecma, MONOCLE__TABLE_NestedClass)) * 4;
	void *memory = mmap (NULL, size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
	if (memory == MAP_FAILED)
		return NULL;
	monocle__describe_index *index = memory;
	index->size = size;
	index->mask = entries - 1;
	index->types = types;
	index->nested_begin = (uint32_t *) ((char *) memory + table_size);
	index->nested = index->nested_begin + types + 2;
	add_definitions (ecma, index);
	add_nested (ecma, index);
	add_forwarders (ecma, index);
	return index;
}

static monocle__describe_index *
index_of (monocle__describe_image *image)
{
	monocle__describe_index *index = atomic_load_explicit (&image->index, memory_order_acquire), *known = NULL;
	if (index || !(index = index_new (&image->ecma)))
		return index;
	if (atomic_compare_exchange_strong_explicit (&image->index, &known, index, memory_order_acq_rel,
	                                             memory_order_acquire))
		return index;
	monocle__describe_index_free (index);
	return known;
}

/* The row as an index_entry has it, 0: none. */
static uint32_t
find (monocle__describe_image *image, const type_key *key)
{
	monocle__describe_index *index = index_of (image);
	const index_entry *entry = index ? probe (&image->ecma, index, key) : NULL;
	return entry ? entry->row : 0;
}

uint32_t
monocle__describe_index_find (monocle__describe_image *image, const char *name_space, const char *name)
{
	uint32_t row = find (image, &(type_key) { 0, name_space ? name_space : "", name });
	uint32_t table = row & EXPORTED ? MONOCLE__TABLE_ExportedType : MONOCLE__TABLE_TypeDef;
	return row ? table << 24 | (row & 0xFFFFFF) : 0;
}

uint32_t
monocle__describe_index_nested (monocle__describe_image *image, uint32_t outer, const char *name)
{
	uint32_t rid = outer & 0xFFFFFF, row = rid ? find (image, &(type_key) { rid, "", name }) : 0;
	return row ? MONOCLE__TABLE_TypeDef << 24 | row : 0;
}

uint32_t
monocle__describe_index_nested_rows (monocle__describe_image *image, uint32_t outer_rid, const uint32_t **ret_rows)
{
	monocle__describe_index *index = index_of (image);
	if (!index || !outer_rid || outer_rid > index->types)
		return 0;
	*ret_rows = index->nested + index->nested_begin[outer_rid];
	return index->nested_begin[outer_rid + 1] - index->nested_begin[outer_rid];
}
