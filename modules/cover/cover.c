/*
 * SPDX-License-Identifier: MIT
 *
 * cover.c - profiler module: which lines and branches of the program ran.
 *
 *   mono --profile=cover app.exe               what ran
 *   mono --profile=cover:mode=count app.exe    how often
 *   mono --profile=cover:help
 *
 * The host writes probes into methods that filter.c wants; record.c says where they count; file.c has the place. What
 * is here ties them to the events.
 */
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include <mono/jit/jit.h>
#include <mono/metadata/class.h>
#include <mono/metadata/image.h>
#include <mono/metadata/loader.h>
#include <mono/metadata/profiler.h>
#include <mono/utils/mono-publib.h>
#include <monocle/ext.h>
#include <monocle/kit.h>

#include "file.h"
#include "filter.h"
#include "pattern.h"
#include "plan.h"
#include "poll.h"
#include "record.h"
#include "source.h"
#include "walk.h"

MONOCLE_KIT_SUMMARY ("which lines and branches ran");

enum mode { MODE_HIT, MODE_COUNT };

static uint32_t option_mode, option_sources;
static const char *option_output, *option_include, *option_exclude, *option_covfilter_file, *option_file, *option_xfile,
    *option_attribute;
static bool option_skipautoprops, option_generated;
static pattern_list wanted_files, unwanted_files;

/* clang-format off */
static const monocle_kit_option options[] = {
	/* key             kind                        value                   choices      help */
	{ "mode",          MONOCLE_KIT_OPTION_CHOICE, &option_mode,           "hit|count",
	  "what is kept of a place: that it ran, or how often" },
	{ "include",       MONOCLE_KIT_OPTION_LIST,   &option_include,        "[ASM]TYPE",
	  "classes to count, else the program's own; * and ? in both parts, several with a semicolon between" },
	{ "exclude",       MONOCLE_KIT_OPTION_LIST,   &option_exclude,        "[ASM]TYPE", "classes to leave out" },
	{ "file",          MONOCLE_KIT_OPTION_LIST,   &option_file,           "GLOB",
	  "source files to count, else all; * ends at a slash, ** does not" },
	{ "xfile",         MONOCLE_KIT_OPTION_LIST,   &option_xfile,          "GLOB",      "source files to leave out" },
	{ "attribute",     MONOCLE_KIT_OPTION_LIST,   &option_attribute,      "NAME",
	  "leave out what has it, as what has ExcludeFromCodeCoverage" },
	{ "skipautoprops", MONOCLE_KIT_OPTION_FLAG,   &option_skipautoprops,  NULL,
	  "leave out accessors that a compiler wrote" },
	{ "generated",     MONOCLE_KIT_OPTION_FLAG,   &option_generated,      NULL,
	  "count what source generators wrote, too: what has GeneratedCode, and sources in obj" },
	{ "sources",       MONOCLE_KIT_OPTION_CHOICE, &option_sources,        "here|any",
	  "count assemblies of which a source is on this machine, or any with symbols" },
	{ "covfilter-file", MONOCLE_KIT_OPTION_STRING, &option_covfilter_file, "FILE",
	  "lines +TEXT and -TEXT: count, or leave out, what has it in its [ASM]TYPE; as Mono's own" },
	{ "output",        MONOCLE_KIT_OPTION_STRING, &option_output,         "FILE",
	  "where the profile goes, else %e_%t_%p.cover.mcov: %p process, %t time, %e program, +FILE" },
	{ NULL },
};
/* clang-format on */

/* --- events ------------------------------------------------------------------------------------------------------- */

static void *
counters (void *data, const MonocleCoveragePlan *plan)
{
	return record_method (plan, true);
}

static mono_bool
coverage_filter (MonoProfiler *profiler, MonoMethod *method)
{
	return filter_wants (method);
}

static void
add_uncounted (void *data, const MonocleCoveragePlan *plan)
{
	record_method (plan, false);
}

/* Has it the counters that it should have? Its instances share them. */
static void
check_counters (MonoMethod *method)
{
	MonoImage *image = mono_class_get_image (mono_method_get_class (method));
	MonoMethod *definition = mono_get_method (image, mono_method_get_token (method), NULL);
	if (definition && !record_of (definition))
		plan_show (definition, add_uncounted, NULL);
	if (definition)
		record_check (definition);
}

static void
jit_done (MonoProfiler *profiler, MonoMethod *method, MonoJitInfo *info)
{
	if (!filter_wants (method) || !file_is_own ())
		return;
	if (plan_is_hosts ())
		check_counters (method);
	else
		poll_add (method);
}

static void
image_loaded (MonoProfiler *profiler, MonoImage *image)
{
	if (filter_may_want (image))
		walk_add (image);
}

static void
image_unloading (MonoProfiler *profiler, MonoImage *image)
{
	walk_forget (image);
	if (!plan_is_hosts ())
		poll_forget (image);
	record_forget (image);
	filter_forget (image);
}

static void
runtime_initialized (MonoProfiler *profiler)
{
	if (plan_is_hosts ())
		walk_begin ();
	else
		poll_begin ();
}

static void
runtime_shutdown_begin (MonoProfiler *profiler)
{
	walk_end ();
	if (!plan_is_hosts ())
		poll_end ();
}

static void
runtime_shutdown_end (MonoProfiler *profiler)
{
	if (!plan_is_hosts ())
		poll_end ();
	record_end ();
}

/* --- start -------------------------------------------------------------------------------------------------------- */

static bool
read_options (const char *desc)
{
	int result = monocle_kit_options_parse ("cover", desc, options);
	if (result > 0)
		_exit (0); /* The user asked for help, not for a program. */
	filter_config config = {
		.include = option_include,
		.exclude = option_exclude,
		.covfilter_file = option_covfilter_file,
		.attributes = option_attribute,
		.skip_auto_properties = option_skipautoprops,
		.any_sources = option_sources != 0,
		.generated = option_generated,
	};
	return result == 0 && filter_init (&config) && pattern_list_read (option_file, &wanted_files) &&
	       pattern_list_read (option_xfile, &unwanted_files);
}

static bool
open_file (const char *desc)
{
	char *runtime = mono_get_runtime_build_info ();
	file_config config = { .output = option_output, .desc = desc, .runtime = runtime };
	if (option_mode == MODE_COUNT || !plan_is_hosts ())
		config.flags |= MONOCLE__COVER_COUNTS;
	if (!plan_is_hosts ())
		config.flags |= MONOCLE__COVER_POLLED;
	bool opened = file_open (&config);
	mono_free (runtime);
	return opened;
}

/* Who asks first has the counters. */
static bool
begin_counting (const char *desc)
{
	MonocleCoverageMode mode = option_mode == MODE_COUNT ? MONOCLE_COVERAGE_COUNTS : MONOCLE_COVERAGE_HITS;
	bool granted = mono_profiler_enable_coverage ();
	if (granted && !open_file (desc))
		return false;
	if (granted && (!plan_is_hosts () || monocle_coverage_set_counters (mode, counters, NULL)))
		return true;
	monocle_kit_log_failure ("cover", granted ? "another module has the counters; this one counts nothing"
	                                          : "this runtime does not count; the program runs unprofiled");
	if (granted)
		file_discard ();
	return false;
}

/* Who reads the file asks for a copy of what the runtime keeps itself: poll.c. Counters are reset by who reads, too. */
static bool
show (void *data, char *ret_path, size_t size)
{
	snprintf (ret_path, size, "%s", file_path ());
	return true;
}

static const monocle_kit_control control = { .size = sizeof control, .module = "cover", .snapshot = show };

__attribute__ ((visibility ("default"))) void mono_profiler_init_cover (const char *desc);

void
mono_profiler_init_cover (const char *desc)
{
	if (!read_options (desc) || !begin_counting (desc))
		return;
	MonoProfilerHandle handle = mono_profiler_create (NULL);
	plan_init (handle);
	source_init (&wanted_files, &unwanted_files, option_generated);
	monocle_kit_control_register (&control);
	mono_profiler_set_coverage_filter_callback (handle, coverage_filter);
	mono_profiler_set_jit_done_callback (handle, jit_done);
	mono_profiler_set_image_loaded_callback (handle, image_loaded);
	mono_profiler_set_image_unloading_callback (handle, image_unloading);
	mono_profiler_set_runtime_initialized_callback (handle, runtime_initialized);
	mono_profiler_set_runtime_shutdown_begin_callback (handle, runtime_shutdown_begin);
	mono_profiler_set_runtime_shutdown_end_callback (handle, runtime_shutdown_end);
}
