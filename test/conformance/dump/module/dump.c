/*
 * SPDX-License-Identifier: MIT
 *
 * dump.c - asks everything that can be asked about a program's own images, by nothing but Mono's public API.
 *
 * At the end of the process, in runtime_shutdown_begin, where both runtimes still answer everything. Options:
 * `output=FOLDER`, and `images=NAME;NAME+NAME`, the simple names of the assemblies that are a program's own, for each
 * program that ran. The first one of a program names its file.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <mono/metadata/profiler.h>
#include "dump.h"

#define OWN_MAX 8

struct _MonoProfiler {
	char *output, *programs;
	const char *own_names; /* of one program, ";" separated */
	MonoImage *own[OWN_MAX];
	int own_count;
};

static struct _MonoProfiler profiler;

MONO_API void mono_profiler_init_dump (const char *desc);

int
dump_is_own (MonoImage *image)
{
	for (int i = 0; i < profiler.own_count; i++) {
		if (profiler.own[i] == image)
			return 1;
	}
	return 0;
}

static int
is_named (const char *list, const char *name)
{
	size_t length = strlen (name);

	for (const char *at = list; (at = strstr (at, name)); at += length) {
		if ((at == list || at[-1] == ';') && (at[length] == '\0' || at[length] == ';'))
			return 1;
	}
	return 0;
}

static void
take_own (void *assembly, void *data)
{
	MonoImage *image = mono_assembly_get_image (assembly);
	const char *name = mono_image_get_name (image);

	if (name && is_named (profiler.own_names, name) && profiler.own_count < OWN_MAX)
		profiler.own[profiler.own_count++] = image;
}

static int
by_name (const void *a, const void *b)
{
	return strcmp (mono_image_get_name (*(MonoImage *const *) a), mono_image_get_name (*(MonoImage *const *) b));
}

static void
dump_program (MonoProfiler *prof, const char *names)
{
	char path[4096];

	prof->own_names = names;
	prof->own_count = 0;
	mono_assembly_foreach (take_own, NULL);
	qsort (prof->own, (size_t) prof->own_count, sizeof prof->own[0], by_name);
	snprintf (path, sizeof path, "%s/%.*s.tsv", prof->output, (int) strcspn (names, ";"), names);
	if (dump_open (path) != 0) {
		fprintf (stderr, "dump: cannot write %s\n", path);
		return;
	}
	for (int i = 0; i < prof->own_count; i++) {
		dump_image (prof->own[i]);
		dump_rows (prof->own[i]);
		dump_classes (prof->own[i]);
		dump_references (prof->own[i]);
	}
	dump_met_classes ();
	dump_close ();
}

static void
shutdown_begin (MonoProfiler *prof)
{
	char *state = NULL;

	for (char *names = strtok_r (prof->programs, "+", &state); names; names = strtok_r (NULL, "+", &state))
		dump_program (prof, names);
}

static void
parse_options (const char *desc)
{
	const char *colon = strchr (desc, ':');
	char *options = strdup (colon ? colon + 1 : "");
	char *state = NULL;

	for (char *word = strtok_r (options, ",", &state); word; word = strtok_r (NULL, ",", &state)) {
		if (strncmp (word, "output=", 7) == 0)
			profiler.output = strdup (word + 7);
		else if (strncmp (word, "images=", 7) == 0)
			profiler.programs = strdup (word + 7);
		else
			fprintf (stderr, "dump: unknown option '%s'\n", word);
	}
	free (options);
}

MONO_API void
mono_profiler_init_dump (const char *desc)
{
	parse_options (desc);
	if (!profiler.output || !profiler.programs) {
		fprintf (stderr, "dump: output= and images= are needed\n");
		return;
	}
	mono_profiler_set_runtime_shutdown_begin_callback (mono_profiler_create (&profiler), shutdown_begin);
}
