/*
 * SPDX-License-Identifier: MIT
 *
 * sources.c - a profiler module that writes what the runtime says of the sources of some images.
 *
 * Options: `images=NAME+NAME,output=FILE` and, with `queries=FILE`, the native offsets that the program of the first
 * image wrote down while it ran. All is asked when the process ends. Lines:
 *
 *   I <tab> name                                                the image that the following M, L and V are of
 *   M <tab> token <tab> 0 or 1                                  are there symbols of the method?
 *   L <tab> token <tab> offset <tab> offset row column file     of IL offsets, or "-"
 *   V <tab> token <tab> slot <tab> name                         locals, as the private structs of Mono have them
 *   Q <tab> token <tab> native <tab> IL <tab> row column file   of native offsets, or "-"
 *   F <tab> token <tab> native <tab> text                       the same as a frame
 *   C <tab> token <tab> code is sound (0 or 1) <tab> lines      what mono_debug_find_method () tells
 *   J <tab> bodies <tab> of which another one is newest         the same, each time when code was made (`code`)
 */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <mono/metadata/appdomain.h>
#include <mono/metadata/class.h>
#include <mono/metadata/debug-helpers.h>
#include <mono/metadata/image.h>
#include <mono/metadata/loader.h>
#include <mono/metadata/metadata.h>
#include <mono/metadata/mono-debug.h>
#include <mono/metadata/profiler.h>
#include <mono/metadata/tokentype.h>

/* Offsets that are asked of each method, whether it has them or not, and one far behind. */
enum { OFFSETS = 600, FAR = 100000 };

enum { IMAGES_MAX = 8 };

struct _MonoProfiler {
	char images[256], output[1024], queries[1024];
	const char *names[IMAGES_MAX];
	MonoImage *found[IMAGES_MAX];
	int count;
	_Atomic int bodies, others;
};

/* Not in public headers. */
typedef struct {
	int parent, type, start, end;
} block;

typedef struct {
	char *name;
	int index;
	block *block;
} local;

typedef struct {
	int local_count;
	local *locals;
	int block_count;
	block *blocks;
} locals;

static struct _MonoProfiler profiler;

MONO_API void mono_profiler_init_sources (const char *desc);

static void
write_location (FILE *file, MonoDebugSourceLocation *at)
{
	if (at)
		fprintf (file, "%u\t%u\t%u\t%s\n", at->il_offset, at->row, at->column, at->source_file ? at->source_file : "");
	else
		fputs ("-\n", file);
	mono_debug_free_source_location (at);
}

static void
write_il_offset (FILE *file, uint32_t token, MonoDebugMethodInfo *info, int offset)
{
	fprintf (file, "L\t%08x\t%d\t", token, offset);
	write_location (file, mono_debug_method_lookup_location (info, offset));
}

static void
write_locals (FILE *file, uint32_t token, MonoMethod *method)
{
	const locals *all = (const locals *) mono_debug_lookup_locals (method);
	for (int i = 0; all && i < all->local_count; i++) {
		const local *at = &all->locals[i];
		fprintf (file, "V\t%08x\t%d\t%s\t%d\t%d\n", token, at->index, at->name, at->block ? at->block->start : -1,
		         at->block ? at->block->end : -1);
	}
}

static void
write_method (FILE *file, MonoImage *image, uint32_t token)
{
	MonoMethod *method = mono_get_method (image, token, NULL);
	MonoDebugMethodInfo *info = method ? mono_debug_lookup_method (method) : NULL;
	fprintf (file, "M\t%08x\t%d\n", token, info != NULL);
	if (!info)
		return;
	for (int offset = 0; offset < OFFSETS; offset++)
		write_il_offset (file, token, info, offset);
	write_il_offset (file, token, info, FAR);
	write_locals (file, token, method);
}

/* The code as the debugger sees it lies in one piece, and its lines ascend. */
static int
is_sound (const MonoDebugMethodJitInfo *jit)
{
	const uint32_t *lines = (const uint32_t *) jit->line_numbers; /* IL, native, IL, native ... */
	for (uint32_t i = 0; i < jit->num_line_numbers; i++)
		if (lines[2 * i + 1] > jit->code_size || (i && lines[2 * i + 1] < lines[2 * i - 1]))
			return 0;
	return jit->code_start && jit->code_size && jit->prologue_end <= jit->code_size &&
	       jit->epilogue_begin <= jit->code_size;
}

static void
write_code (FILE *file, uint32_t token, MonoMethod *method, MonoDomain *domain)
{
	MonoDebugMethodJitInfo *jit = mono_debug_find_method (method, domain);
	if (jit)
		fprintf (file, "C\t%08x\t%d\t%u\n", token, is_sound (jit), jit->num_line_numbers);
	mono_debug_free_method_jit_info (jit);
}

/* One line of the program's: token and native offset. */
static void
write_query (FILE *file, uint32_t token, uint32_t native)
{
	MonoMethod *method = mono_get_method (profiler.found[0], token, NULL);
	MonoDomain *domain = mono_get_root_domain ();
	if (!method)
		return;
	fprintf (file, "Q\t%08x\t%u\t%d\t", token, native, mono_debug_il_offset_from_address (method, domain, native));
	write_location (file, mono_debug_lookup_source_location (method, native, domain));
	char *frame = mono_debug_print_stack_frame (method, native, domain);
	fprintf (file, "F\t%08x\t%u\t%s\n", token, native, frame);
	mono_free (frame);
	write_code (file, token, method, domain);
}

static void
write_queries (FILE *file)
{
	char line[256];
	FILE *queries = fopen (profiler.queries, "r");
	while (queries && fgets (line, sizeof line, queries)) {
		unsigned token, native;
		if (sscanf (line, "%x %u", &token, &native) != 2)
			continue;
		write_query (file, token, native);
		if (native)
			write_query (file, token, native - 1);
	}
	if (queries)
		fclose (queries);
}

/* The code of the first image's that was just made is the newest. */
static void
jit_done (MonoProfiler *prof, MonoMethod *method, MonoJitInfo *code)
{
	if (!code || !prof->found[0] || mono_class_get_image (mono_method_get_class (method)) != prof->found[0])
		return;
	MonoDebugMethodJitInfo *jit = mono_debug_find_method (method, mono_get_root_domain ());
	prof->bodies++;
	prof->others += !jit || (const void *) jit->code_start != mono_jit_info_get_code_start (code) ||
	                (int) jit->code_size != mono_jit_info_get_code_size (code);
	mono_debug_free_method_jit_info (jit);
}

static void
image_loaded (MonoProfiler *prof, MonoImage *image)
{
	const char *name = mono_image_get_name (image);
	for (int i = 0; name && i < prof->count; i++)
		if (strcmp (name, prof->names[i]) == 0)
			prof->found[i] = image;
}

static void
write_image (FILE *file, const char *name, MonoImage *image)
{
	uint32_t rows = image ? (uint32_t) mono_image_get_table_rows (image, MONO_TABLE_METHOD) : 0;
	fprintf (file, "I\t%s\n", name);
	for (uint32_t rid = 1; rid <= rows; rid++)
		write_method (file, image, MONO_TOKEN_METHOD_DEF | rid);
}

static void
shutdown (MonoProfiler *prof)
{
	FILE *file = fopen (prof->output, "w");
	if (!file)
		return;
	for (int i = 0; i < prof->count; i++)
		write_image (file, prof->names[i], prof->found[i]);
	if (prof->queries[0] && prof->found[0])
		write_queries (file);
	fprintf (file, "J\t%d\t%d\n", prof->bodies, prof->others);
	fputs ("end\n", file);
	fclose (file);
}

static void
read_options (char *text)
{
	for (char *word = strtok (text, ","); word; word = strtok (NULL, ","))
		if (sscanf (word, "images=%255s", profiler.images) != 1 && sscanf (word, "output=%1023s", profiler.output) != 1)
			sscanf (word, "queries=%1023s", profiler.queries);
	for (char *name = strtok (profiler.images, "+"); name && profiler.count < IMAGES_MAX; name = strtok (NULL, "+"))
		profiler.names[profiler.count++] = name;
}

void
mono_profiler_init_sources (const char *desc)
{
	const char *colon = strchr (desc, ':');
	char *text = strdup (colon ? colon + 1 : "");
	int wants_code = strstr (text, ",code") != NULL;
	read_options (text);
	free (text);
	if (!mono_debug_enabled ())
		mono_debug_init (MONO_DEBUG_FORMAT_MONO);
	MonoProfilerHandle handle = mono_profiler_create (&profiler);
	mono_profiler_set_image_loaded_callback (handle, image_loaded);
	mono_profiler_set_runtime_shutdown_begin_callback (handle, shutdown);
	if (wants_code)
		mono_profiler_set_jit_done_callback (handle, jit_done);
}
