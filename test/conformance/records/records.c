/*
 * SPDX-License-Identifier: MIT
 *
 * records.c - reads records as modules do that were made for Mono 6.8: fields by their offsets, without asking.
 *
 * In each callback of a load event and of the JIT what is read is held against what the public functions answer
 * afterwards; "WRONG" is written where they differ. Of each method of the program's own image what was read is written,
 * as text that is the same wherever the same is true.
 */
#include <pthread.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <mono/metadata/assembly.h>
#include <mono/metadata/attrdefs.h>
#include <mono/metadata/class.h>
#include <mono/metadata/debug-helpers.h>
#include <mono/metadata/image.h>
#include <mono/metadata/profiler.h>

struct _MonoProfiler {
	FILE *out;
	unsigned classes, vtables, images, assemblies, methods;
};

static struct _MonoProfiler profiler;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

MONO_API void mono_profiler_init_records (const char *desc);

/* --- reading ------------------------------------------------------------------------------------------------------ */

enum { DEF = 1, GENERIC_DEF, INST, PARAM, ARRAY, POINTER };

static void *
pointer_at (const void *record, size_t offset)
{
	return *(void *const *) ((const char *) record + offset);
}

static uint32_t
u32_at (const void *record, size_t offset)
{
	return *(const uint32_t *) ((const char *) record + offset);
}

static uint16_t
u16_at (const void *record, size_t offset)
{
	return *(const uint16_t *) ((const char *) record + offset);
}

static uint8_t
u8_at (const void *record, size_t offset)
{
	return *((const uint8_t *) record + offset);
}

static int
kind_of (const void *klass)
{
	return u8_at (klass, 27) & 7;
}

static void put (const char *format, ...) __attribute__ ((format (printf, 1, 2)));

/* One line at a time: methods are compiled on several threads. */
static void
put (const char *format, ...)
{
	va_list arguments;
	va_start (arguments, format);
	pthread_mutex_lock (&lock);
	vfprintf (profiler.out, format, arguments);
	fputc ('\n', profiler.out);
	pthread_mutex_unlock (&lock);
	va_end (arguments);
}

static int
same_text (const char *a, const char *b)
{
	return a == b || (a && b && !strcmp (a, b));
}

static const char *
shown (const char *text)
{
	return text ? text : "(null)";
}

static void
text_is (const char *what, const char *read, const char *asked)
{
	if (!same_text (read, asked))
		put ("WRONG %s: %s, but it is %s", what, shown (read), shown (asked));
}

static void
pointer_is (const char *what, const char *whose, const void *read, const void *asked)
{
	if (read != asked)
		put ("WRONG %s of %s", what, whose);
}

static void
number_is (const char *what, const char *whose, unsigned read, unsigned asked)
{
	if (read != asked)
		put ("WRONG %s of %s: %x, but it is %x", what, whose, read, asked);
}

/* --- images ------------------------------------------------------------------------------------------------------- */

static void
check_assembly (void *assembly)
{
	MonoImage *image = pointer_at (assembly, 96);
	const char *name = pointer_at (assembly, 16), *culture = pointer_at (assembly, 24);
	const char *folder = pointer_at (assembly, 8), *file = mono_image_get_filename (image);
	uint16_t minor, build, revision, major;
	MonoAssemblyName *asked = mono_assembly_get_name (assembly);
	major = mono_assembly_name_get_version (asked, &minor, &build, &revision);
	text_is ("assembly name", name, mono_assembly_name_get_name (asked));
	text_is ("culture", culture, mono_assembly_name_get_culture (asked));
	pointer_is ("image", shown (name), image, mono_assembly_get_image (assembly));
	number_is ("version", name, u16_at (assembly, 80) << 16 | u16_at (assembly, 82), (unsigned) major << 16 | minor);
	number_is ("build", name, u16_at (assembly, 84) << 16 | u16_at (assembly, 86), (unsigned) build << 16 | revision);
	const char *token = (const char *) mono_assembly_name_get_pubkeytoken (asked);
	text_is ("token", (const char *) assembly + 48, token ? token : "");
	if (file && *file == '/' &&
	    (!folder || strncmp (file, folder, strlen (folder)) || strchr (file + strlen (folder), '/')))
		put ("WRONG folder of %s: %s", file, shown (folder));
}

static int
is_own (MonoImage *image)
{
	return image && same_text (mono_image_get_name (image), "records");
}

static void
check_image (MonoImage *image)
{
	const char *file = pointer_at (image, 32), *name = pointer_at (image, 48), *module = pointer_at (image, 56);
	const char *guid = pointer_at (image, 88);
	void *assembly = pointer_at (image, 1216);
	unsigned is_dynamic = u8_at (image, 28) & 1;
	text_is ("file", file, mono_image_get_filename (image));
	text_is ("assembly's name", name, mono_image_get_name (image));
	text_is ("guid", guid, mono_image_get_guid (image));
	pointer_is ("assembly", file, assembly, mono_image_get_assembly (image));
	number_is ("dynamic", file, is_dynamic, (unsigned) mono_image_is_dynamic (image));
	if (is_own (image))
		put ("image %s of %s, %s, dynamic %u", shown (name), shown (module), shown (guid), is_dynamic);
}

/* --- classes and types -------------------------------------------------------------------------------------------- */

static void
check_type (void *type, const char *whose, int is_byref)
{
	unsigned code = u8_at (type, 10), byref = u8_at (type, 11) >> 1 & 1;
	number_is ("by reference", whose, byref, (unsigned) is_byref);
	number_is ("type code", whose, code, (unsigned) mono_type_get_type (type));
}

/* An array's parent is there once somebody asked; on Mono always. */
static void
check_relations (MonoClass *klass, const char *name)
{
	void *element = pointer_at (klass, 0), *parent = pointer_at (klass, 40), *outer = pointer_at (klass, 48);
	if (parent || (kind_of (klass) != ARRAY && kind_of (klass) != PARAM))
		pointer_is ("parent", name, parent, mono_class_get_parent (klass));
	pointer_is ("element", name, element, mono_class_get_element_class (klass));
	pointer_is ("nesting class", name, outer, mono_class_get_nesting_type (klass));
	pointer_is ("image", name, pointer_at (klass, 56), mono_class_get_image (klass));
	number_is ("rank", name, u8_at (klass, 26), (unsigned) mono_class_get_rank (klass));
}

static void
check_class (MonoClass *klass)
{
	const char *name = pointer_at (klass, 64), *name_space = pointer_at (klass, 72);
	int kind = kind_of (klass);
	unsigned bits = u8_at (klass, 32), token = u32_at (klass, 80), flags = u32_at (klass, 224);
	check_type ((char *) klass + 160, shown (name), 1);
	check_type ((char *) klass + 176, shown (name), 0);
	check_relations (klass, shown (name));
	text_is ("class name", name, mono_class_get_name (klass));
	text_is ("namespace", name_space, mono_class_get_namespace (klass));
	number_is ("token", shown (name), token, mono_class_get_type_token (klass));
	number_is ("value type", shown (name), bits >> 2 & 1, (unsigned) mono_class_is_valuetype (klass));
	number_is ("enum", shown (name), bits >> 3 & 1, (unsigned) mono_class_is_enum (klass));
	pointer_is ("type", shown (name), (char *) klass + 176, mono_class_get_type (klass));
	if (kind == DEF || kind == GENERIC_DEF)
		number_is ("flags", shown (name), flags, mono_class_get_flags (klass));
	if (kind < DEF || kind > POINTER)
		put ("WRONG kind of %s: %d", shown (name), kind);
	if (kind == INST)
		pointer_is ("own class", shown (name), pointer_at (pointer_at (klass, 224), 32), klass);
}

/* --- text of what was read ---------------------------------------------------------------------------------------- */

typedef struct {
	char text[2048];
	size_t length;
} line;

static void add (line *to, const char *format, ...) __attribute__ ((format (printf, 2, 3)));

static void
add (line *to, const char *format, ...)
{
	va_list arguments;
	va_start (arguments, format);
	if (to->length < sizeof to->text)
		to->length += (size_t) vsnprintf (to->text + to->length, sizeof to->text - to->length, format, arguments);
	va_end (arguments);
}

static void add_class (line *to, void *klass, int depth);

static void
add_arguments (line *to, const void *inst, int depth)
{
	uint32_t count = inst ? u32_at (inst, 4) & 0x3fffff : 0;
	add (to, "<");
	for (uint32_t i = 0; i < count; i++) {
		void *type = pointer_at (inst, 8 + 8 * i);
		add (to, "%s%x ", i ? "," : "", u8_at (type, 10));
		add_class (to, mono_class_from_mono_type (type), depth + 1);
	}
	add (to, ">");
}

/* Only the program's own classes hold the same on every runtime. */
static void
add_class (line *to, void *klass, int depth)
{
	int kind = kind_of (klass);
	void *outer = pointer_at (klass, 48), *element = pointer_at (klass, 0);
	if (outer && depth < 8) {
		add_class (to, outer, depth + 1);
		add (to, "/");
	}
	add (to, "%s.%s", (char *) pointer_at (klass, 72), (char *) pointer_at (klass, 64));
	if (kind == INST)
		add_arguments (to, pointer_at (pointer_at (klass, 224), 8), depth);
	if (element != klass && depth < 8) {
		add (to, " of ");
		add_class (to, element, depth + 1);
	}
	if (is_own (pointer_at (klass, 56)))
		add (to, " {kind %d, rank %u, token %x, bits %u}", kind, u8_at (klass, 26), u32_at (klass, 80),
		     u8_at (klass, 32) >> 2 & 3);
}

/* --- methods ------------------------------------------------------------------------------------------------------ */

static void
check_signature (MonoMethod *method, const char *name, line *to)
{
	MonoMethodSignature *signature = mono_method_signature (method);
	void *iter = NULL;
	unsigned count = u16_at (signature, 8), i = 0;
	number_is ("parameters", name, count, mono_signature_get_param_count (signature));
	number_is ("this", name, u8_at (signature, 14) >> 6 & 1, (unsigned) mono_signature_is_instance (signature));
	number_is ("vararg start", name, u16_at (signature, 10), (uint16_t) mono_signature_vararg_start (signature));
	pointer_is ("result", name, pointer_at (signature, 0), mono_signature_get_return_type (signature));
	pointer_is ("signature", name, pointer_at (method, 16), signature);
	add (to, " %x (", u8_at (pointer_at (signature, 0), 10));
	for (MonoType *type; (type = mono_signature_get_params (signature, &iter)); i++) {
		pointer_is ("parameter", name, pointer_at (signature, 16 + 8 * i), type);
		check_type (type, name, mono_type_is_byref (type));
		add (to, "%s%x%s", i ? "," : "", u8_at (type, 10), u8_at (type, 11) & 2 ? "&" : "");
	}
	add (to, ")");
}

static void
check_method (MonoMethod *method)
{
	static const char wrapper_word[] = "(wrapper ";
	MonoClass *klass = pointer_at (method, 8);
	const char *name = pointer_at (method, 24);
	unsigned bits = u32_at (method, 32), flags = u16_at (method, 0), token = u32_at (method, 4);
	int is_inflated = bits >> 12 & 1, wrapper = bits >> 2 & 31;
	line text = { .length = 0 };
	check_class (klass);
	text_is ("method name", name, mono_method_get_name (method));
	number_is ("flags", name, flags, mono_method_get_flags (method, NULL));
	number_is ("token", name, token, mono_method_get_token (method));
	pointer_is ("class", name, klass, mono_method_get_class (method));
	char *full = mono_method_full_name (method, 1);
	number_is ("wrapper", full, wrapper != 0, !strncmp (full, wrapper_word, sizeof wrapper_word - 1));
	add_class (&text, klass, 0);
	add (&text, ":%s token %x", name, token);
	if (is_inflated)
		add_arguments (&text, pointer_at (method, 72), 0);
	check_signature (method, full, &text);
	if (wrapper ? !!strstr (full, "(wrapper dynamic-method)") : is_own (mono_class_get_image (klass)))
		put ("method %s, wrapper %d, dynamic %u, generic %u, inflated %d", text.text, wrapper, bits >> 9 & 1,
		     bits >> 11 & 1, is_inflated);
	mono_free (full);
}

/* --- callbacks ---------------------------------------------------------------------------------------------------- */

static void
image_loaded (MonoProfiler *prof, MonoImage *image)
{
	__atomic_fetch_add (&prof->images, 1, __ATOMIC_RELAXED);
	check_image (image);
}

static void
assembly_loaded (MonoProfiler *prof, MonoAssembly *assembly)
{
	__atomic_fetch_add (&prof->assemblies, 1, __ATOMIC_RELAXED);
	check_assembly (assembly);
}

static void
class_loaded (MonoProfiler *prof, MonoClass *klass)
{
	__atomic_fetch_add (&prof->classes, 1, __ATOMIC_RELAXED);
	check_class (klass);
}

static void
vtable_loaded (MonoProfiler *prof, MonoVTable *vtable)
{
	__atomic_fetch_add (&prof->vtables, 1, __ATOMIC_RELAXED);
	check_class (pointer_at (vtable, 0));
}

static void
jit_done (MonoProfiler *prof, MonoMethod *method, MonoJitInfo *info)
{
	__atomic_fetch_add (&prof->methods, 1, __ATOMIC_RELAXED);
	check_method (method);
}

static void
shutdown_end (MonoProfiler *prof)
{
	put ("seen: %u classes, %u vtables, %u images, %u assemblies, %u methods", prof->classes, prof->vtables,
	     prof->images, prof->assemblies, prof->methods);
	fclose (prof->out);
}

void
mono_profiler_init_records (const char *desc)
{
	const char *path = strstr (desc, "output=");
	profiler.out = path ? fopen (path + sizeof "output=" - 1, "w") : NULL;
	if (!profiler.out)
		return;
	MonoProfilerHandle handle = mono_profiler_create (&profiler);
	mono_profiler_set_image_loaded_callback (handle, image_loaded);
	mono_profiler_set_assembly_loaded_callback (handle, assembly_loaded);
	mono_profiler_set_class_loaded_callback (handle, class_loaded);
	mono_profiler_set_vtable_loaded_callback (handle, vtable_loaded);
	mono_profiler_set_jit_done_callback (handle, jit_done);
	mono_profiler_set_runtime_shutdown_end_callback (handle, shutdown_end);
}
