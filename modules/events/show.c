/*
 * SPDX-License-Identifier: MIT
 *
 * show.c - arguments as text. Nothing here allocates but for the names of methods, which are kept by address until an
 * image unloads or a dynamic method is freed; what has no name is shown as a number.
 */
#include "events.h"
#include "show.h"

#include <stdatomic.h>
#include <string.h>

#include <mono/metadata/appdomain.h>
#include <mono/metadata/assembly.h>
#include <mono/metadata/class.h>
#include <mono/metadata/debug-helpers.h>
#include <mono/metadata/image.h>
#include <mono/metadata/object.h>
#include <mono/utils/mono-publib.h>
#include <mono/jit/jit.h>

/* --- text --------------------------------------------------------------------------------------------------------- */

/* A line is one line, whatever names hold. */
void
put (text *out, const char *string)
{
	for (; *string && out->at < out->end; string++)
		*out->at++ = (unsigned char) *string < ' ' || *string == 0x7f ? '?' : *string;
}

/* Without the C library, which takes 2 KB of a stack for it. */
void
put_number (text *out, uint64_t value, unsigned base, int width, char filler)
{
	char digits[20]; /* of the largest number, in base 10 */
	int count = 0;
	do {
		digits[count++] = "0123456789abcdef"[value % base];
		value /= base;
	} while (value);
	for (int i = count; i < width && out->at < out->end; i++)
		*out->at++ = filler;
	while (count && out->at < out->end)
		*out->at++ = digits[--count];
}

static void
put_address (text *out, const void *value)
{
	put (out, "0x");
	put_number (out, (uintptr_t) value, 16, 0, '0');
}

static void
put_or_address (text *out, const char *name, const void *value)
{
	if (name && *name)
		put (out, name);
	else if (value)
		put_address (out, value);
	else
		put (out, "null");
}

/* --- methods: names by address ------------------------------------------------------------------------------------ */

enum { NAME_SLOTS = 1 << 16, NAME_PROBES = 8 };

static struct {
	_Atomic uintptr_t method;
	_Atomic (char *) name;
} names[NAME_SLOTS];

static size_t
slot_of (uintptr_t method, unsigned probe)
{
	return (size_t) (((method * (uintptr_t) 0x9e3779b97f4a7c15u) >> 40) + probe) % NAME_SLOTS;
}

static const char *
known_name (uintptr_t method)
{
	for (unsigned i = 0; i < NAME_PROBES; i++) {
		size_t slot = slot_of (method, i);
		if (atomic_load_explicit (&names[slot].method, memory_order_acquire) == method)
			return atomic_load_explicit (&names[slot].name, memory_order_acquire);
	}
	return NULL;
}

/*
 * A name that finds no slot is shown and forgotten. What is forgotten later is not freed: somebody may be reading it.
 */
static bool
keep_name (uintptr_t method, char *name)
{
	for (unsigned i = 0; i < NAME_PROBES; i++) {
		size_t slot = slot_of (method, i);
		uintptr_t none = 0;
		if (atomic_compare_exchange_strong (&names[slot].method, &none, method)) {
			atomic_store_explicit (&names[slot].name, name, memory_order_release);
			return true;
		}
	}
	return false;
}

void
show_forget_methods (void)
{
	for (size_t i = 0; i < NAME_SLOTS; i++)
		if (atomic_load_explicit (&names[i].method, memory_order_relaxed)) {
			atomic_store (&names[i].name, NULL);
			atomic_store (&names[i].method, 0);
		}
}

/* Another method may be there next. */
void
show_forget_method (MonoMethod *method)
{
	for (unsigned i = 0; i < NAME_PROBES; i++) {
		size_t slot = slot_of ((uintptr_t) method, i);
		uintptr_t expected = (uintptr_t) method;
		if (atomic_load_explicit (&names[slot].method, memory_order_relaxed) != expected)
			continue;
		atomic_store (&names[slot].name, NULL);
		atomic_compare_exchange_strong (&names[slot].method, &expected, 0);
	}
}

static void
show_method (text *out, const void *value)
{
	MonoMethod *method = *(MonoMethod *const *) value;
	const char *known = method ? known_name ((uintptr_t) method) : NULL;
	if (known || !method) {
		put_or_address (out, known, method);
		return;
	}
	char *name = mono_method_full_name (method, 1);
	put_or_address (out, name, method);
	if (!name || !keep_name ((uintptr_t) method, name))
		mono_free (name);
}

/* --- records ------------------------------------------------------------------------------------------------------ */

static void
put_class (text *out, MonoClass *klass)
{
	MonoClass *outer = mono_class_get_nesting_type (klass);
	const char *name_space = outer ? NULL : mono_class_get_namespace (klass);
	if (outer) {
		put_class (out, outer);
		put (out, "/");
	} else if (name_space && *name_space) {
		put (out, name_space);
		put (out, ".");
	}
	put_or_address (out, mono_class_get_name (klass), klass);
}

static void
show_class (text *out, const void *value)
{
	MonoClass *klass = *(MonoClass *const *) value;
	if (klass)
		put_class (out, klass);
	else
		put (out, "null");
}

static void
show_vtable (text *out, const void *value)
{
	MonoVTable *vtable = *(MonoVTable *const *) value;
	MonoClass *klass = vtable ? mono_vtable_class (vtable) : NULL;
	show_class (out, &klass);
}

static void
show_object (text *out, const void *value)
{
	MonoObject *object = *(MonoObject *const *) value;
	MonoClass *klass = object ? mono_object_get_class (object) : NULL;
	if (klass)
		put_class (out, klass);
	else
		put_or_address (out, NULL, object);
}

static void
show_image (text *out, const void *value)
{
	MonoImage *image = *(MonoImage *const *) value;
	const char *name = image ? mono_image_get_name (image) : NULL;
	put_or_address (out, name ? name : image ? mono_image_get_filename (image) : NULL, image);
}

static void
show_assembly (text *out, const void *value)
{
	MonoAssembly *assembly = *(MonoAssembly *const *) value;
	MonoImage *image = assembly ? mono_assembly_get_image (assembly) : NULL;
	show_image (out, &image);
}

/*
 * Names of what is going: on Mono an image and an assembly are freed when they are said to be unloaded, possibly long
 * after their unloading began. What finds no place is shown as an address.
 */
enum { LEAVING_MOST = 256, LEAVING_NAME = 120 };

static struct {
	_Atomic uintptr_t what; /* 0: free; 1: being written or read */
	char name[LEAVING_NAME];
} leaving[LEAVING_MOST];

static void
keep_leaving (const void *what, const char *name, size_t length)
{
	for (size_t i = 0; what && i < LEAVING_MOST; i++) {
		uintptr_t free_place = 0;
		if (!atomic_compare_exchange_strong (&leaving[i].what, &free_place, 1))
			continue;
		length = length < LEAVING_NAME - 1 ? length : LEAVING_NAME - 1;
		memcpy (leaving[i].name, name, length);
		leaving[i].name[length] = 0;
		atomic_store (&leaving[i].what, (uintptr_t) what);
		return;
	}
}

static void
show_gone (text *out, const void *value)
{
	const void *what = *(const void *const *) value;
	for (size_t i = 0; what && i < LEAVING_MOST; i++) {
		uintptr_t expected = (uintptr_t) what;
		if (!atomic_compare_exchange_strong (&leaving[i].what, &expected, 1))
			continue;
		put (out, leaving[i].name);
		atomic_store (&leaving[i].what, 0);
		return;
	}
	put_or_address (out, NULL, what);
}

static void
show_leaving_image (text *out, const void *value)
{
	const char *start = out->at;
	show_image (out, value);
	keep_leaving (*(const void *const *) value, start, (size_t) (out->at - start));
}

static void
show_leaving_assembly (text *out, const void *value)
{
	const char *start = out->at;
	show_assembly (out, value);
	keep_leaving (*(const void *const *) value, start, (size_t) (out->at - start));
}

static void
show_domain (text *out, const void *value)
{
	MonoDomain *domain = *(MonoDomain *const *) value;
	put_or_address (out, NULL, domain);
}

static void
show_address (text *out, const void *value)
{
	put_or_address (out, NULL, *(const void *const *) value);
}

static void
show_jit_info (text *out, const void *value)
{
	MonoJitInfo *info = *(MonoJitInfo *const *) value;
	if (!info) {
		put (out, "null");
		return;
	}
	put_address (out, mono_jit_info_get_code_start (info));
	put (out, "+");
	put_number (out, (uint64_t) mono_jit_info_get_code_size (info), 10, 0, ' ');
}

static void
show_text (text *out, const void *value)
{
	const char *string = *(const char *const *) value;
	put (out, string ? "\"" : "null");
	put (out, string ? string : "");
	put (out, string ? "\"" : "");
}

static void
show_allowed (text *out, const void *value)
{
	const mono_bool *allowed = *(mono_bool *const *) value;
	put (out, !allowed ? "-" : *allowed ? "yes" : "no");
}

/* --- numbers ------------------------------------------------------------------------------------------------------ */

static void
show_u32 (text *out, const void *value)
{
	put_number (out, *(const uint32_t *) value, 10, 0, ' ');
}

static void
show_u64 (text *out, const void *value)
{
	put_number (out, *(const uint64_t *) value, 10, 0, ' ');
}

static void
show_bool (text *out, const void *value)
{
	put (out, *(const mono_bool *) value ? "yes" : "no");
}

static void
show_result (text *out, const void *value)
{
	put (out, "0x");
	put_number (out, *(const uint32_t *) value, 16, 8, '0');
}

static void
put_word (text *out, uint32_t value, const char *const *words, size_t count)
{
	if (value < count && words[value])
		put (out, words[value]);
	else
		put_number (out, value, 10, 0, ' ');
}

/* An enumeration by the words of its values; those without one are numbers. */
#define WORDS(name, ...) \
	static void show_##name (text *out, const void *value) \
	{ \
		static const char *const words[] = { __VA_ARGS__ }; \
		put_word (out, *(const uint32_t *) value, words, sizeof words / sizeof *words); \
	}

/* clang-format off */
WORDS (gc_event, [0] = "start", [5] = "end", [6] = "pre-stop-world", [7] = "post-stop-world", [8] = "pre-start-world",
       [9] = "post-start-world", [10] = "pre-stop-world-locked", [11] = "post-start-world-unlocked")
WORDS (handle, "weak", "weak-track", "normal", "pinned")
WORDS (clause, [0] = "catch", [1] = "filter", [2] = "finally", [4] = "fault")
WORDS (buffer, "method", "method-trampoline", "unbox-trampoline", "imt-trampoline", "generics-trampoline",
       "specific-trampoline", "helper", "monitor", "delegate-invoke", "exception-handling")
WORDS (root, "external", "stack", "finalizer-queue", "static", "thread-static", "context-static", "gc-handle", "jit",
       "threading", "domain", "reflection", "marshal", "thread-pool", "debugger", "handle", "ephemeron", "toggleref")
WORDS (phase, "search-enter", "search-leave", "filter-enter", "filter-leave", "catcher-found", "unwind-enter",
       "unwind-leave", "finally-enter", "finally-leave", "catcher-enter", "catcher-leave")
WORDS (suspension, "suspending", "suspended", "aborted", "resuming", "resumed")
WORDS (reason, [0] = "other", [1] = "gc", [2] = "appdomain-shutdown", [3] = "code-pitching", [4] = "shutdown",
       [6] = "debugger", [7] = "gc-preparation", [8] = "rejit", [9] = "profiler")
WORDS (search, "begin", "found", "not-found")
WORDS (rejit, "begin", "end", "error")
WORDS (load, "assembly", "image", "class")
WORDS (direction, "to-native", "to-managed")
WORDS (transition, "call", "return")

static const kind kinds[] = {
	{ "MonoMethod *",               8, show_method     }, { "MonoClass *",                8, show_class      },
	{ "MonoVTable *",               8, show_vtable     }, { "MonoObject *",               8, show_object     },
	{ "MonoImage *",                8, show_image      }, { "MonoAssembly *",             8, show_assembly   },
	{ "MonoDomain *",               8, show_domain     }, { "MonoAppContext *",           8, show_address    },
	{ "MonoJitInfo *",              8, show_jit_info   }, { "MonoProfilerCallContext *",  8, show_address    },
	{ "const char *",               8, show_text       }, { "const void *",               8, show_address    },
	{ "const mono_byte *",          8, show_address    }, { "MonoObject *const *",        8, show_address    },
	{ "const mono_byte *const *",   8, show_address    }, { "const void *const *",        8, show_address    },
	{ "const uint64_t *",           8, show_address    }, { "mono_bool *",                8, show_allowed    },
	{ "uintptr_t",                  8, show_u64        }, { "uint64_t",                   8, show_u64        },
	{ "uint32_t",                   4, show_u32        }, { "int32_t",                    4, show_result     },
	{ "mono_bool",                  4, show_bool       }, { "MonoProfilerGCEvent",        4, show_gc_event   },
	{ "MonoGCHandleType",           4, show_handle     }, { "MonoExceptionEnum",          4, show_clause     },
	{ "MonoProfilerCodeBufferType", 4, show_buffer     }, { "MonoGCRootSource",           4, show_root       },
	{ "MonocleExceptionPhase",      4, show_phase      }, { "MonocleSuspensionPhase",     4, show_suspension },
	{ "MonocleSuspensionReason",    4, show_reason     }, { "MonocleCodeSearch",          4, show_search     },
	{ "MonocleRejitPhase",          4, show_rejit      }, { "MonocleLoadKind",            4, show_load       },
	{ "MonocleTransition",          4, show_direction  }, { "MonocleTransitionReason",    4, show_transition },
	{ "const MonocleAsleep *",      8, show_address    },
};
/* clang-format on */

static const kind leaving_image = { "MonoImage *", 8, show_leaving_image };
static const kind leaving_assembly = { "MonoAssembly *", 8, show_leaving_assembly };
static const kind gone = { "", 8, show_gone };

static bool
ends_with (const char *name, const char *end)
{
	size_t length = strlen (name), end_length = strlen (end);
	return length >= end_length && strcmp (name + length - end_length, end) == 0;
}

static const kind *
kind_in_event (const char *name, const kind *usual)
{
	bool is_image = usual && usual->show == show_image, is_assembly = usual && usual->show == show_assembly;
	if (is_image || is_assembly) {
		if (ends_with (name, "_unloaded"))
			return &gone;
		if (ends_with (name, "_unloading"))
			return is_image ? &leaving_image : &leaving_assembly;
	}
	return usual;
}

const kind *
kind_of (const char *name, const char *type)
{
	for (size_t i = 0; i < sizeof kinds / sizeof *kinds; i++)
		if (strcmp (kinds[i].spelled, type) == 0)
			return kind_in_event (name, &kinds[i]);
	return NULL;
}
