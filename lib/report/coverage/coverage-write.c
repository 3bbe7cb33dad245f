/*
 * SPDX-License-Identifier: MIT
 *
 * coverage-write.c - the store as one coverage file. The bytes depend on what is in it and not on the order in which
 * it came there: all records are sorted, and counters lie in the order of points and arms.
 */
#include "array.h"
#include "coverage-raw.h"
#include "cover-file.h"

#include <string.h>

typedef struct {
	const monocle__coverage *coverage;
	const monocle__coverage_raw *raw;
	uint32_t *images, *documents, *types, *methods;      /* indexes of the store, sorted */
	uint32_t *image_ranks, *document_ranks, *type_ranks; /* by index of the store: its number in the file */
	char *bytes;
	size_t size, capacity;
} writer;

/* --- order -------------------------------------------------------------------------------------------------------- */

static int
compare_numbers (uint64_t a, uint64_t b)
{
	return a < b ? -1 : a > b;
}

static int
compare_images (const void *a, const void *b, void *context)
{
	const monocle__coverage_raw *raw = ((const writer *) context)->raw;
	return monocle__coverage_raw_compare_images (&raw->images[*(const uint32_t *) a],
	                                             &raw->images[*(const uint32_t *) b]);
}

static int
compare_documents (const void *a, const void *b, void *context)
{
	const monocle__coverage_raw *raw = ((const writer *) context)->raw;
	return monocle__coverage_raw_compare_documents (&raw->documents[*(const uint32_t *) a],
	                                                &raw->documents[*(const uint32_t *) b]);
}

static int
compare_types (const void *a, const void *b, void *context)
{
	const writer *w = context;
	const monocle__coverage_raw_type *x = &w->raw->types[*(const uint32_t *) a];
	const monocle__coverage_raw_type *y = &w->raw->types[*(const uint32_t *) b];
	int order = compare_numbers (w->image_ranks[x->image], w->image_ranks[y->image]);
	if (!order)
		order = compare_numbers (x->token, y->token);
	return order ? order : strcmp (x->name, y->name);
}

static int
compare_methods (const void *a, const void *b, void *context)
{
	const writer *w = context;
	const monocle__coverage_raw_method *x = &w->raw->methods[*(const uint32_t *) a];
	const monocle__coverage_raw_method *y = &w->raw->methods[*(const uint32_t *) b];
	int order = compare_numbers (w->type_ranks[x->type], w->type_ranks[y->type]);
	return order ? order : compare_numbers (x->token, y->token);
}

typedef int (*comparison) (const void *a, const void *b, void *context);

/* The indexes below `count`, sorted; and by index where it is. -1: out of memory. */
static int
sort (writer *w, size_t count, comparison compare, uint32_t **ret_indexes, uint32_t **ret_ranks)
{
	uint32_t *indexes = *ret_indexes = malloc ((count + 1) * sizeof *indexes);
	uint32_t *ranks = *ret_ranks = malloc ((count + 1) * sizeof *ranks);
	if (!indexes || !ranks)
		return -1;
	for (uint32_t i = 0; i < count; i++)
		indexes[i] = i;
	qsort_r (indexes, count, sizeof *indexes, compare, w);
	for (uint32_t i = 0; i < count; i++)
		ranks[indexes[i]] = i;
	return 0;
}

static int
sort_all (writer *w)
{
	uint32_t *ranks;
	int result;
	if (sort (w, w->raw->image_count, compare_images, &w->images, &w->image_ranks) != 0 ||
	    sort (w, w->raw->document_count, compare_documents, &w->documents, &w->document_ranks) != 0 ||
	    sort (w, w->raw->type_count, compare_types, &w->types, &w->type_ranks) != 0)
		return -1;
	result = sort (w, w->raw->method_count, compare_methods, &w->methods, &ranks);
	free (ranks);
	return result;
}

/* --- bytes -------------------------------------------------------------------------------------------------------- */

/* Room for a record of that size, zeroed; NULL: out of memory, or the size does not fit into a record. */
static char *
take (writer *w, uint64_t size)
{
	char *record;
	size = monocle__cover_round (size);
	if (size > UINT32_MAX || !MONOCLE__RESERVE (w->bytes, w->capacity, w->size + size))
		return NULL;
	record = w->bytes + w->size;
	memset (record, 0, size);
	w->size += size;
	return record;
}

/* The same, with the record's fixed part at its beginning. */
static char *
take_record (writer *w, enum monocle__cover_kind kind, uint64_t size, struct monocle__cover_record *fixed,
             size_t fixed_size)
{
	char *record = take (w, size);
	if (!record)
		return NULL;
	fixed->kind = kind;
	fixed->size = (uint32_t) monocle__cover_round (size);
	memcpy (record, fixed, fixed_size);
	return record;
}

static int
put_image (writer *w, const monocle__coverage_raw_image *image)
{
	struct monocle__cover_image fixed = { .name_length = (uint32_t) strlen (image->name),
		                                  .path_length = (uint32_t) strlen (image->path) };
	size_t at = offsetof (struct monocle__cover_image, text);
	uint64_t size = at + (uint64_t) fixed.name_length + fixed.path_length;
	char *record;
	memcpy (fixed.mvid, image->mvid, sizeof fixed.mvid);
	record = take_record (w, MONOCLE__COVER_IMAGE, size, &fixed.record, at);
	if (!record)
		return -1;
	memcpy (record + at, image->name, fixed.name_length);
	memcpy (record + at + fixed.name_length, image->path, fixed.path_length);
	return 0;
}

static int
put_document (writer *w, const monocle__coverage_raw_document *document)
{
	struct monocle__cover_document fixed = { .hash_size = document->hash_size,
		                                     .path_length = (uint32_t) strlen (document->path) };
	size_t at = offsetof (struct monocle__cover_document, text);
	char *record;
	memcpy (fixed.hash, document->hash, sizeof fixed.hash);
	record = take_record (w, MONOCLE__COVER_DOCUMENT, at + (uint64_t) fixed.path_length, &fixed.record, at);
	if (!record)
		return -1;
	memcpy (record + at, document->path, fixed.path_length);
	return 0;
}

static int
put_type (writer *w, const monocle__coverage_raw_type *type)
{
	struct monocle__cover_type fixed = { .image = w->image_ranks[type->image],
		                                 .token = type->token,
		                                 .name_length = (uint32_t) strlen (type->name) };
	size_t at = offsetof (struct monocle__cover_type, text);
	char *record = take_record (w, MONOCLE__COVER_TYPE, at + (uint64_t) fixed.name_length, &fixed.record, at);
	if (!record)
		return -1;
	memcpy (record + at, type->name, fixed.name_length);
	return 0;
}

/* --- methods ------------------------------------------------------------------------------------------------------ */

static void
put_counter (const writer *w, char *counters, uint32_t index, uint64_t hits)
{
	uint32_t count = hits < UINT32_MAX ? (uint32_t) hits : UINT32_MAX;
	if (w->coverage->counts)
		memcpy (counters + (uint64_t) index * 4, &count, sizeof count);
	else
		counters[index] = hits != 0;
}

static void
put_points (const writer *w, char *record, const struct monocle__cover_method *m, size_t first)
{
	for (uint32_t i = 0; i < m->point_count; i++) {
		const monocle__coverage_raw_point *p = &w->raw->points[first + i];
		struct monocle__cover_point point = {
			.il_offset = p->il_offset,
			.document = w->document_ranks[p->document],
			.start_line = p->start_line,
			.end_line = p->end_line,
			.start_column = p->start_column,
			.end_column = p->end_column,
			.counter = i | (p->beyond ? MONOCLE__COVER_POINT_BEYOND : 0),
		};
		memcpy (record + sizeof *m + (uint64_t) i * sizeof point, &point, sizeof point);
		put_counter (w, record + m->counters, i, p->hits);
	}
}

static void
put_arms (const writer *w, char *record, const struct monocle__cover_method *m, size_t first)
{
	for (uint32_t i = 0; i < m->arm_count; i++) {
		const monocle__coverage_raw_arm *a = &w->raw->arms[first + i];
		struct monocle__cover_arm arm = {
			.il_offset = a->il_offset,
			.target_offset = a->target_offset,
			.point = a->point,
			.path = a->path,
			.counter = m->point_count + i,
			.flags = a->flags,
		};
		memcpy (record + monocle__cover_arms_at (m) + (uint64_t) i * sizeof arm, &arm, sizeof arm);
		put_counter (w, record + m->counters, arm.counter, a->hits);
	}
}

static int
put_method (writer *w, const monocle__coverage_raw_method *method)
{
	struct monocle__cover_method m = {
		.type = w->type_ranks[method->type],
		.token = method->token,
		.kickoff = method->kickoff,
		.flags = method->flags,
		.point_count = method->point_count,
		.arm_count = method->arm_count,
		.counter_count = method->point_count + method->arm_count,
		.name_length = (uint32_t) strlen (method->name),
	};
	uint64_t counters = monocle__cover_counters_at (&m);
	uint64_t size = counters + monocle__cover_counters_size (&m, w->coverage->counts ? 4 : 1);
	char *record;
	m.counters = (uint32_t) counters; /* a size that does not fit is refused */
	record = take_record (w, MONOCLE__COVER_METHOD, size, &m.record, sizeof m);
	if (!record)
		return -1;
	memcpy (record + monocle__cover_name_at (&m), method->name, m.name_length);
	put_points (w, record, &m, method->first_point);
	put_arms (w, record, &m, method->first_arm);
	return 0;
}

/* --- the file ----------------------------------------------------------------------------------------------------- */

static void
put_header (writer *w)
{
	const monocle__coverage *c = w->coverage;
	struct monocle__cover_header header = {
		.magic = MONOCLE__COVER_MAGIC,
		.version = MONOCLE__COVER_VERSION,
		.flags = MONOCLE__COVER_JOINED | (c->counts ? MONOCLE__COVER_COUNTS : 0),
		.counter_size = c->counts ? 4 : 1,
		.realtime_ns = c->begun_ns,
		.ended_ns = c->incomplete ? 0 : c->ended_ns,
		.used = w->size,
		.processes = c->processes,
		.left_out = c->left_out,
	};
	memcpy (header.losses, c->losses, sizeof header.losses);
	strncpy (header.runtime, c->runtime, sizeof header.runtime - 1);
	strncpy (header.program, c->program, sizeof header.program - 1);
	strncpy (header.desc, c->desc, sizeof header.desc - 1);
	memcpy (w->bytes, &header, sizeof header);
}

static int
put_records (writer *w)
{
	int result = 0;
	for (size_t i = 0; result == 0 && i < w->raw->image_count; i++)
		result = put_image (w, &w->raw->images[w->images[i]]);
	for (size_t i = 0; result == 0 && i < w->raw->document_count; i++)
		result = put_document (w, &w->raw->documents[w->documents[i]]);
	for (size_t i = 0; result == 0 && i < w->raw->type_count; i++)
		result = put_type (w, &w->raw->types[w->types[i]]);
	for (size_t i = 0; result == 0 && i < w->raw->method_count; i++)
		result = put_method (w, &w->raw->methods[w->methods[i]]);
	return result;
}

int
monocle__coverage_write (FILE *out, const monocle__coverage *coverage)
{
	writer w = { .coverage = coverage, .raw = &coverage->priv->raw };
	int result = -1;
	if (sort_all (&w) == 0 && take (&w, MONOCLE__COVER_HEADER) && put_records (&w) == 0) {
		put_header (&w);
		fwrite (w.bytes, 1, w.size, out); /* the stream keeps its errors */
		result = 0;
	}
	free (w.images);
	free (w.documents);
	free (w.types);
	free (w.methods);
	free (w.image_ranks);
	free (w.document_ranks);
	free (w.type_ranks);
	free (w.bytes);
	return result;
}
