/*
 * SPDX-License-Identifier: MIT
 *
 * fuzz_spool.c - any bytes as what a dead process left in a spool; what can be read is written as a profile.
 *
 * A spool is 64 KiB at least and nearly all zeros, so that the input is what differs from an empty one:
 *
 *   COUNT (1 byte)  { OFFSET (2 bytes) VALUE (1 byte) } * COUNT    bytes of the header
 *   { KIND (1 byte) LENGTH (2 bytes) BYTES }...                    an extent each
 */
#include <stdlib.h>
#include <string.h>

#include "guard.h"
#include "spool-pprof.h"
#include "spool-name.h"

int LLVMFuzzerTestOneInput (const uint8_t *data, size_t size);

enum { EXTENTS_MOST = 8 };

static void
make_header (struct monocle__spool_header *header)
{
	*header = (struct monocle__spool_header) {
		.magic = MONOCLE__SPOOL_MAGIC,
		.version = MONOCLE__SPOOL_VERSION,
		.header_size = sizeof *header,
		.flags = MONOCLE__SPOOL_TIMES | MONOCLE__SPOOL_THREADS,
		.pid = 1,
		.module = "fuzz",
		.period = 1,
		.value_count = 2,
		.max_depth = 128,
		.threshold_ns = 1000,
		.slow_limit = 8,
		.slow_size = 128,
		.values = { { "calls", "count" }, { "self", "nanoseconds" } },
		.pair_count = 2,
		.pairs = { { 1000, 1000 }, { 100000000, 100000000 } },
	};
}

/* Bytes of the header that the input changes. Returns what is left of the input. */
static size_t
patch_header (struct monocle__spool_header *header, const uint8_t *data, size_t size)
{
	size_t at = size ? 1 : 0, end = size ? 1 + 3 * (size_t) data[0] : 0;
	for (; at + 3 <= end && at + 3 <= size; at += 3) {
		size_t offset = (size_t) (data[at] | data[at + 1] << 8);
		if (offset < sizeof *header)
			((uint8_t *) header)[offset] = data[at + 2];
	}
	return at;
}

/* Returns how many bytes were taken; 0: no more. */
static size_t
fill_extent (uint8_t *place, const uint8_t *data, size_t size)
{
	struct monocle__extent *extent = (struct monocle__extent *) place;
	if (size < 3)
		return 0;
	size_t length = (size_t) (data[1] | data[2] << 8), most = size - 3;
	most = most < MONOCLE__EXTENT_SIZE - MONOCLE__EXTENT_HEADER ? most : MONOCLE__EXTENT_SIZE - MONOCLE__EXTENT_HEADER;
	extent->kind = data[0];
	extent->used = (uint32_t) (MONOCLE__EXTENT_HEADER + length); /* May be more than there is. */
	length = length < most ? length : most;
	memcpy (place + MONOCLE__EXTENT_HEADER, data + 3, length);
	return 3 + length;
}

static void
read_spool (const void *base, size_t size)
{
	struct monocle__spool_view view;
	const char *error = NULL;
	void *profile = NULL;
	size_t length = 0;
	if (monocle__spool_view_init (&view, base, size, &error)) {
		if (!error || !*error)
			abort (); /* A refusal says why. */
		return;
	}
	if (monocle__spool_pprof_write (&view, &profile, &length) == 0 && !length)
		abort ();
	free (profile);
}

int
LLVMFuzzerTestOneInput (const uint8_t *data, size_t size)
{
	static _Alignas(64) uint8_t spool[(1 + EXTENTS_MOST) * MONOCLE__EXTENT_SIZE];
	static struct guard guard;
	struct monocle__spool_header *header = (struct monocle__spool_header *) spool;
	if (!size)
		return 0;
	if (!guard.pages)
		guard = guard_new (sizeof spool);
	memset (spool, 0, sizeof spool);
	make_header (header);
	uint32_t count = 1;
	size_t taken, at = 0;
	struct monocle__spool_header patches = *header;
	at = patch_header (&patches, data, size);
	for (; count <= EXTENTS_MOST; count++, at += taken)
		if (!(taken = fill_extent (spool + count * MONOCLE__EXTENT_SIZE, data + at, size - at)))
			break;
	*header = patches;
	header->extent_count = header->extent_count ? header->extent_count : count;
	size_t bytes = (size_t) count * MONOCLE__EXTENT_SIZE;
	read_spool (guard_fill (&guard, spool, bytes), bytes);
	return 0;
}
