/*
 * SPDX-License-Identifier: MIT
 *
 * fuzz_text.c - any text where Mono's API takes one: patterns of methods, names of assemblies, images and types. What
 * they are looked for in is the small library of this folder.
 */
#include <stdlib.h>
#include <string.h>
#include <mono/metadata/assembly.h>
#include <mono/metadata/class.h>
#include <mono/metadata/debug-helpers.h>
#include <mono/metadata/image.h>
#include "file-host.h"
#include "symbols_builder.h"

int LLVMFuzzerTestOneInput (const uint8_t *data, size_t size);

static MonoImage *house;
static MonoMethod *methods[3];

static void
open_house (void)
{
	static struct bytes pe;
	setenv ("MONOCLE_LOG", "/dev/null", 1);
	file_host_start ();
	pe = build_pe_with_symbols ();
	house = file_host_open_bytes ("house.dll", pe.data, pe.size, false);
	if (!house)
		abort ();
	for (uint32_t i = 0; i < 3; i++)
		methods[i] = mono_get_method (house, 0x06000000 | (i + 1), NULL);
}

static void
match_methods (const char *text)
{
	for (int name_space = 0; name_space < 2; name_space++) {
		MonoMethodDesc *desc = mono_method_desc_new (text, name_space);
		if (!desc)
			continue;
		mono_method_desc_is_full (desc);
		mono_method_desc_search_in_image (desc, house);
		for (int i = 0; i < 3; i++) {
			mono_method_desc_match (desc, methods[i]);
			mono_method_desc_full_match (desc, methods[i]);
			mono_method_desc_search_in_class (desc, mono_method_get_class (methods[i]));
		}
		mono_method_desc_free (desc);
	}
}

static void
parse_assembly (const char *text)
{
	MonoAssemblyName *name = mono_assembly_name_new (text);
	if (!name)
		return;
	char *printed = mono_stringify_assembly_name (name);
	mono_assembly_names_equal (name, mono_assembly_get_name (mono_image_get_assembly (house)));
	mono_free (printed);
	mono_assembly_name_free (name);
	mono_free (name);
}

static void
look_up (char *text)
{
	char *dot = strrchr (text, '.');
	mono_image_loaded (text);
	mono_image_loaded_by_guid (text);
	mono_class_from_name (house, "", text);
	if (!dot)
		return;
	*dot = 0;
	mono_class_from_name (house, text, dot + 1);
	mono_class_from_name_case (house, text, dot + 1);
}

int
LLVMFuzzerTestOneInput (const uint8_t *data, size_t size)
{
	char *text = malloc (size + 1);
	if (!text)
		return 0;
	if (size)
		memcpy (text, data, size);
	text[size && text[size - 1] == '\n' ? size - 1 : size] = 0; /* the corpus is made of text files */
	if (!house)
		open_house ();
	match_methods (text);
	parse_assembly (text);
	look_up (text);
	free (text);
	return 0;
}
