/*
 * SPDX-License-Identifier: MIT
 *
 * coverage-raw.c - see coverage-raw.h.
 */
#include "coverage-raw.h"

#include "array.h"
#include "cover-file.h"
#include "hash.h"
#include "utf8.h"

#include <string.h>

enum { BLOCK_SIZE = 64 * 1024 };

struct monocle__coverage_text_block {
	monocle__coverage_text_block *next;
	size_t used, size;
	char bytes[];
};

/* --- tables ------------------------------------------------------------------------------------------------------- */

uint32_t
monocle__coverage_raw_table_next (const monocle__coverage_raw_table *table, uint32_t hash, size_t *at)
{
	size_t mask = table->slot_count - 1;
	if (table->slot_count == 0)
		return MONOCLE__COVERAGE_NONE;
	for (;;) {
		uint64_t slot = table->slots[(*at)++ & mask];
		if (slot == 0)
			return MONOCLE__COVERAGE_NONE;
		if (slot >> 32 == hash)
			return (uint32_t) slot - 1;
	}
}

static void
place (uint64_t *slots, size_t mask, uint64_t slot)
{
	size_t at = (size_t) (slot >> 32) & mask;
	while (slots[at])
		at = (at + 1) & mask;
	slots[at] = slot;
}

static bool
grow (monocle__coverage_raw_table *table)
{
	size_t count = table->slot_count ? table->slot_count * 2 : 64;
	uint64_t *slots = calloc (count, sizeof *slots);
	if (!slots)
		return false;
	for (size_t i = 0; i < table->slot_count; i++) {
		if (table->slots[i])
			place (slots, count - 1, table->slots[i]);
	}
	free (table->slots);
	table->slots = slots;
	table->slot_count = count;
	return true;
}

bool
monocle__coverage_raw_table_add (monocle__coverage_raw_table *table, uint32_t hash, uint32_t index)
{
	if (table->count * 2 >= table->slot_count && !grow (table))
		return false;
	place (table->slots, table->slot_count - 1, (uint64_t) hash << 32 | (index + 1));
	table->count++;
	return true;
}

/* --- texts -------------------------------------------------------------------------------------------------------- */

uint32_t
monocle__coverage_raw_hash (uint32_t seed, const void *bytes, size_t length)
{
	const unsigned char *p = bytes;
	uint64_t hash = UINT64_C (0xcbf29ce484222325) ^ seed;
	for (size_t i = 0; i < length; i++)
		hash = (hash ^ p[i]) * UINT64_C (0x100000001b3);
	return (uint32_t) (monocle__hash (hash, length) >> 32);
}

static char *
block_take (monocle__coverage_raw *raw, size_t size)
{
	monocle__coverage_text_block *block = raw->blocks;
	if (!block || block->size - block->used < size) {
		size_t block_size = size > BLOCK_SIZE ? size : BLOCK_SIZE;
		block = malloc (sizeof *block + block_size);
		if (!block)
			return NULL;
		*block = (monocle__coverage_text_block) { .next = raw->blocks, .size = block_size };
		raw->blocks = block;
	}
	block->used += size;
	return block->bytes + block->used - size;
}

/* Of bytes that are good text. */
static const char *
intern (monocle__coverage_raw *raw, const char *bytes, size_t length)
{
	uint32_t hash = monocle__coverage_raw_hash (0, bytes, length), index;
	char *text;
	for (size_t at = hash;
	     (index = monocle__coverage_raw_table_next (&raw->by_text, hash, &at)) != MONOCLE__COVERAGE_NONE;) {
		if (strncmp (raw->texts[index], bytes, length) == 0 && raw->texts[index][length] == '\0')
			return raw->texts[index];
	}
	if (!MONOCLE__RESERVE (raw->texts, raw->text_capacity, raw->text_count + 1) ||
	    !(text = block_take (raw, length + 1)))
		return NULL;
	memcpy (text, bytes, length);
	text[length] = '\0';
	if (!monocle__coverage_raw_table_add (&raw->by_text, hash, (uint32_t) raw->text_count))
		return NULL;
	raw->texts[raw->text_count++] = text;
	return text;
}

/* Each byte that is not UTF-8, and each NUL, becomes U+FFFD: at most three times the length. */
static size_t
mend (const char *bytes, size_t length, char *out)
{
	size_t written = 0;
	uint32_t code;
	for (size_t at = 0, step; at < length; at += step) {
		step = monocle__utf8_decode (bytes + at, length - at, &code);
		bool valid = code != 0 && (step > 1 || code < 0x80);
		memcpy (out + written, valid ? bytes + at : "\xef\xbf\xbd", valid ? step : 3);
		written += valid ? step : 3;
	}
	return written;
}

const char *
monocle__coverage_raw_text (monocle__coverage_raw *raw, const char *bytes, size_t length)
{
	const char *text;
	char *mended;
	if (monocle__utf8_valid (bytes, length) == length && !memchr (bytes, '\0', length))
		return intern (raw, bytes, length);
	mended = malloc (length * 3);
	if (!mended)
		return NULL;
	text = intern (raw, mended, mend (bytes, length, mended));
	free (mended);
	return text;
}

/* --- order -------------------------------------------------------------------------------------------------------- */

static int
compare_numbers (uint64_t a, uint64_t b)
{
	return a < b ? -1 : a > b;
}

int
monocle__coverage_raw_compare_images (const monocle__coverage_raw_image *a, const monocle__coverage_raw_image *b)
{
	int order = strcmp (a->name, b->name);
	return order ? order : memcmp (a->mvid, b->mvid, sizeof a->mvid);
}

int
monocle__coverage_raw_compare_documents (const monocle__coverage_raw_document *a,
                                         const monocle__coverage_raw_document *b)
{
	int order = strcmp (a->path, b->path);
	if (!order)
		order = compare_numbers (a->hash_size, b->hash_size);
	return order ? order : memcmp (a->hash, b->hash, sizeof a->hash);
}

static int
compare_points (const monocle__coverage_raw *raw, const monocle__coverage_raw_point *a,
                const monocle__coverage_raw_point *b)
{
	int order = compare_numbers (a->il_offset, b->il_offset);
	if (!order)
		order = compare_numbers (a->start_line, b->start_line);
	if (!order)
		order = compare_numbers (a->end_line, b->end_line);
	if (!order)
		order = compare_numbers (a->start_column, b->start_column);
	if (!order)
		order = compare_numbers (a->end_column, b->end_column);
	if (!order && a->document != b->document)
		order = monocle__coverage_raw_compare_documents (&raw->documents[a->document], &raw->documents[b->document]);
	return order;
}

static int
compare_arms (const monocle__coverage_raw_arm *a, const monocle__coverage_raw_arm *b)
{
	int order = compare_numbers (a->il_offset, b->il_offset);
	if (!order)
		order = compare_numbers (a->target_offset, b->target_offset);
	if (!order)
		order = compare_numbers (a->point, b->point);
	if (!order)
		order = compare_numbers (a->path, b->path);
	return order ? order : compare_numbers (a->flags, b->flags);
}

/* All but counters and flags. */
static int
compare_bodies (const monocle__coverage_raw *raw, const monocle__coverage_raw_method *a,
                const monocle__coverage_raw_method *b)
{
	const monocle__coverage_raw_type *type_a = &raw->types[a->type], *type_b = &raw->types[b->type];
	int order = compare_numbers (a->point_count, b->point_count);
	if (!order)
		order = compare_numbers (a->arm_count, b->arm_count);
	for (uint32_t i = 0; i < a->point_count && !order; i++)
		order = compare_points (raw, &raw->points[a->first_point + i], &raw->points[b->first_point + i]);
	for (uint32_t i = 0; i < a->arm_count && !order; i++)
		order = compare_arms (&raw->arms[a->first_arm + i], &raw->arms[b->first_arm + i]);
	if (!order && a->name != b->name)
		order = strcmp (a->name, b->name);
	if (!order && a->type != b->type)
		order = strcmp (type_a->name, type_b->name);
	if (!order)
		order = compare_numbers (type_a->token, type_b->token);
	return order ? order : compare_numbers (a->kickoff, b->kickoff);
}

/* --- what there is ------------------------------------------------------------------------------------------------ */

static bool
is_zero (const uint8_t mvid[16])
{
	static const uint8_t zero[16];
	return memcmp (mvid, zero, sizeof zero) == 0;
}

/* The path of an image is where it was loaded from, which may differ: the least one of those is kept. */
uint32_t
monocle__coverage_raw_image_of (monocle__coverage_raw *raw, const monocle__coverage_raw_image *image)
{
	uint32_t hash = monocle__coverage_raw_hash (0, image->mvid, sizeof image->mvid), index;
	for (size_t at = hash;
	     (index = monocle__coverage_raw_table_next (&raw->by_image, hash, &at)) != MONOCLE__COVERAGE_NONE;) {
		monocle__coverage_raw_image *known = &raw->images[index];
		if (memcmp (known->mvid, image->mvid, sizeof known->mvid) != 0 ||
		    (is_zero (image->mvid) && known->name != image->name))
			continue;
		if (strcmp (image->name, known->name) < 0)
			known->name = image->name;
		if (strcmp (image->path, known->path) < 0)
			known->path = image->path;
		return index;
	}
	if (!MONOCLE__RESERVE (raw->images, raw->image_capacity, raw->image_count + 1) ||
	    !monocle__coverage_raw_table_add (&raw->by_image, hash, (uint32_t) raw->image_count))
		return MONOCLE__COVERAGE_NONE;
	raw->images[raw->image_count] = *image;
	return (uint32_t) raw->image_count++;
}

uint32_t
monocle__coverage_raw_document_of (monocle__coverage_raw *raw, const monocle__coverage_raw_document *document)
{
	uint32_t hash = monocle__coverage_raw_hash (0, &document->path, sizeof document->path), index;
	for (size_t at = hash;
	     (index = monocle__coverage_raw_table_next (&raw->by_document, hash, &at)) != MONOCLE__COVERAGE_NONE;) {
		const monocle__coverage_raw_document *known = &raw->documents[index];
		if (known->path == document->path && known->hash_size == document->hash_size &&
		    memcmp (known->hash, document->hash, sizeof known->hash) == 0)
			return index;
	}
	if (!MONOCLE__RESERVE (raw->documents, raw->document_capacity, raw->document_count + 1) ||
	    !monocle__coverage_raw_table_add (&raw->by_document, hash, (uint32_t) raw->document_count))
		return MONOCLE__COVERAGE_NONE;
	raw->documents[raw->document_count] = *document;
	return (uint32_t) raw->document_count++;
}

static uint32_t
hash_pair (uint32_t a, uint32_t b)
{
	return (uint32_t) (monocle__hash (0, (uint64_t) a << 32 | b) >> 32);
}

uint32_t
monocle__coverage_raw_type_of (monocle__coverage_raw *raw, const monocle__coverage_raw_type *type)
{
	uint32_t hash = hash_pair (type->image, type->token), index;
	for (size_t at = hash;
	     (index = monocle__coverage_raw_table_next (&raw->by_type, hash, &at)) != MONOCLE__COVERAGE_NONE;) {
		const monocle__coverage_raw_type *known = &raw->types[index];
		if (known->image == type->image && known->token == type->token && known->name == type->name)
			return index;
	}
	if (!MONOCLE__RESERVE (raw->types, raw->type_capacity, raw->type_count + 1) ||
	    !monocle__coverage_raw_table_add (&raw->by_type, hash, (uint32_t) raw->type_count))
		return MONOCLE__COVERAGE_NONE;
	raw->types[raw->type_count] = *type;
	return (uint32_t) raw->type_count++;
}

static uint64_t
add_hits (uint64_t a, uint64_t b)
{
	return a > UINT64_MAX - b ? UINT64_MAX : a + b;
}

static void
add_counters (monocle__coverage_raw *raw, monocle__coverage_raw_method *known, const monocle__coverage_raw_method *more)
{
	for (uint32_t i = 0; i < known->point_count; i++) {
		monocle__coverage_raw_point *into = &raw->points[known->first_point + i];
		const monocle__coverage_raw_point *from = &raw->points[more->first_point + i];
		into->hits = add_hits (into->hits, from->hits);
		into->beyond = into->beyond || from->beyond;
	}
	for (uint32_t i = 0; i < known->arm_count; i++) {
		uint64_t *hits = &raw->arms[known->first_arm + i].hits;
		*hits = add_hits (*hits, raw->arms[more->first_arm + i].hits);
	}
}

static void
drop_last (monocle__coverage_raw *raw, const monocle__coverage_raw_method *method)
{
	raw->point_count = method->first_point;
	raw->arm_count = method->first_arm;
}

/*
 * Two bodies of one method. What ran is better than what did not, and what is greater wins: a rule that only looks at
 * the two, so that the result does not depend on the order of files.
 */
static void
join (monocle__coverage_raw *raw, monocle__coverage_raw_method *known, const monocle__coverage_raw_method *more)
{
	int order = compare_bodies (raw, known, more);
	uint32_t ran = known->flags & MONOCLE__COVER_PROBED, more_ran = more->flags & MONOCLE__COVER_PROBED;
	uint32_t was = known->flags, flags = was | more->flags;
	if (order != 0 && ran && more_ran)
		flags |= MONOCLE__COVER_DISPUTED;
	if (order == 0) {
		add_counters (raw, known, more);
		drop_last (raw, more);
	} else if (ran != more_ran ? more_ran : order < 0) {
		*known = *more;
	} else {
		drop_last (raw, more);
	}
	raw->conflicts += (flags & ~was & MONOCLE__COVER_DISPUTED) != 0;
	known->flags = flags;
}

uint32_t
monocle__coverage_raw_find_method (const monocle__coverage_raw *raw, uint32_t image, uint32_t token)
{
	uint32_t hash = hash_pair (image, token), index;
	for (size_t at = hash;
	     (index = monocle__coverage_raw_table_next (&raw->by_method, hash, &at)) != MONOCLE__COVERAGE_NONE;) {
		const monocle__coverage_raw_method *known = &raw->methods[index];
		if (known->token == token && raw->types[known->type].image == image)
			return index;
	}
	return MONOCLE__COVERAGE_NONE;
}

int
monocle__coverage_raw_add_method (monocle__coverage_raw *raw, const monocle__coverage_raw_method *method)
{
	uint32_t image = raw->types[method->type].image, hash = hash_pair (image, method->token);
	uint32_t known = monocle__coverage_raw_find_method (raw, image, method->token);
	if (known != MONOCLE__COVERAGE_NONE) {
		join (raw, &raw->methods[known], method);
		return 0;
	}
	if (!MONOCLE__RESERVE (raw->methods, raw->method_capacity, raw->method_count + 1) ||
	    !monocle__coverage_raw_table_add (&raw->by_method, hash, (uint32_t) raw->method_count))
		return -1;
	raw->methods[raw->method_count++] = *method;
	raw->conflicts += (method->flags & MONOCLE__COVER_DISPUTED) != 0;
	return 0;
}

void
monocle__coverage_raw_done (monocle__coverage_raw *raw)
{
	while (raw->blocks) {
		monocle__coverage_text_block *next = raw->blocks->next;
		free (raw->blocks);
		raw->blocks = next;
	}
	free (raw->texts);
	free (raw->images);
	free (raw->documents);
	free (raw->types);
	free (raw->methods);
	free (raw->points);
	free (raw->arms);
	free (raw->by_text.slots);
	free (raw->by_image.slots);
	free (raw->by_document.slots);
	free (raw->by_type.slots);
	free (raw->by_method.slots);
}
