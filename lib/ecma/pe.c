/*
 * SPDX-License-Identifier: MIT
 *
 * pe.c - PE images (ECMA-335 II.25): headers, sections, RVAs, the CLI header.
 *
 *   +0x3C  offset of "PE\0\0" ── COFF header (20) ── optional header ── section headers (40 each)
 *                                                    └ data directory 14: the CLI header
 *   CLI header (72): +8 metadata  +16 flags  +20 entry point  +64 managed native header
 *
 * A flat image has its sections at their file offsets, a mapped one at their RVAs. Async-safe.
 */
#include "bytes.h"
#include "ecma.h"
#include "metadata.h"

#include <string.h>

enum {
	MZ = 0x5A4D,
	PE_SIGNATURE = 0x00004550,
	RTR_SIGNATURE = 0x00525452,
	MAGIC_PE32 = 0x10B,
	MAGIC_PE32_PLUS = 0x20B,
	COFF_SIZE = 20,
	SECTION_SIZE = 40,
	CLI_HEADER_SIZE = 72,
	DIRECTORY_DEBUG = 6,
	DIRECTORY_CLI = 14,
};

struct directory {
	uint32_t rva, size;
};

/* Where the COFF header begins, after "PE\0\0"; 0 when this is not a PE image. */
static uint64_t
coff_offset (monocle__span pe)
{
	monocle__span signature;
	if (pe.size < 0x40 || monocle__le16 (pe.data) != MZ)
		return 0;
	uint64_t at = monocle__le32 (pe.data + 0x3C);
	if (!monocle__span_part (pe, at, 4, &signature) || monocle__le32 (signature.data) != PE_SIGNATURE)
		return 0;
	return at + 4;
}

/*
 * Where the data directories begin and how many there are. PE32 and PE32+ differ in what comes before them: 32 or 64
 * bit base and stack sizes.
 */
static int
find_directories (monocle__span optional, uint32_t *ret_at, uint32_t *ret_count)
{
	if (optional.size < 2)
		return MONOCLE__ECMA_E_TRUNCATED;
	uint16_t magic = monocle__le16 (optional.data);
	if (magic != MAGIC_PE32 && magic != MAGIC_PE32_PLUS)
		return MONOCLE__ECMA_E_FORMAT;
	uint32_t at = magic == MAGIC_PE32 ? 96 : 112;
	monocle__span count;
	if (!monocle__span_part (optional, at - 4, 4, &count))
		return MONOCLE__ECMA_E_TRUNCATED;
	*ret_at = at;
	*ret_count = monocle__le32 (count.data);
	return 0;
}

/* The CLI directory must be there; the debug directory stays zero where it is not. */
static int
read_directories (monocle__span optional, struct directory *ret_cli, struct directory *ret_debug)
{
	uint32_t at, count;
	monocle__span cli;
	int error = find_directories (optional, &at, &count);
	if (error)
		return error;
	if (count <= DIRECTORY_CLI)
		return MONOCLE__ECMA_E_FORMAT;
	if (!monocle__span_part (optional, at + DIRECTORY_CLI * 8, 8, &cli))
		return MONOCLE__ECMA_E_TRUNCATED;
	const uint8_t *debug = optional.data + at + DIRECTORY_DEBUG * 8;
	*ret_cli = (struct directory) { monocle__le32 (cli.data), monocle__le32 (cli.data + 4) };
	*ret_debug = (struct directory) { monocle__le32 (debug), monocle__le32 (debug + 4) };
	return ret_cli->rva ? 0 : MONOCLE__ECMA_E_FORMAT;
}

/* Sets the section and debug fields of the image and yields the CLI directory. */
static int
read_headers (monocle__ecma_image *image, monocle__span pe, struct directory *ret_cli)
{
	uint64_t at = coff_offset (pe);
	if (!at)
		return MONOCLE__ECMA_E_FORMAT;
	monocle__span coff, optional, sections;
	if (!monocle__span_part (pe, at, COFF_SIZE, &coff))
		return MONOCLE__ECMA_E_TRUNCATED;
	image->machine = monocle__le16 (coff.data);
	uint32_t section_count = monocle__le16 (coff.data + 2), optional_size = monocle__le16 (coff.data + 16);
	at += COFF_SIZE;
	if (!monocle__span_part (pe, at, optional_size, &optional) ||
	    !monocle__span_part (pe, at + optional_size, section_count * SECTION_SIZE, &sections))
		return MONOCLE__ECMA_E_TRUNCATED;
	struct directory debug;
	int error = read_directories (optional, ret_cli, &debug);
	if (error)
		return error;
	image->debug_rva = debug.rva;
	image->debug_size = debug.size;
	image->sections = sections.data;
	image->section_count = section_count;
	image->headers_size = monocle__le32 (optional.data + 60);
	return 0;
}

bool
monocle__ecma_rva_part (const monocle__ecma_image *image, uint32_t rva, uint32_t size, monocle__span *ret_part)
{
	monocle__span rest;
	rest.data = monocle__ecma_rva (image, rva, &rest.size);
	return rest.data && monocle__span_part (rest, 0, size, ret_part);
}

/* ReadyToRun code is found by its signature alone: NGen left other things in the same directory. */
static bool
has_readytorun_header (const monocle__ecma_image *image, uint32_t rva)
{
	monocle__span signature;
	return rva && monocle__ecma_rva_part (image, rva, 4, &signature) && monocle__le32 (signature.data) == RTR_SIGNATURE;
}

/* Does not believe the directory's own size: what is needed of the header must be in the image, that is all. */
static int
read_cli_header (monocle__ecma_image *image, struct directory cli, monocle__span *ret_metadata)
{
	monocle__span header;
	if (!monocle__ecma_rva_part (image, cli.rva, CLI_HEADER_SIZE, &header))
		return MONOCLE__ECMA_E_TRUNCATED;
	image->cli_flags = monocle__le32 (header.data + 16);
	image->entry_point_token = monocle__le32 (header.data + 20);
	image->readytorun_rva = monocle__le32 (header.data + 64);
	image->is_readytorun = has_readytorun_header (image, image->readytorun_rva);
	uint32_t rva = monocle__le32 (header.data + 8), size = monocle__le32 (header.data + 12);
	if (!monocle__ecma_rva_part (image, rva, size, ret_metadata))
		return MONOCLE__ECMA_E_TRUNCATED;
	return 0;
}

int
monocle__ecma_open_pe (monocle__ecma_image *ret_image, const void *base, size_t size, bool mapped)
{
	struct directory cli;
	monocle__span metadata;
	memset (ret_image, 0, sizeof *ret_image);
	ret_image->base = base;
	ret_image->size = size;
	ret_image->mapped = mapped;
	int error = read_headers (ret_image, (monocle__span) { base, size }, &cli);
	if (!error)
		error = read_cli_header (ret_image, cli, &metadata);
	if (!error)
		error = monocle__metadata_open (ret_image, metadata);
	return error;
}

size_t
monocle__ecma_mapped_size (const void *base)
{
	/* A mapping has at least a page, and linkers put the headers far before its end. */
	monocle__span page = { base, 4096 }, size;
	uint64_t coff = coff_offset (page);
	if (!coff || !monocle__span_part (page, coff + COFF_SIZE + 56, 4, &size))
		return 0;
	return monocle__le32 (size.data);
}

size_t
monocle__ecma_flat_size (const void *base)
{
	monocle__span page = { base, 4096 }, headers;
	uint64_t coff = coff_offset (page), end = 0;
	if (!coff || !monocle__span_part (page, coff, COFF_SIZE, &headers))
		return 0;
	uint32_t count = monocle__le16 (headers.data + 2), optional = monocle__le16 (headers.data + 16);
	if (!monocle__span_part (page, coff + COFF_SIZE + optional, (uint64_t) count * SECTION_SIZE, &headers))
		return 0;
	for (uint32_t i = 0; i < count; i++) {
		const uint8_t *section = headers.data + (size_t) i * SECTION_SIZE;
		uint64_t section_end = (uint64_t) monocle__le32 (section + 20) + monocle__le32 (section + 16);
		end = section_end > end ? section_end : end;
	}
	return end;
}

/*
 * Where an RVA is in the bytes of the image, and how many of its section (or of the headers) follow. What lies
 * between the sections of a mapped image may be no memory at all.
 */
static bool
find_offset (const monocle__ecma_image *image, uint32_t rva, uint64_t *ret_offset, uint32_t *ret_size)
{
	for (uint32_t i = 0; i < image->section_count; i++) {
		const uint8_t *section = image->sections + (size_t) i * SECTION_SIZE;
		uint32_t virtual_size = monocle__le32 (section + 8), address = monocle__le32 (section + 12);
		uint32_t size = monocle__le32 (section + 16);
		if (image->mapped && virtual_size > size)
			size = virtual_size;
		if (rva < address || rva - address >= size)
			continue;
		*ret_offset = image->mapped ? rva : (uint64_t) monocle__le32 (section + 20) + (rva - address);
		*ret_size = size - (rva - address);
		return true;
	}
	*ret_offset = rva;
	*ret_size = image->headers_size - rva;
	return rva < image->headers_size;
}

const uint8_t *
monocle__ecma_rva (const monocle__ecma_image *image, uint32_t rva, size_t *ret_available)
{
	uint64_t offset;
	uint32_t limit;
	if (!image->base || !find_offset (image, rva, &offset, &limit) || offset >= image->size)
		return NULL;
	size_t available = image->size - (size_t) offset;
	*ret_available = available < limit ? available : limit;
	return image->base + offset;
}
