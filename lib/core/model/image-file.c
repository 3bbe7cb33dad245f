/*
 * SPDX-License-Identifier: MIT
 *
 * image-file.c - what the file of an image holds besides metadata: its PE headers and what they lead to.
 *
 * The headers are at RVA 0 and are read through the host each time; every offset is checked against what the host
 * says is there. An image whose headers it cannot show (made in memory, or part of a composite file) has none of this.
 * Any context, but for the openers. ECMA-335 II.25.
 */
#include <errno.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include "arena.h"
#include "bytes.h"
#include "image.h"
#include "log.h"
#include "metadata.h"

enum {
	PE_POINTER = 0x3c,
	COFF_SIZE = 20, /* after the signature "PE\0\0" */
	PE32_PLUS = 0x20b,
	DIRECTORIES_PE32 = 96,
	DIRECTORIES_PE32_PLUS = 112,
	SIZE_OF_HEADERS = 60, /* in both optional headers */
	DIRECTORY_CERTIFICATE = 4,
	DIRECTORY_CLI = 14,
	SECTION_SIZE = 40,
	CLI_RESOURCES = 24,
	CLI_STRONG_NAME = 32,
	CLI_HEADER_SIZE = 72,
};

/* The headers of an image, as the host shows them, while it is held. */
struct headers {
	MonoImage *image;
	const uint8_t *base;
	uint32_t size, optional, directories, directory_count;
	uint32_t sections, section_count;
};

struct directory {
	uint32_t rva, size;
};

/* --- headers ------------------------------------------------------------------------------------------------------ */

static uint32_t
u16 (const struct headers *headers, uint64_t at)
{
	return at + 2 <= headers->size ? monocle__le16 (headers->base + at) : 0;
}

static uint32_t
u32 (const struct headers *headers, uint64_t at)
{
	return u16 (headers, at) | u16 (headers, at + 2) << 16;
}

static bool
headers_open (MonoImage *image, struct headers *ret)
{
	static const char signature[4] = "PE";
	*ret = (struct headers) { .image = image };
	ret->base = monocle__metadata_heap (image, MONOCLE_HEAP_RVA, 0, &ret->size);
	if (!ret->base)
		return false;
	uint64_t pe = u32 (ret, PE_POINTER);
	if (pe + sizeof signature + COFF_SIZE > ret->size || memcmp (ret->base + pe, signature, sizeof signature))
		return false;
	uint64_t coff = pe + sizeof signature, optional = coff + COFF_SIZE;
	bool is_plus = u16 (ret, optional) == PE32_PLUS;
	ret->optional = (uint32_t) optional;
	ret->directories = (uint32_t) optional + (is_plus ? DIRECTORIES_PE32_PLUS : DIRECTORIES_PE32);
	ret->directory_count = u32 (ret, ret->directories - 4);
	ret->sections = (uint32_t) optional + u16 (ret, coff + 16);
	ret->section_count = u16 (ret, coff + 2);
	return true;
}

static struct directory
directory_at (const struct headers *headers, uint32_t index)
{
	uint64_t at = (uint64_t) headers->directories + 8u * index;
	if (index >= headers->directory_count)
		return (struct directory) { 0, 0 };
	return (struct directory) { u32 (headers, at), u32 (headers, at + 4) };
}

/* A directory of the CLI header (II.25.3.3). */
static struct directory
cli_directory (const struct headers *headers, uint32_t offset)
{
	struct directory cli = directory_at (headers, DIRECTORY_CLI);
	struct headers header = { .image = headers->image };
	if (cli.rva)
		header.base = monocle__metadata_heap (headers->image, MONOCLE_HEAP_RVA, cli.rva, &header.size);
	if (!header.base || header.size < CLI_HEADER_SIZE)
		return (struct directory) { 0, 0 };
	return (struct directory) { u32 (&header, offset), u32 (&header, offset + 4) };
}

/* Where an RVA is in the file, 0: nowhere. */
static uint32_t
file_offset (const struct headers *headers, uint32_t rva)
{
	for (uint32_t i = 0; i < headers->section_count; i++) {
		uint64_t section = (uint64_t) headers->sections + (uint64_t) i * SECTION_SIZE;
		uint32_t begin = u32 (headers, section + 12), size = u32 (headers, section + 16);
		if (rva >= begin && rva - begin < size)
			return u32 (headers, section + 20) + rva - begin;
	}
	return 0;
}

/* --- mono_image_* ------------------------------------------------------------------------------------------------- */

uint32_t
mono_image_get_entry_point (MonoImage *image)
{
	const monocle__image_desc *desc = image ? monocle__image_describe (image) : NULL;
	return desc ? desc->entry_point : 0;
}

/* The headers have RVAs too, but are in no section. */
char *
mono_image_rva_map (MonoImage *image, uint32_t rva)
{
	MONOCLE__HELD MonoImage *held = monocle__image_hold (image);
	struct headers headers;
	if (headers_open (held, &headers) && rva < u32 (&headers, (uint64_t) headers.optional + SIZE_OF_HEADERS))
		return NULL;
	return (char *) monocle__metadata_heap (image, MONOCLE_HEAP_RVA, rva, NULL);
}

/* II.24.2.4 does not say so, but a resource follows its length, four bytes. */
const char *
mono_image_get_resource (MonoImage *image, uint32_t offset, uint32_t *size)
{
	MONOCLE__HELD MonoImage *held = monocle__image_hold (image);
	struct headers headers, resource = { 0 };
	struct directory all = { 0, 0 };
	if (held && headers_open (image, &headers))
		all = cli_directory (&headers, CLI_RESOURCES);
	if (!all.rva || offset >= all.size || all.size - offset < 4)
		return NULL;
	resource.base = monocle__metadata_heap (image, MONOCLE_HEAP_RVA, all.rva + offset, &resource.size);
	uint32_t length = resource.base ? u32 (&resource, 0) : 0;
	if (!resource.base || resource.size < 4 || length > resource.size - 4 || length > all.size - offset - 4)
		return NULL;
	if (size)
		*size = length;
	return (const char *) resource.base + 4;
}

const char *
mono_image_get_public_key (MonoImage *image, uint32_t *size)
{
	const monocle__image_desc *desc = image ? monocle__image_describe (image) : NULL;
	if (!desc || !desc->public_key)
		return NULL;
	if (size)
		*size = desc->public_key_size;
	return (const char *) desc->public_key;
}

static struct directory
strong_name (MonoImage *image, struct headers *ret_headers)
{
	struct directory name = { 0, 0 };
	if (headers_open (image, ret_headers))
		name = cli_directory (ret_headers, CLI_STRONG_NAME);
	return name;
}

const char *
mono_image_get_strong_name (MonoImage *image, uint32_t *size)
{
	MONOCLE__HELD MonoImage *held = monocle__image_hold (image);
	struct headers headers;
	struct directory name = strong_name (held, &headers);
	uint32_t available = 0;
	const uint8_t *bytes = NULL;
	if (name.rva && name.size)
		bytes = monocle__metadata_heap (image, MONOCLE_HEAP_RVA, name.rva, &available);
	if (!bytes || available < name.size)
		return NULL;
	if (size)
		*size = name.size;
	return (const char *) bytes;
}

uint32_t
mono_image_strong_name_position (MonoImage *image, uint32_t *size)
{
	MONOCLE__HELD MonoImage *held = monocle__image_hold (image);
	struct headers headers;
	struct directory name = strong_name (held, &headers);
	if (size)
		*size = name.rva ? name.size : 0;
	return name.rva && name.size ? file_offset (&headers, name.rva) : 0;
}

mono_bool
mono_image_has_authenticode_entry (MonoImage *image)
{
	MONOCLE__HELD MonoImage *held = monocle__image_hold (image);
	struct headers headers;
	if (!headers_open (held, &headers))
		return 0;
	struct directory certificate = directory_at (&headers, DIRECTORY_CERTIFICATE);
	return certificate.rva != 0 && certificate.size > 8;
}

/* A loaded image is mapped whole. */
int
mono_image_ensure_section_idx (MonoImage *image, int section)
{
	MONOCLE__HELD MonoImage *held = monocle__image_hold (image);
	struct headers headers;
	return section >= 0 && headers_open (held, &headers) && (uint32_t) section < headers.section_count;
}

int
mono_image_ensure_section (MonoImage *image, const char *section)
{
	enum { NAME_SIZE = 8 };
	MONOCLE__HELD MonoImage *held = monocle__image_hold (image);
	struct headers headers;
	if (!section || !headers_open (held, &headers))
		return 0;
	for (uint32_t i = 0; i < headers.section_count; i++) {
		uint64_t at = (uint64_t) headers.sections + (uint64_t) i * SECTION_SIZE;
		if (at + NAME_SIZE <= headers.size && strlen (section) <= NAME_SIZE &&
		    !strncmp ((const char *) headers.base + at, section, NAME_SIZE))
			return 1;
	}
	return 0;
}

const char *
mono_image_strerror (MonoImageOpenStatus status)
{
	switch ((int) status) {
	case MONO_IMAGE_OK: return "success";
	case MONO_IMAGE_ERROR_ERRNO: return strerror (errno);
	case MONO_IMAGE_MISSING_ASSEMBLYREF: return "An assembly was referenced, but could not be found";
	case MONO_IMAGE_IMAGE_INVALID: return "File does not contain a valid CIL image";
	default: return "Internal error";
	}
}

/* --- opening what is loaded --------------------------------------------------------------------------------------- */

MonoImage *
mono_image_loaded_full (const char *name, mono_bool refonly)
{
	return refonly ? NULL : mono_image_loaded (name);
}

MonoImage *
mono_image_loaded_by_guid_full (const char *guid, mono_bool refonly)
{
	return refonly ? NULL : mono_image_loaded_by_guid (guid);
}

/* By its path, however that is spelt. */
static MonoImage *
image_at (const char *path)
{
	char real[PATH_MAX], own[PATH_MAX];
	bool has_real = realpath (path, real) != NULL;
	for (MonoImage *image = monocle__image_first (); image; image = image->next) {
		if (!monocle__image_is_loaded (image))
			continue;
		if (!strcmp (image->filename, path))
			return image;
		if (has_real && realpath (image->filename, own) && !strcmp (real, own))
			return image;
	}
	return NULL;
}

/* A module loads nothing into the program: what is not there already stays away. */
MonoImage *
mono_image_open_full (const char *fname, MonoImageOpenStatus *status, mono_bool refonly)
{
	MonoImage *image = fname && !refonly ? image_at (fname) : NULL;
	if (!image) {
		MONOCLE__LOG_ONCE ("a module opens an image that the program has not loaded; it gets none");
		errno = ENOENT;
	}
	if (status)
		*status = image ? MONO_IMAGE_OK : MONO_IMAGE_ERROR_ERRNO;
	return image;
}

MonoImage *
mono_image_open (const char *fname, MonoImageOpenStatus *status)
{
	return mono_image_open_full (fname, status, 0);
}

MonoImage *
mono_pe_file_open (const char *fname, MonoImageOpenStatus *status)
{
	return mono_image_open_full (fname, status, 0);
}

MonoImage *
mono_image_open_from_data (char *data, uint32_t data_len, mono_bool need_copy, MonoImageOpenStatus *status)
{
	return mono_image_open_full (NULL, status, 0);
}

/* --- where the class library is ----------------------------------------------------------------------------------- */

MONO_CONST_RETURN char *
mono_assembly_getrootdir (void)
{
	const char *path = mono_image_get_filename (monocle__image_corlib ());
	const char *slash = path ? strrchr (path, '/') : NULL;
	char *folder = slash ? strndup (path, (size_t) (slash - path)) : NULL;
	const char *kept = monocle__arena_string (folder ? folder : "");
	free (folder);
	return (MONO_CONST_RETURN char *) kept;
}
