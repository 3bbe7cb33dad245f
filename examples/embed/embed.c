/*
 * SPDX-License-Identifier: MIT
 *
 * embed.c - a tiny language whose runtime can be profiled: monocle/host.h in one file.
 *
 *   embed SCRIPT [MODULE[:ARGS]]...
 *
 * Each line of a script defines a function, "NAME = WORD...". Running a function runs its words in turn: the name of a
 * function calls it, every other word is printed. A function's result is how many were. The program is the function
 * Main, which has none. Lines that begin with # are remarks.
 *
 * To modules the script is an image, all functions are static methods of one class, Greeter, and a function is
 * "compiled" when it is called first: that is when filters are asked. Call contexts show results. Coverage counts each
 * word; they are all on the function's line.
 */
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <monocle/host.h>

enum { FUNCTIONS_MAX = 100, WORDS_MAX = 50, CLASS_TOKEN = 0x02000001, METHOD_TOKEN = 0x06000001 };

typedef struct {
	char *name, *words[WORDS_MAX];
	size_t word_count;
	MonoMethod *method;
	MonoProfilerCallInstrumentationFlags flags; /* what filters asked for; meaningful once `compiled` */
	int compiled;
	unsigned line;
	uint32_t *counters; /* of words; NULL: nobody asked for its coverage */
} function;

static function functions[FUNCTIONS_MAX];
static size_t function_count;
static MonocleCoverageDocument script;
static const uint32_t *listeners; /* per event */

/* --- the language ------------------------------------------------------------------------------------------------- */

static void
parse_line (char *line, unsigned number)
{
	char *rest, *name = strtok_r (line, " =\n", &rest);

	if (!name || *name == '#' || function_count == FUNCTIONS_MAX)
		return;
	function *f = &functions[function_count++];
	f->name = strdup (name);
	f->line = number;
	for (char *word; f->word_count < WORDS_MAX && (word = strtok_r (NULL, " =\n", &rest));)
		f->words[f->word_count++] = strdup (word);
}

static int
parse_script (const char *path)
{
	char line[1000];
	FILE *file = fopen (path, "r");

	script.path = path;
	for (unsigned number = 1; file && fgets (line, sizeof line, file); number++)
		parse_line (line, number);
	if (file)
		fclose (file);
	return file != NULL;
}

static function *
find_function (const char *name)
{
	for (size_t i = 0; i < function_count; i++)
		if (strcmp (functions[i].name, name) == 0)
			return &functions[i];
	return NULL;
}

/* --- coverage ----------------------------------------------------------------------------------------------------- */

/* What is counted of a function, whether it was compiled or not: each word, and no branches. */
static int
coverage_plan (void *host, MonoMethod *method, MonocleCoverageMode mode,
               void (*show) (void *data, const MonocleCoveragePlan *plan), void *data)
{
	MonocleCoveragePoint points[WORDS_MAX] = { 0 };
	uint32_t index = monocle_method_token (method) - METHOD_TOKEN;
	if (index >= function_count)
		return MONOCLE_E_INVALID;
	const function *f = &functions[index];
	for (uint32_t i = 0; i < f->word_count; i++)
		points[i] = (MonocleCoveragePoint) { .document = &script, .il_offset = i, .start_line = f->line, .counter = i };
	MonocleCoveragePlan plan = { .method = method, .points = points };
	plan.point_count = plan.counter_count = (uint32_t) f->word_count;
	show (data, &plan);
	return MONOCLE_OK;
}

static void
take_counters (void *data, const MonocleCoveragePlan *plan)
{
	((function *) data)->counters = monocle_coverage_counters (plan);
}

/* A module may want to know only what was hit, in bytes. */
static void
count_word (function *f, size_t word)
{
	if (!f->counters)
		return;
	if (monocle_coverage_mode () == MONOCLE_COVERAGE_HITS)
		((uint8_t *) f->counters)[word] = 1;
	else
		f->counters[word]++;
}

/* Compilation: the one moment at which modules say what they want of a method. */
static void
compile (function *f)
{
	monocle_raise_jit_begin (f->method);
	f->flags = monocle_call_flags (f->method);
	if (monocle_coverage_wanted (f->method))
		coverage_plan (NULL, f->method, monocle_coverage_mode (), take_counters, f);
	f->compiled = 1;
	monocle_raise_jit_done (f->method, monocle_jit_info_new (f->method, f, sizeof *f));
}

/* What a call context shows. The core never looks inside: it asks call_value (). */
struct _MonoProfilerCallContext {
	const int32_t *result; /* NULL: there is none, or not yet */
};

static MonoProfilerCallContext *
context_for (function *f, MonoProfilerCallInstrumentationFlags flag, MonoProfilerCallContext *context)
{
	return f->flags & flag ? context : NULL;
}

/* A call that nobody asked for costs a test of the flags, an event that nobody listens to one of its count. */
static void
enter (function *f)
{
	MonoProfilerCallContext context = { NULL };

	if (f->flags & MONO_PROFILER_CALL_INSTRUMENTATION_ENTER && listeners[MONOCLE_EVENT_method_enter])
		monocle_raise_method_enter (f->method,
		                            context_for (f, MONO_PROFILER_CALL_INSTRUMENTATION_ENTER_CONTEXT, &context));
}

static void
leave (function *f, const int32_t *result)
{
	MonoProfilerCallContext context = { result };

	if (f->flags & MONO_PROFILER_CALL_INSTRUMENTATION_LEAVE && listeners[MONOCLE_EVENT_method_leave])
		monocle_raise_method_leave (f->method,
		                            context_for (f, MONO_PROFILER_CALL_INSTRUMENTATION_LEAVE_CONTEXT, &context));
}

static int
is_main (const function *f)
{
	return strcmp (f->name, "Main") == 0;
}

static int32_t
run (function *f)
{
	int32_t printed = 0;

	if (!f->compiled)
		compile (f);
	enter (f);
	for (size_t i = 0; i < f->word_count; i++) {
		count_word (f, i);
		function *callee = find_function (f->words[i]);
		if (callee)
			printed += run (callee);
		else
			printed += puts (f->words[i]) >= 0;
	}
	leave (f, is_main (f) ? NULL : &printed);
	return printed;
}

/* --- what the core asks about records: any context, so nothing is locked or allocated ----------------------------- */

static int
describe_class (void *host, MonoClass *klass, monocle_class_info *ret_info)
{
	if (monocle_class_token (klass) != CLASS_TOKEN)
		return MONOCLE_E_UNKNOWN;
	ret_info->name = "Greeter";
	ret_info->name_space = "";
	ret_info->element_type = MONO_TYPE_CLASS;
	return MONOCLE_OK;
}

static int
describe_method (void *host, MonoMethod *method, monocle_method_info *ret_info)
{
	uint32_t index = monocle_method_token (method) - METHOD_TOKEN;

	if (index >= function_count)
		return MONOCLE_E_UNKNOWN;
	ret_info->name = functions[index].name;
	ret_info->flags = 0x0016; /* public static, as in ECMA-335 II.23.1.10 */
	ret_info->klass = monocle_class_def (monocle_method_image (method), CLASS_TOKEN);
	return MONOCLE_OK;
}

/* int NAME (), void Main (). */
static int
describe_signature (void *host, MonoMethod *method, monocle_signature_info *ret_info)
{
	uint32_t index = monocle_method_token (method) - METHOD_TOKEN;

	if (index >= function_count)
		return MONOCLE_E_UNKNOWN;
	ret_info->ret =
	    monocle_type (monocle_class_primitive (is_main (&functions[index]) ? MONO_TYPE_VOID : MONO_TYPE_I4));
	return MONOCLE_OK;
}

/* --- what it asks about calls ------------------------------------------------------------------------------------- */

static int
call_value (void *host, const MonoProfilerCallContext *context, monocle_call_value value, uint32_t position,
            const void **ret_data, uint32_t *ret_size)
{
	if (value != MONOCLE_CALL_RESULT || !context->result)
		return MONOCLE_E_UNKNOWN;
	*ret_data = context->result;
	*ret_size = sizeof *context->result;
	return MONOCLE_OK;
}

static int
enable (void *host, monocle_feature feature)
{
	return feature == MONOCLE_FEATURE_CALL_CONTEXT || feature == MONOCLE_FEATURE_COVERAGE;
}

/* --- the life of the runtime, in the order in which Mono tells it ------------------------------------------------- */

static int
start_profiling (char **modules)
{
	static const monocle_host_ops ops = {
		.size = sizeof ops,
		.api_version = MONOCLE_HOST_API_VERSION,
		.name = "embed",
		.runtime_version = "embed 1.0",
		.enable = enable,
		.call_value = call_value,
		.coverage_plan = coverage_plan,
		.describe_class = describe_class,
		.describe_method = describe_method,
		.describe_signature = describe_signature,
	};
	int result = monocle_host_init (&ops);

	if (result != MONOCLE_OK)
		return result;
	for (; *modules; modules++)
		monocle_host_load (*modules); /* a failure was logged, and is no reason not to run the script */
	monocle_host_load_from_env ();
	monocle_host_startup_done ();
	listeners = monocle_event_counts ();
	return MONOCLE_OK;
}

static void
announce_image (const char *path)
{
	MonoImage *image = monocle_image_new (path, MONOCLE_IMAGE_MAIN, 1, (uint32_t) function_count, NULL);

	monocle_raise_image_loading (image);
	monocle_raise_image_loaded (image);
	monocle_image_set_assembly_visible (image);
	monocle_raise_assembly_loading (monocle_image_assembly (image));
	monocle_raise_assembly_loaded (monocle_image_assembly (image));
	for (size_t i = 0; i < function_count; i++)
		functions[i].method = monocle_method_def (image, METHOD_TOKEN + (uint32_t) i);
}

static void
announce_thread (void)
{
	uintptr_t self = (uintptr_t) pthread_self ();

	monocle_thread_attach (self);
	monocle_raise_thread_started (self);
	monocle_thread_set_name (self, "Main");
	monocle_raise_thread_name (self, "Main");
}

static void
end_profiling (void)
{
	monocle_raise_runtime_shutdown_begin ();
	monocle_raise_runtime_shutdown_end ();
	monocle_host_shutdown ();
}

int
main (int argc, char **argv)
{
	if (argc < 2 || !parse_script (argv[1]) || !find_function ("Main")) {
		fprintf (stderr, "usage: embed SCRIPT [MODULE[:ARGS]]...   where SCRIPT defines Main\n");
		return 2;
	}
	if (start_profiling (argv + 2) != MONOCLE_OK)
		return 1;
	announce_thread ();
	monocle_raise_runtime_initialized ();
	announce_image (argv[1]);
	run (find_function ("Main"));
	fflush (stdout);
	end_profiling ();
	return 0;
}
