/*
 * SPDX-License-Identifier: MIT
 *
 * image.c - answers about an image and its assembly.
 */
#include <string.h>
#include "dump.h"

static const char *
base_name (const char *path)
{
	const char *slash = path ? strrchr (path, '/') : NULL;

	return slash ? slash + 1 : path;
}

static void
assembly_answers (MonoAssembly *assembly)
{
	MonoAssemblyName *name = mono_assembly_get_name (assembly);
	uint16_t minor = 0, build = 0, revision = 0;

	dump_subject ("assembly %s", mono_assembly_name_get_name (name));
#define ASSEMBLY(form, key, expression) dump_##form (key, expression);
#include "answers.def"
	mono_assembly_name_get_version (name, &minor, &build, &revision);
	dump_number ("minor version", minor);
	dump_number ("build", build);
	dump_number ("revision", revision);
	dump_attributes (mono_custom_attrs_from_assembly (assembly));
}

void
dump_image (MonoImage *image)
{
	dump_subject ("image %s", mono_image_get_name (image));
#define IMAGE(form, key, expression) dump_##form (key, expression);
#include "answers.def"
	uint32_t size = 0;
	const char *key = mono_image_get_public_key (image, &size);
	dump_bytes ("public key", key, key ? size : 0);
	for (int table = 0; table <= MONO_TABLE_GENERICPARAMCONSTRAINT; table++) {
		dump_prefix ("table 0x%02x ", (unsigned) table);
		dump_number ("rows", mono_image_get_table_rows (image, table));
		dump_number ("rows of its record", mono_table_info_get_rows (mono_image_get_table_info (image, table)));
	}
	assembly_answers (mono_image_get_assembly (image));
}
