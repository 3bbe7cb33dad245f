/*
 * SPDX-License-Identifier: MIT
 *
 * keeper.c - keeps every record it ever sees, and asks old ones again: what they answered first is what they must
 * answer for ever, whatever the runtime has unloaded since.
 *
 * Options, comma separated: `output=FILE` (name <tab> value lines, written at the end), `probes` (calls of the images
 * whose name starts with "guest" are counted too), `loads` (does not ask for classes, which costs the runtime much),
 * `names=PREFIX` (the methods of images whose name starts so are written out: image, name, base class, order in which
 * the image came, and the order and file of the image that the first parameter's class is in).
 *
 * A record is kept with a hash of what it is called. Whenever an image goes, records from all of the past are asked
 * again; at the end all are. `size ROUND BYTES` lines are the core's memory for records, as images go.
 */
#include <inttypes.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <mono/metadata/appdomain.h>
#include <mono/metadata/assembly.h>
#include <mono/metadata/class.h>
#include <mono/metadata/debug-helpers.h>
#include <mono/metadata/image.h>
#include <mono/metadata/metadata.h>
#include <mono/metadata/profiler.h>

/* The host's: how many bytes its records take. Not on Mono. */
extern uint64_t monocle_records_size (void) __attribute__ ((weak));

typedef enum { IMAGE, ASSEMBLY, CLASS, METHOD, SIGNATURE, FIELD, TYPE, JIT_INFO, KINDS } kind;

static const char *const kind_names[] = { "image", "assembly", "class", "method", "signature", "field", "type", "jit" };

typedef struct {
	void *_Atomic record; /* written last */
	uint32_t kind, hash;
} kept;

enum { KEPT_MAX = 1 << 25, SAMPLES_MAX = 1 << 10, ASKED_PER_UNLOAD = 200 };

struct _MonoProfiler {
	char *output, *prefix;
	bool probes, loads;
	kept *list; /* of KEPT_MAX, mapped without reserve */
	_Atomic uint32_t count;
	_Atomic uint64_t asked, wrong, dropped, enters, leaves, unloaded[KINDS];
	struct {
		uint64_t unloads, size, methods;
	} samples[SAMPLES_MAX];
	unsigned sample_count;
};

static struct _MonoProfiler profiler;

MONO_API void mono_profiler_init_keeper (const char *desc);

static uint32_t
hash_text (uint32_t hash, const char *text)
{
	for (; text && *text; text++)
		hash = (hash ^ (unsigned char) *text) * 16777619u;
	return hash * 16777619u;
}

static uint32_t
hash_owned (uint32_t hash, char *text)
{
	hash = hash_text (hash, text);
	mono_free (text);
	return hash;
}

static uint32_t
hash_image (MonoImage *image)
{
	return hash_text (hash_text (hash_text (1, mono_image_get_name (image)), mono_image_get_filename (image)),
	                  mono_image_get_guid (image));
}

static uint32_t
hash_class (MonoClass *klass)
{
	uint32_t hash = hash_text (hash_text (2, mono_class_get_name (klass)), mono_class_get_namespace (klass));
	MonoClass *parent = mono_class_get_parent (klass);
	hash += mono_class_get_type_token (klass) + mono_class_get_flags (klass) * 3;
	return parent ? hash_text (hash, mono_class_get_name (parent)) : hash;
}

static uint32_t
hash_method (MonoMethod *method)
{
	uint32_t iflags = 0, hash = hash_owned (3, mono_method_full_name (method, 1));
	hash += mono_method_get_flags (method, &iflags);
	return hash + iflags * 3 + mono_method_get_token (method) * 5;
}

static uint32_t
hash_signature (MonoMethodSignature *signature)
{
	uint32_t hash = mono_signature_get_param_count (signature);
	void *iter = NULL;
	for (MonoType *type; (type = mono_signature_get_params (signature, &iter));)
		hash = hash_owned (hash, mono_type_full_name (type));
	return hash_owned (hash, mono_type_full_name (mono_signature_get_return_type (signature)));
}

static uint32_t
hash_field (MonoClassField *field)
{
	return hash_text (mono_field_get_flags (field), mono_field_get_name (field));
}

static uint32_t
hash_jit_info (MonoJitInfo *info)
{
	return (uint32_t) (uintptr_t) mono_jit_info_get_code_start (info) + (uint32_t) mono_jit_info_get_code_size (info) +
	       hash_method (mono_jit_info_get_method (info));
}

static uint32_t
hash_of (kind what, void *record)
{
	switch (what) {
	case IMAGE: return hash_image (record);
	case ASSEMBLY: return hash_owned (4, mono_stringify_assembly_name (mono_assembly_get_name (record)));
	case CLASS: return hash_class (record);
	case METHOD: return hash_method (record);
	case SIGNATURE: return hash_signature (record);
	case FIELD: return hash_field (record);
	case TYPE: return hash_owned (5, mono_type_full_name (record));
	default: return hash_jit_info (record);
	}
}

static void
keep (kind what, void *record)
{
	if (!record)
		return;
	uint32_t hash = hash_of (what, record), at = atomic_fetch_add (&profiler.count, 1);
	if (at >= KEPT_MAX) {
		atomic_fetch_add (&profiler.dropped, 1);
		return;
	}
	profiler.list[at].kind = what;
	profiler.list[at].hash = hash;
	atomic_store_explicit (&profiler.list[at].record, record, memory_order_release);
}

static void
ask_again (uint32_t at)
{
	kept *old = &profiler.list[at];
	void *record = atomic_load_explicit (&old->record, memory_order_acquire);
	if (!record)
		return;
	atomic_fetch_add (&profiler.asked, 1);
	if (hash_of (old->kind, record) == old->hash)
		return;
	if (atomic_fetch_add (&profiler.wrong, 1) < 10)
		fprintf (stderr, "keeper: a %s changed its answers: %s\n", kind_names[old->kind],
		         old->kind == METHOD  ? mono_method_full_name (record, 1)
		         : old->kind == CLASS ? mono_class_get_name (record)
		                              : "");
}

static uint32_t
count_kept (void)
{
	uint32_t count = atomic_load (&profiler.count);
	return count < KEPT_MAX ? count : KEPT_MAX;
}

/* --- events ------------------------------------------------------------------------------------------------------- */

static void
image_loaded (MonoProfiler *prof, MonoImage *image)
{
	keep (IMAGE, image);
}

static void
assembly_loaded (MonoProfiler *prof, MonoAssembly *assembly)
{
	keep (ASSEMBLY, assembly);
}

static void
class_loaded (MonoProfiler *prof, MonoClass *klass)
{
	void *iter = NULL;
	keep (CLASS, klass);
	keep (TYPE, mono_class_get_type (klass));
	for (MonoClassField *field; (field = mono_class_get_fields (klass, &iter));)
		keep (FIELD, field);
}

static void
jit_done (MonoProfiler *prof, MonoMethod *method, MonoJitInfo *info)
{
	keep (METHOD, method);
	keep (SIGNATURE, mono_method_signature (method));
	keep (CLASS, mono_method_get_class (method));
	keep (JIT_INFO, info);
}

static void
take_sample (uint64_t unloads)
{
	if (profiler.sample_count == SAMPLES_MAX || !monocle_records_size)
		return;
	profiler.samples[profiler.sample_count].unloads = unloads;
	profiler.samples[profiler.sample_count].methods = atomic_load (&profiler.count);
	profiler.samples[profiler.sample_count++].size = monocle_records_size ();
}

/* Images go one at a time: the runtime has one thread for that. */
static void
image_unloaded (MonoProfiler *prof, MonoImage *image)
{
	static uint64_t seed = 1;
	uint64_t unloads = atomic_fetch_add (&profiler.unloaded[IMAGE], 1) + 1;
	keep (IMAGE, image);
	for (int i = 0; i < ASKED_PER_UNLOAD; i++) {
		seed = seed * UINT64_C (6364136223846793005) + 1442695040888963407;
		ask_again ((uint32_t) (seed >> 33) % count_kept ());
	}
	if (unloads % 50 == 0)
		take_sample (unloads);
}

static void
assembly_unloaded (MonoProfiler *prof, MonoAssembly *assembly)
{
	atomic_fetch_add (&profiler.unloaded[ASSEMBLY], 1);
	keep (ASSEMBLY, assembly);
}

static void
method_enter (MonoProfiler *prof, MonoMethod *method, MonoProfilerCallContext *context)
{
	atomic_fetch_add_explicit (&profiler.enters, 1, memory_order_relaxed);
}

static void
method_leave (MonoProfiler *prof, MonoMethod *method, MonoProfilerCallContext *context)
{
	atomic_fetch_add_explicit (&profiler.leaves, 1, memory_order_relaxed);
}

static void
method_exception_leave (MonoProfiler *prof, MonoMethod *method, MonoObject *exception)
{
	atomic_fetch_add_explicit (&profiler.leaves, 1, memory_order_relaxed);
}

static MonoProfilerCallInstrumentationFlags
call_filter (MonoProfiler *prof, MonoMethod *method)
{
	MonoClass *klass = mono_method_get_class (method);
	MonoImage *image = klass ? mono_class_get_image (klass) : NULL;
	const char *name = image ? mono_image_get_name (image) : NULL;
	if (!name || strncmp (name, "guest", 5))
		return MONO_PROFILER_CALL_INSTRUMENTATION_NONE;
	return MONO_PROFILER_CALL_INSTRUMENTATION_ENTER | MONO_PROFILER_CALL_INSTRUMENTATION_LEAVE |
	       MONO_PROFILER_CALL_INSTRUMENTATION_EXCEPTION_LEAVE;
}

/* --- the report --------------------------------------------------------------------------------------------------- */

static MonoImage *
first_parameter_image (MonoMethod *method)
{
	void *iter = NULL;
	MonoType *type = mono_signature_get_params (mono_method_signature (method), &iter);
	return type ? mono_class_get_image (mono_class_from_mono_type (type)) : NULL;
}

/* Which of the images this is, from 0, as they came; -1: none. */
static int
order_of (const MonoImage *image)
{
	int order = 0;
	for (uint32_t i = 0; image && i < count_kept (); i++) {
		if (profiler.list[i].record == (void *) image)
			return order;
		order += profiler.list[i].kind == IMAGE;
	}
	return -1;
}

static void
write_name (FILE *out, MonoMethod *method)
{
	MonoClass *klass = mono_method_get_class (method);
	MonoImage *image = klass ? mono_class_get_image (klass) : NULL;
	const char *image_name = image ? mono_image_get_name (image) : NULL;
	if (!image_name || strncmp (image_name, profiler.prefix, strlen (profiler.prefix)))
		return;
	MonoClass *parent = mono_class_get_parent (klass);
	char *name = mono_method_full_name (method, 1);
	MonoImage *target = first_parameter_image (method);
	fprintf (out, "name\t%s\t%s\t%s\t%d\t%d\t%s\n", image_name, name, parent ? mono_class_get_name (parent) : "",
	         order_of (image), order_of (target), target ? mono_image_get_filename (target) : "");
	mono_free (name);
}

static void
shutdown_end (MonoProfiler *prof)
{
	uint64_t kinds[KINDS] = { 0 };
	FILE *out = profiler.output ? fopen (profiler.output, "w") : stdout;
	for (uint32_t i = 0; i < count_kept (); i++) {
		kinds[profiler.list[i].kind]++;
		ask_again (i);
	}
	take_sample (atomic_load (&profiler.unloaded[IMAGE]));
	if (!out)
		return;
	for (int i = 0; i < KINDS; i++)
		fprintf (out, "%s\t%" PRIu64 "\n", kind_names[i], kinds[i]);
	fprintf (out, "asked\t%" PRIu64 "\nwrong\t%" PRIu64 "\ndropped\t%" PRIu64 "\n", atomic_load (&profiler.asked),
	         atomic_load (&profiler.wrong), atomic_load (&profiler.dropped));
	fprintf (out, "images unloaded\t%" PRIu64 "\nassemblies unloaded\t%" PRIu64 "\n",
	         atomic_load (&profiler.unloaded[IMAGE]), atomic_load (&profiler.unloaded[ASSEMBLY]));
	fprintf (out, "enters\t%" PRIu64 "\nleaves\t%" PRIu64 "\n", atomic_load (&profiler.enters),
	         atomic_load (&profiler.leaves));
	for (uint32_t i = 0; profiler.prefix && i < count_kept (); i++)
		if (profiler.list[i].kind == METHOD)
			write_name (out, profiler.list[i].record);
	for (unsigned i = 0; i < profiler.sample_count; i++)
		fprintf (out, "size\t%" PRIu64 "\t%" PRIu64 "\t%" PRIu64 "\n", profiler.samples[i].unloads,
		         profiler.samples[i].size, profiler.samples[i].methods);
	fclose (out);
}

static bool
parse (char *options)
{
	for (char *word = strtok (options, ","); word; word = strtok (NULL, ",")) {
		if (strncmp (word, "output=", 7) == 0)
			profiler.output = strdup (word + 7);
		else if (strncmp (word, "names=", 6) == 0)
			profiler.prefix = strdup (word + 6);
		else if (strcmp (word, "probes") == 0)
			profiler.probes = true;
		else if (strcmp (word, "loads") == 0)
			profiler.loads = true;
		else
			return false;
	}
	return true;
}

static void
listen (MonoProfilerHandle handle)
{
	mono_profiler_set_image_loaded_callback (handle, image_loaded);
	mono_profiler_set_image_unloaded_callback (handle, image_unloaded);
	mono_profiler_set_assembly_loaded_callback (handle, assembly_loaded);
	mono_profiler_set_assembly_unloaded_callback (handle, assembly_unloaded);
	if (!profiler.loads)
		mono_profiler_set_class_loaded_callback (handle, class_loaded);
	mono_profiler_set_jit_done_callback (handle, jit_done);
	mono_profiler_set_runtime_shutdown_end_callback (handle, shutdown_end);
	if (!profiler.probes)
		return;
	mono_profiler_set_call_instrumentation_filter_callback (handle, call_filter);
	mono_profiler_set_method_enter_callback (handle, method_enter);
	mono_profiler_set_method_leave_callback (handle, method_leave);
	mono_profiler_set_method_exception_leave_callback (handle, method_exception_leave);
}

void
mono_profiler_init_keeper (const char *desc)
{
	const char *colon = desc ? strchr (desc, ':') : NULL;
	char *options = strdup (colon ? colon + 1 : "");
	if (!options || !parse (options)) {
		fprintf (stderr, "keeper: unknown option\n");
		free (options);
		return;
	}
	free (options);
	profiler.list = mmap (NULL, KEPT_MAX * sizeof *profiler.list, PROT_READ | PROT_WRITE,
	                      MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
	if (profiler.list != MAP_FAILED)
		listen (mono_profiler_create (&profiler));
}
