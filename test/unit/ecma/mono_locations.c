/*
 * SPDX-License-Identifier: MIT
 *
 * mono_locations.c - a profiler module for Mono alone: what it says of the source of each instruction of an assembly.
 *
 *   mono --profile=locations:ASSEMBLY:FILE program.exe
 *
 * Writes, when the program ends, a line for every offset of every method with code, the end included: token, offset,
 * and the offset, line, column and file of its location, or "-". Token and "?" for a method without debug information.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <mono/metadata/appdomain.h>
#include <mono/metadata/assembly.h>
#include <mono/metadata/image.h>
#include <mono/metadata/loader.h>
#include <mono/metadata/metadata.h>
#include <mono/metadata/mono-debug.h>
#include <mono/metadata/profiler.h>

struct _MonoProfiler {
	char *assembly, *output;
};

static struct _MonoProfiler profiler;

MONO_API void mono_profiler_init_locations (const char *description);

static void
write_location (FILE *file, uint32_t token, MonoDebugMethodInfo *info, uint32_t offset)
{
	MonoDebugSourceLocation *at = mono_debug_method_lookup_location (info, (int) offset);
	fprintf (file, "%08x\t%u\t", token, offset);
	if (!at) {
		fputs ("-\n", file);
		return;
	}
	fprintf (file, "%u\t%u\t%u\t%s\n", at->il_offset, at->row, at->column, at->source_file ? at->source_file : "");
	mono_debug_free_source_location (at);
}

static void
write_method (FILE *file, MonoImage *image, uint32_t token)
{
	MonoMethod *method = mono_get_method (image, token, NULL);
	MonoMethodHeader *header = method ? mono_method_get_header (method) : NULL;
	uint32_t size = 0;
	if (!header)
		return;
	mono_method_header_get_code (header, &size, NULL);
	MonoDebugMethodInfo *info = mono_debug_lookup_method (method);
	if (!info)
		fprintf (file, "%08x\t?\n", token);
	for (uint32_t offset = 0; info && offset <= size; offset++)
		write_location (file, token, info, offset);
}

static void
write_all (MonoProfiler *self)
{
	FILE *file = fopen (self->output, "w");
	MonoAssembly *assembly = mono_domain_assembly_open (mono_get_root_domain (), self->assembly);
	if (!file || !assembly) {
		perror (assembly ? self->output : self->assembly);
		return;
	}
	MonoImage *image = mono_assembly_get_image (assembly);
	uint32_t rows = (uint32_t) mono_image_get_table_rows (image, MONO_TABLE_METHOD);
	for (uint32_t rid = 1; rid <= rows; rid++)
		write_method (file, image, (uint32_t) MONO_TABLE_METHOD << 24 | rid);
	fclose (file);
}

void
mono_profiler_init_locations (const char *description)
{
	char *text = strdup (strchr (description, ':') + 1), *colon = strchr (text, ':');
	*colon = 0;
	profiler = (struct _MonoProfiler) { text, colon + 1 };
	mono_debug_init (MONO_DEBUG_FORMAT_MONO);
	mono_profiler_set_runtime_shutdown_begin_callback (mono_profiler_create (&profiler), write_all);
}
