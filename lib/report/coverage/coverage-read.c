/*
 * SPDX-License-Identifier: MIT
 *
 * coverage-read.c - a coverage file, record by record, into the store. Nothing in it is trusted: each number is checked
 * before it is used, and what is kept is never more than a small multiple of the bytes that say it.
 */
#include "array.h"
#include "coverage-raw.h"
#include "cover-file.h"

#include <string.h>

static const char no_memory[] = "out of memory";
static const char damaged[] = "a record in it is damaged";

typedef struct {
	uint32_t *indexes; /* of the store, by number in this file */
	size_t count, capacity;
} numbers;

typedef struct {
	monocle__coverage *coverage;
	monocle__coverage_raw *raw;
	const uint8_t *record; /* the one that is read */
	size_t size;
	bool counts;
	numbers images, documents, types;
	const char *error;
} reader;

static int
fail (reader *r, const char *error)
{
	r->error = error;
	return -1;
}

/* Remembers what the next number of this kind is. */
static int
name_next (reader *r, numbers *n, uint32_t index)
{
	if (index == MONOCLE__COVERAGE_NONE || !MONOCLE__RESERVE (n->indexes, n->capacity, n->count + 1))
		return fail (r, no_memory);
	n->indexes[n->count++] = index;
	return 0;
}

/* Copies the record's fixed part; false when it is shorter, or its texts do not fit. */
static bool
try_fixed (const reader *r, void *fixed, size_t size)
{
	if (r->size < size)
		return false;
	memcpy (fixed, r->record, size);
	return true;
}

static const char *
text_at (reader *r, uint64_t at, uint32_t length)
{
	const char *text = monocle__coverage_raw_text (r->raw, (const char *) r->record + at, length);
	if (!text)
		r->error = no_memory;
	return text;
}

static int
read_image (reader *r)
{
	struct monocle__cover_image record;
	monocle__coverage_raw_image image;
	size_t at = offsetof (struct monocle__cover_image, text);
	if (!try_fixed (r, &record, at) || (uint64_t) record.name_length + record.path_length > r->size - at)
		return fail (r, damaged);
	memcpy (image.mvid, record.mvid, sizeof image.mvid);
	if (!(image.name = text_at (r, at, record.name_length)) ||
	    !(image.path = text_at (r, at + record.name_length, record.path_length)))
		return -1;
	return name_next (r, &r->images, monocle__coverage_raw_image_of (r->raw, &image));
}

static int
read_document (reader *r)
{
	struct monocle__cover_document record;
	monocle__coverage_raw_document document = { 0 };
	size_t at = offsetof (struct monocle__cover_document, text);
	if (!try_fixed (r, &record, at) || record.path_length > r->size - at || record.hash_size > sizeof record.hash)
		return fail (r, damaged);
	memcpy (document.hash, record.hash, record.hash_size);
	document.hash_size = record.hash_size;
	if (!(document.path = text_at (r, at, record.path_length)))
		return -1;
	return name_next (r, &r->documents, monocle__coverage_raw_document_of (r->raw, &document));
}

static int
read_type (reader *r)
{
	struct monocle__cover_type record;
	monocle__coverage_raw_type type;
	size_t at = offsetof (struct monocle__cover_type, text);
	if (!try_fixed (r, &record, at) || record.name_length > r->size - at || record.image >= r->images.count)
		return fail (r, damaged);
	type.image = r->images.indexes[record.image];
	type.token = record.token;
	if (!(type.name = text_at (r, at, record.name_length)))
		return -1;
	return name_next (r, &r->types, monocle__coverage_raw_type_of (r->raw, &type));
}

/* --- methods ------------------------------------------------------------------------------------------------------ */

static uint64_t
counter_of (const reader *r, const struct monocle__cover_method *m, uint32_t index)
{
	const uint8_t *counters = r->record + m->counters;
	uint32_t count, base;
	if (!r->counts)
		return counters[index] != 0;
	memcpy (&count, counters + (uint64_t) index * 4, sizeof count);
	memcpy (&base, counters + ((uint64_t) m->counter_count + index) * 4, sizeof base);
	return (uint32_t) (count - base);
}

static bool
try_points (reader *r, const struct monocle__cover_method *m, bool *ran)
{
	for (uint32_t i = 0; i < m->point_count; i++) {
		struct monocle__cover_point p;
		memcpy (&p, r->record + sizeof *m + (uint64_t) i * sizeof p, sizeof p);
		bool beyond = p.counter & MONOCLE__COVER_POINT_BEYOND;
		p.counter &= ~MONOCLE__COVER_POINT_BEYOND;
		if (p.document >= r->documents.count || p.counter >= m->counter_count)
			return false;
		r->raw->points[r->raw->point_count + i] = (monocle__coverage_raw_point) {
			.il_offset = p.il_offset,
			.document = r->documents.indexes[p.document],
			.start_line = p.start_line,
			.end_line = p.end_line,
			.start_column = p.start_column,
			.end_column = p.end_column,
			.beyond = beyond,
			.hits = counter_of (r, m, p.counter),
		};
		*ran = *ran || r->raw->points[r->raw->point_count + i].hits;
	}
	return true;
}

static bool
try_arms (reader *r, const struct monocle__cover_method *m, bool *ran)
{
	for (uint32_t i = 0; i < m->arm_count; i++) {
		struct monocle__cover_arm a;
		memcpy (&a, r->record + monocle__cover_arms_at (m) + (uint64_t) i * sizeof a, sizeof a);
		if (a.point >= m->point_count || a.counter >= m->counter_count)
			return false;
		r->raw->arms[r->raw->arm_count + i] = (monocle__coverage_raw_arm) {
			.il_offset = a.il_offset,
			.target_offset = a.target_offset,
			.point = a.point,
			.path = a.path,
			.flags = a.flags,
			.hits = counter_of (r, m, a.counter),
		};
		*ran = *ran || r->raw->arms[r->raw->arm_count + i].hits;
	}
	return true;
}

/* Sums of 32-bit numbers times small sizes: they cannot overflow. */
static bool
fits (const reader *r, const struct monocle__cover_method *m)
{
	uint64_t size = monocle__cover_counters_size (m, r->counts ? 4 : 1);
	return monocle__cover_name_at (m) + m->name_length <= m->counters && m->counters % 8 == 0 &&
	       m->counters + size <= r->size;
}

static int
read_method (reader *r)
{
	monocle__coverage_raw *raw = r->raw;
	struct monocle__cover_method m;
	monocle__coverage_raw_method method;
	bool ran = false;
	if (!try_fixed (r, &m, sizeof m) || m.type >= r->types.count || !fits (r, &m))
		return fail (r, damaged);
	if (raw->point_count + m.point_count >= MONOCLE__COVERAGE_NONE ||
	    raw->arm_count + m.arm_count >= MONOCLE__COVERAGE_NONE)
		return fail (r, "it has too many points");
	if (!MONOCLE__RESERVE (raw->points, raw->point_capacity, raw->point_count + m.point_count) ||
	    !MONOCLE__RESERVE (raw->arms, raw->arm_capacity, raw->arm_count + m.arm_count))
		return fail (r, no_memory);
	if (!try_points (r, &m, &ran) || !try_arms (r, &m, &ran))
		return fail (r, damaged);
	method = (monocle__coverage_raw_method) {
		.type = r->types.indexes[m.type],
		.token = m.token,
		.kickoff = m.kickoff,
		.flags = m.flags | (ran ? MONOCLE__COVER_PROBED : 0),
		.first_point = raw->point_count,
		.first_arm = raw->arm_count,
		.point_count = m.point_count,
		.arm_count = m.arm_count,
	};
	if (!(method.name = text_at (r, monocle__cover_name_at (&m), m.name_length)))
		return -1;
	raw->point_count += m.point_count;
	raw->arm_count += m.arm_count;
	return monocle__coverage_raw_add_method (raw, &method) == 0 ? 0 : fail (r, no_memory);
}

/* --- the file ----------------------------------------------------------------------------------------------------- */

static int
read_record (reader *r, uint32_t kind)
{
	switch (kind) {
	case MONOCLE__COVER_IMAGE: return read_image (r);
	case MONOCLE__COVER_DOCUMENT: return read_document (r);
	case MONOCLE__COVER_TYPE: return read_type (r);
	case MONOCLE__COVER_METHOD: return read_method (r);
	default: return 0;
	}
}

static int
read_records (reader *r, const uint8_t *at, uint64_t left)
{
	while (left > 0) {
		struct monocle__cover_record record;
		if (left < sizeof record)
			return fail (r, damaged);
		memcpy (&record, at, sizeof record);
		if (record.size < sizeof record || record.size % 8 != 0 || record.size > left)
			return fail (r, damaged);
		r->record = at;
		r->size = record.size;
		if (read_record (r, record.kind) != 0)
			return -1;
		at += record.size;
		left -= record.size;
	}
	return 0;
}

/* Of several files the least text, so that their order does not matter. */
static int
take_text (reader *r, const char **known, const char *field, size_t size)
{
	size_t length = strnlen (field, size);
	const char *text = monocle__coverage_raw_text (r->raw, field, length);
	if (!text)
		return fail (r, no_memory);
	if (*text && (!**known || strcmp (text, *known) < 0))
		*known = text;
	return 0;
}

static int
take_header (reader *r, const struct monocle__cover_header *header)
{
	monocle__coverage *c = r->coverage;
	uint32_t made_from = header->flags & MONOCLE__COVER_JOINED ? header->processes : 1;
	c->mixed = c->mixed || (c->priv->has_read && c->counts != r->counts);
	c->counts = r->counts && (c->counts || !c->priv->has_read);
	c->priv->has_read = true;
	c->incomplete = c->incomplete || header->ended_ns == 0;
	if (header->realtime_ns && (!c->begun_ns || header->realtime_ns < c->begun_ns))
		c->begun_ns = header->realtime_ns;
	if (header->ended_ns > c->ended_ns)
		c->ended_ns = header->ended_ns;
	for (size_t i = 0; i < MONOCLE__COVER_LOSS_COUNT; i++)
		c->losses[i] = header->losses[i] > UINT64_MAX - c->losses[i] ? UINT64_MAX : c->losses[i] + header->losses[i];
	c->left_out = header->left_out > c->left_out ? header->left_out : c->left_out;
	c->processes = made_from > UINT32_MAX - c->processes ? UINT32_MAX : c->processes + made_from;
	if (take_text (r, &c->runtime, header->runtime, sizeof header->runtime) != 0 ||
	    take_text (r, &c->program, header->program, sizeof header->program) != 0)
		return -1;
	return take_text (r, &c->desc, header->desc, sizeof header->desc);
}

static const char *
header_problem (const struct monocle__cover_header *header, size_t size)
{
	uint32_t counter_size = header->flags & MONOCLE__COVER_COUNTS ? 4 : 1;
	if (header->version != MONOCLE__COVER_VERSION)
		return "it is a coverage file of another version";
	if (header->used > size)
		return "it is cut off";
	if (header->used < MONOCLE__COVER_HEADER || header->counter_size != counter_size)
		return "its header is damaged";
	return NULL;
}

bool
monocle__coverage_recognise (const void *data, size_t size)
{
	uint64_t magic;
	if (size < sizeof magic)
		return false;
	memcpy (&magic, data, sizeof magic);
	return magic == MONOCLE__COVER_MAGIC;
}

int
monocle__coverage_add (monocle__coverage *coverage, const void *data, size_t size, const char **ret_error)
{
	struct monocle__cover_header header;
	reader r = { .coverage = coverage, .raw = &coverage->priv->raw };
	int result;
	if (!monocle__coverage_recognise (data, size)) {
		*ret_error = "it is no coverage file";
		return -1;
	}
	if (size < sizeof header) {
		*ret_error = "it is cut off";
		return -1;
	}
	memcpy (&header, data, sizeof header);
	if ((*ret_error = header_problem (&header, size)) != NULL)
		return -1;
	r.counts = header.flags & MONOCLE__COVER_COUNTS;
	result = take_header (&r, &header);
	if (result == 0)
		result = read_records (&r, (const uint8_t *) data + MONOCLE__COVER_HEADER, header.used - MONOCLE__COVER_HEADER);
	coverage->conflicts = r.raw->conflicts;
	free (r.images.indexes);
	free (r.documents.indexes);
	free (r.types.indexes);
	*ret_error = r.error;
	return result;
}
