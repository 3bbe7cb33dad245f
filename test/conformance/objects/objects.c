/*
 * SPDX-License-Identifier: MIT
 *
 * objects.c - writes down every object that objects.cs holds, whenever that throws a Checkpoint.
 *
 * One line per field: CLASS.FIELD = VALUE, as text that is the same wherever the same values are. Objects are written
 * with their class and what is in them. Offsets and sizes, which differ between runtimes, are not written; but that
 * they agree with each other is.
 *
 * The handles that the program's objects are held by are made at one checkpoint and looked at in others.
 */
#include <inttypes.h>
#include <pthread.h>
#include <semaphore.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <mono/metadata/appdomain.h>
#include <mono/metadata/assembly.h>
#include <mono/metadata/class.h>
#include <mono/metadata/debug-helpers.h>
#include <mono/metadata/mono-gc.h>
#include <mono/metadata/opcodes.h>
#include <mono/metadata/profiler.h>
#include <mono/metadata/threads.h>
#include <mono/utils/mono-counters.h>

enum { STATIC = 0x10, LITERAL = 0x40, HAS_RVA = 0x100, DEPTH_MAX = 6, ELEMENTS_MAX = 20 };

struct _MonoProfiler {
	FILE *out;
	uint32_t strong, pinned, weak, tracking, of_kept, of_fresh;
	void *pinned_at;
	sem_t collect;
};

static struct _MonoProfiler profiler;

MONO_API void mono_profiler_init_objects (const char *desc);

#define PUT(...) fprintf (profiler.out, __VA_ARGS__)

static void put_object (MonoObject *object, int depth);

/* --- values ------------------------------------------------------------------------------------------------------- */

static void
put_string (MonoString *string)
{
	char *text = mono_string_to_utf8 (string);
	PUT ("\"%s\" length %d hash %u", text ? text : "(half a pair)", mono_string_length (string),
	     mono_string_hash (string));
	mono_free (text);
	mono_unichar2 *copy = mono_string_to_utf16 (string);
	if (memcmp (copy, mono_string_chars (string), (size_t) mono_string_length (string) * sizeof *copy))
		PUT (" BAD COPY");
	mono_free (copy);
}

static MonoClass *class_in (const char *name);

/* The bytes of a boxed value before its fields. */
static int
header_size (void)
{
	return mono_class_instance_size (class_in ("Point")) - mono_class_value_size (class_in ("Point"), NULL);
}

static void put_value (MonoType *type, const char *at, int depth);

static void
put_fields (MonoClass *klass, const char *object, int depth)
{
	MonoClass *parent = mono_class_get_parent (klass);
	void *iter = NULL;
	MonoClassField *field;
	if (parent)
		put_fields (parent, object, depth);
	while ((field = mono_class_get_fields (klass, &iter))) {
		if (mono_field_get_flags (field) & STATIC)
			continue;
		PUT (" %s:", mono_field_get_name (field));
		put_value (mono_field_get_type (field), object + mono_field_get_offset (field), depth + 1);
	}
}

static void
put_struct (MonoClass *klass, const char *at, int depth)
{
	char *name = mono_type_get_name (mono_class_get_type (klass));
	PUT ("%s{", name);
	put_fields (klass, at - header_size (), depth);
	PUT (" }");
	mono_free (name);
}

#define NUMBER(code, c_type, format) \
	case MONO_TYPE_##code: { \
		c_type value; \
		memcpy (&value, at, sizeof value); \
		PUT (format, value); \
		break; \
	}

static void
put_value (MonoType *type, const char *at, int depth)
{
	type = mono_type_get_underlying_type (type);
	switch (mono_type_get_type (type)) {
		NUMBER (BOOLEAN, uint8_t, "%d")
		NUMBER (I1, int8_t, "%d")
		NUMBER (U1, uint8_t, "%d")
		NUMBER (CHAR, uint16_t, "%d")
		NUMBER (I2, int16_t, "%d")
		NUMBER (U2, uint16_t, "%d")
		NUMBER (I4, int32_t, "%" PRId32)
		NUMBER (U4, uint32_t, "%" PRIu32)
		NUMBER (I8, int64_t, "%" PRId64)
		NUMBER (U8, uint64_t, "%" PRIu64)
		NUMBER (I, intptr_t, "%" PRIdPTR)
		NUMBER (U, uintptr_t, "%" PRIuPTR)
		NUMBER (R4, float, "%a")
		NUMBER (R8, double, "%a")
	case MONO_TYPE_VALUETYPE: put_struct (mono_class_from_mono_type (type), at, depth); break;
	case MONO_TYPE_GENERICINST:
		if (mono_class_is_valuetype (mono_class_from_mono_type (type))) {
			put_struct (mono_class_from_mono_type (type), at, depth);
			break;
		}
		/* fallthrough */
	default: {
		MonoObject *object;
		memcpy (&object, at, sizeof object);
		put_object (object, depth + 1);
	}
	}
}

static void
put_array (MonoArray *array, MonoClass *klass, int depth)
{
	MonoClass *element = mono_class_get_element_class (klass);
	int size = mono_array_element_size (klass);
	uintptr_t length = mono_array_length (array);
	PUT ("rank %d length %d", mono_class_get_rank (klass), (int) length);
	if (size != mono_class_array_element_size (element))
		PUT (" BAD ELEMENT SIZE");
	if (mono_object_get_size ((MonoObject *) array) < length * (uintptr_t) size)
		PUT (" BAD SIZE");
	PUT (" [");
	for (uintptr_t i = 0; i < length && i < ELEMENTS_MAX; i++) {
		PUT (" ");
		put_value (mono_class_get_type (element), mono_array_addr_with_size (array, size, i), depth + 1);
	}
	PUT (" ]");
}

static unsigned
end_of (MonoClassField *field)
{
	int alignment;
	return mono_field_get_offset (field) + (unsigned) mono_type_size (mono_field_get_type (field), &alignment);
}

/* What all fields end at must be within the object. */
static void
check_size (MonoObject *object, MonoClass *klass)
{
	unsigned size = mono_object_get_size (object);
	void *iter = NULL;
	MonoClassField *field;
	while ((field = mono_class_get_fields (klass, &iter)))
		if (!(mono_field_get_flags (field) & STATIC) && end_of (field) > size)
			PUT (" BAD OFFSET of %s", mono_field_get_name (field));
}

static void
put_object (MonoObject *object, int depth)
{
	if (!object || depth > DEPTH_MAX) {
		PUT (object ? "..." : "null");
		return;
	}
	MonoClass *klass = mono_object_get_class (object);
	char *name = mono_type_get_name (mono_class_get_type (klass));
	PUT ("(%s) ", name);
	mono_free (name);
	if (klass == mono_get_string_class ()) {
		put_string ((MonoString *) object);
	} else if (mono_class_get_rank (klass)) {
		put_array ((MonoArray *) object, klass, depth);
	} else if (mono_class_is_valuetype (klass)) {
		put_value (mono_class_get_type (klass), mono_object_unbox (object), depth);
	} else {
		PUT ("{");
		put_fields (klass, (const char *) object, depth);
		PUT (" }");
		check_size (object, klass);
	}
}

/* --- static fields ------------------------------------------------------------------------------------------------ */

static MonoImage *
program (void)
{
	return mono_assembly_get_image (mono_assembly_get_main ());
}

static MonoClass *
class_in (const char *name)
{
	return mono_class_from_name (program (), "", name);
}

static void
put_static (MonoClass *klass, const char *class_name, MonoClassField *field)
{
	int alignment, size = mono_type_size (mono_field_get_type (field), &alignment);
	MonoVTable *vtable = mono_class_vtable (mono_domain_get (), klass);
	char *value = malloc ((size_t) size + 8);
	memset (value, 0xEE, (size_t) size + 8);
	mono_field_static_get_value (vtable, field, value);
	PUT ("%s.%s = ", class_name, mono_field_get_name (field));
	if (mono_field_get_flags (field) & HAS_RVA)
		for (int i = 0; i < size; i++)
			PUT ("%02x", (unsigned char) value[i]);
	else
		put_value (mono_field_get_type (field), value, 0);
	for (int i = 0; i < 8; i++)
		if ((unsigned char) value[size + i] != 0xEE)
			PUT (" OVERRUN");
	PUT ("\n");
	free (value);
}

static void
put_statics (MonoClass *klass)
{
	char *name = mono_type_get_name (mono_class_get_type (klass));
	void *iter = NULL;
	MonoClassField *field;
	while ((field = mono_class_get_fields (klass, &iter)))
		if (mono_field_get_flags (field) & STATIC)
			put_static (klass, name, field);
	mono_free (name);
}

static MonoObject *
object_in (const char *class_name, const char *field_name)
{
	MonoClass *klass = class_in (class_name);
	MonoClassField *field = mono_class_get_field_from_name (klass, field_name);
	MonoObject *object = NULL;
	mono_field_static_get_value (mono_class_vtable (mono_domain_get (), klass), field, &object);
	return object;
}

static int
number_in (const char *class_name, const char *field_name)
{
	MonoClass *klass = class_in (class_name);
	MonoClassField *field = mono_class_get_field_from_name (klass, field_name);
	int number = -1;
	mono_field_static_get_value (mono_class_vtable (mono_domain_get (), klass), field, &number);
	return number;
}

/* --- the checkpoints ---------------------------------------------------------------------------------------------- */

static void
put_state (void)
{
	MonoThread *thread = mono_thread_current ();
	char *name = mono_thread_get_name_utf8 (thread);
	PUT ("collections as the program counts: %d %d\n", mono_gc_collection_count (0) == number_in ("State", "zero"),
	     mono_gc_collection_count (mono_gc_max_generation ()) == number_in ("State", "oldest"));
	PUT ("thread: %s main %d\n", name ? name : "null", thread == mono_thread_get_main ());
	mono_free (name);
}

static void
look_at_everything (void)
{
	static const char *const classes[] = {
		"Simple", "Literals",  "Texts",  "Structs",   "Boxes",
		"Arrays", "Instances", "Locals", "Untouched", "<PrivateImplementationDetails>"
	};
	static const char *const generics[] = { "ofInt", "ofText", "ofPoint", "inner", "innerLong" };
	for (size_t i = 0; i < sizeof classes / sizeof *classes; i++)
		if (class_in (classes[i]))
			put_statics (class_in (classes[i]));
	for (size_t i = 0; i < sizeof generics / sizeof *generics; i++)
		put_statics (mono_object_get_class (object_in ("Instances", generics[i])));
}

static void
make_handles (void)
{
	MonoObject *victim = object_in ("State", "victim"), *pinned = object_in ("State", "pinned");
	profiler.weak = mono_gchandle_new_weakref (victim, 0);
	profiler.tracking = mono_gchandle_new_weakref (victim, 1);
	profiler.strong = mono_gchandle_new (object_in ("State", "kept"), 0);
	profiler.of_kept = mono_gchandle_new_weakref (object_in ("State", "kept"), 0);
	profiler.pinned = mono_gchandle_new (pinned, 1);
	profiler.pinned_at = pinned;
	profiler.of_fresh = mono_gchandle_new_weakref (object_in ("State", "fresh"), 0);
	PUT ("handles: %d %d %d %d types %d %d %d %d\n", profiler.weak != 0, profiler.tracking != 0, profiler.strong != 0,
	     profiler.pinned != 0, profiler.weak & 7, profiler.tracking & 7, profiler.strong & 7, profiler.pinned & 7);
	PUT ("null: %d\n", mono_gchandle_get_target (mono_gchandle_new (NULL, 0)) == NULL);
	PUT ("generation of a new object: %d\n", mono_gc_get_generation (object_in ("State", "fresh")));
}

/* Each handle of ours is told once, with its number. */
static struct {
	uint32_t handle;
	int created, deleted;
	MonoObject *object;
} told;

/* The handles that the program makes to an object of the class Held, in order. */
static struct {
	uint32_t handle;
	MonoGCHandleType type;
	int is_target, deleted;
} held[8];

static int held_count;

static void
handle_created (MonoProfiler *prof, uint32_t handle, MonoGCHandleType type, MonoObject *object)
{
	if (object && !strcmp (mono_class_get_name (mono_object_get_class (object)), "Held") &&
	    held_count < (int) (sizeof held / sizeof *held)) {
		held[held_count].handle = handle;
		held[held_count].type = type;
		held[held_count++].is_target = mono_gchandle_get_target (handle) == object;
	}
	if (object && object == told.object) {
		told.handle = handle;
		told.created++;
	}
}

static void
handle_deleted (MonoProfiler *prof, uint32_t handle, MonoGCHandleType type)
{
	told.deleted += told.handle == handle;
	for (int i = 0; i < held_count; i++)
		if (held[i].handle == handle)
			held[i].deleted = 1 + (mono_gchandle_get_target (handle) != NULL);
}

static void
put_events (void)
{
	told.object = object_in ("State", "fresh");
	uint32_t handle = mono_gchandle_new (told.object, 0);
	PUT ("told: %d %d", told.created, told.handle == handle);
	mono_gchandle_free (handle);
	PUT (" %d\n", told.deleted);
	told.object = NULL;
}

static void
put_target (const char *name, uint32_t handle)
{
	PUT ("%s: ", name);
	put_object (mono_gchandle_get_target (handle), 0);
	PUT ("\n");
}

static void
put_held (void)
{
	MonoObject *object = object_in ("Held", "kept");
	for (int i = 0; i < held_count; i++) {
		MonoObject *target = held[i].deleted ? NULL : mono_gchandle_get_target (held[i].handle);
		PUT ("handle of the program: kind %d, its target when told %d, now %s, deleted %d\n", held[i].type,
		     held[i].is_target,
		     !target            ? "none"
		     : target == object ? "the same"
		                        : "another",
		     held[i].deleted);
	}
}

/* There was a collection, so both sizes are known. */
static void
put_targets (void)
{
	PUT ("heap: %d %d %d\n", mono_gc_get_heap_size () > 0, mono_gc_get_used_size () > 0,
	     mono_gc_get_heap_size () >= mono_gc_get_used_size ());
	MonoObject *fresh = object_in ("State", "fresh");
	put_target ("strong", profiler.strong);
	put_target ("weak, kept", profiler.of_kept);
	put_target ("weak, fresh", profiler.of_fresh);
	put_target ("weak, victim", profiler.weak);
	put_target ("pinned", profiler.pinned);
	PUT ("pinned stays: %d\n", (void *) mono_gchandle_get_target (profiler.pinned) == profiler.pinned_at);
	PUT ("the same: %d\n", mono_gchandle_get_target (profiler.of_fresh) == fresh);
	PUT ("generation of an old object: %d\n", mono_gc_get_generation (fresh) == mono_gc_max_generation ());
}

static void
free_handles (void)
{
	put_target ("tracking, finalized", profiler.tracking);
	mono_gchandle_free (profiler.strong);
	mono_gchandle_free (profiler.pinned);
	put_target ("freed", profiler.strong);
}

static void
put_casts (void)
{
	MonoObject *derived = object_in ("Instances", "derived"), *own = object_in ("Instances", "own");
	MonoClass *comparable = mono_class_from_name (mono_get_corlib (), "System", "IComparable");
	PUT ("casts: %d %d %d %d %d %d\n", mono_object_isinst (derived, class_in ("Base")) == derived,
	     mono_object_isinst (derived, class_in ("Derived")) == derived,
	     mono_object_isinst (own, class_in ("Derived")) == NULL,
	     mono_object_isinst (object_in ("Boxes", "i4"), comparable) == object_in ("Boxes", "i4"),
	     mono_object_isinst (object_in ("Boxes", "point"), comparable) == NULL,
	     mono_object_isinst (object_in ("Arrays", "texts"), mono_array_class_get (mono_get_object_class (), 1)) ==
	         object_in ("Arrays", "texts"));
}

static void
put_virtual (const char *object, MonoClass *klass, const char *method)
{
	void *iter = NULL;
	MonoMethod *own;
	while ((own = mono_class_get_methods (klass, &iter))) {
		if (strcmp (mono_method_get_name (own), method))
			continue;
		char *asked = mono_method_full_name (own, 1);
		MonoMethod *found = mono_object_get_virtual_method (object_in ("Virtuals", object), own);
		char *answer = found ? mono_method_full_name (found, 1) : NULL;
		PUT ("%s of %s: %s\n", asked, object, answer ? answer : "null");
		mono_free (asked);
		mono_free (answer);
	}
}

static MonoClass *
interface_of (const char *object, int number)
{
	void *iter = NULL;
	MonoClass *klass = mono_object_get_class (object_in ("Virtuals", object)), *found = NULL;
	for (int i = 0; i <= number; i++)
		found = mono_class_get_interfaces (klass, &iter);
	return found;
}

static void
put_virtuals (void)
{
	static const char *const objects[] = { "middle", "leaf" };
	static const char *const methods[] = { "One", "Two", "Three", "Plain", "Any", "Hidden" };
	for (size_t o = 0; o < sizeof objects / sizeof *objects; o++) {
		for (size_t m = 0; m < sizeof methods / sizeof *methods; m++) {
			put_virtual (objects[o], class_in ("Root"), methods[m]);
			put_virtual (objects[o], class_in ("IOne"), methods[m]);
			put_virtual (objects[o], class_in ("IDerived"), methods[m]);
		}
		put_virtual (objects[o], class_in ("Middle"), "Hidden");
		put_virtual (objects[o], mono_get_object_class (), "ToString");
	}
	put_virtual ("ofText", interface_of ("ofText", 0), "Of");
	put_virtual ("leaf", interface_of ("leaf", 0), "Of");
	put_virtual ("ofInt", mono_class_get_parent (mono_object_get_class (object_in ("Virtuals", "ofInt"))), "Of");
}

static void *
collector (void *nothing)
{
	mono_thread_attach (mono_get_root_domain ());
	mono_gc_collect (mono_gc_max_generation ());
	mono_thread_detach (mono_thread_current ());
	return NULL;
}

static void
collect_on_a_thread (void)
{
	pthread_t thread;
	if (pthread_create (&thread, NULL, collector, NULL) == 0)
		pthread_detach (thread);
}

/* --- opcodes ------------------------------------------------------------------------------------------------------ */

static void
put_opcode_value (int first, int second, int size)
{
	const mono_byte code[] = { (mono_byte) first, (mono_byte) second }, *at = code;
	int number = mono_opcode_value (&at, code + size);
	PUT ("opcode of %02x %02x, %d bytes: %d at %d\n", first, second, size, number, (int) (at - code));
}

static void
put_opcodes (void)
{
	for (int i = 0; i < MONO_CEE_LAST; i++)
		PUT ("opcode %d: %s %d %d %d\n", i, mono_opcode_name (i), mono_opcodes[i].argument, mono_opcodes[i].flow_type,
		     mono_opcodes[i].opval);
	put_opcode_value (0x2a, 0, 2);
	put_opcode_value (0xfe, 1, 2);
	put_opcode_value (0xfe, 1, 1);
	put_opcode_value (MONO_CUSTOM_PREFIX, 3, 2);
	put_opcode_value (MONO_CUSTOM_PREFIX, 3, 1);
	put_opcode_value (0xff, 3, 2);
	put_opcode_value (0, 0, 0);
}

/* --- threads of the module's own ---------------------------------------------------------------------------------- */

static _Atomic (uintptr_t) own_thread; /* the one that runs; one at a time, and it is waited for */
static int (*entry) (int number);      /* of managed code */

#define ON_THREAD(event) \
	static void thread_##event (MonoProfiler *prof, uintptr_t tid) \
	{ \
		if (tid == own_thread) \
			PUT (" %s%s", #event, tid == (uintptr_t) pthread_self () ? "" : "(elsewhere)"); \
	}
ON_THREAD (started)
ON_THREAD (stopping)
ON_THREAD (stopped)
ON_THREAD (exited)

static MonoThread *
attach_own (void)
{
	own_thread = (uintptr_t) pthread_self ();
	MonoThread *thread = mono_thread_attach (mono_get_root_domain ());
	PUT (" [attached%s]", thread == mono_thread_current () ? "" : " BAD thread");
	return thread;
}

static void *
detaches (void *nothing)
{
	MonoThread *thread = attach_own ();
	if (attach_own () != thread)
		PUT (" BAD second attach");
	mono_thread_detach (thread);
	PUT (" [detached]");
	mono_thread_detach (attach_own ());
	PUT (" [detached]");
	return NULL;
}

static void *
ends_attached (void *nothing)
{
	attach_own ();
	return NULL;
}

/* The runtime makes it one of its own then, which changes nothing. */
static void *
runs_managed_code (void *nothing)
{
	MonoThread *thread = attach_own ();
	PUT (" [returned %d]", entry (20));
	mono_thread_detach (thread);
	PUT (" [detached]");
	return NULL;
}

static void *
runs_managed_code_and_ends (void *nothing)
{
	attach_own ();
	PUT (" [returned %d]", entry (30));
	return NULL;
}

static void *
is_tool (void *nothing)
{
	own_thread = (uintptr_t) pthread_self ();
	mono_threads_attach_tools_thread ();
	PUT (" [attached]");
	return NULL;
}

static void
own_threads (void)
{
	static const struct {
		const char *name;
		void *(*run) (void *);
	} kinds[] = {
		{ "detaches", detaches },
		{ "ends attached", ends_attached },
		{ "runs managed code", runs_managed_code },
		{ "runs managed code and ends", runs_managed_code_and_ends },
		{ "is a tool", is_tool },
		{ "detaches again", detaches },
	};
	entry = (int (*) (int)) (intptr_t) object_in ("Native", "entry");
	for (size_t i = 0; i < sizeof kinds / sizeof *kinds; i++) {
		pthread_t thread;
		PUT ("own thread %s:", kinds[i].name);
		if (pthread_create (&thread, NULL, kinds[i].run, NULL) == 0)
			pthread_join (thread, NULL);
		own_thread = 0;
		PUT ("\n");
	}
}

static void
collect (void)
{
	mono_gc_collect (mono_gc_max_generation ());
}

static void
look_at_thread (void)
{
	put_statics (class_in ("Locals"));
}

static const struct {
	const char *name;
	void (*look) (void);
} checkpoints[] = {
	{ "everything", look_at_everything },
	{ "everything", put_casts },
	{ "everything", put_virtuals },
	{ "everything", put_opcodes },
	{ "thread", look_at_thread },
	{ "handles made", make_handles },
	{ "handles checked", put_targets },
	{ "handles checked", put_events },
	{ "handles freed", free_handles },
	{ "handles of the program", put_held },
	{ "own threads", own_threads },
	{ "collect", collect },
	{ "collect on a thread", collect_on_a_thread },
};

/* --- in a call probe ----------------------------------------------------------------------------------------------
 * There the runtime refuses most questions, but objects may be looked at, and be held.
 */

static MonoProfilerCallInstrumentationFlags
call_filter (MonoProfiler *prof, MonoMethod *method)
{
	return strcmp (mono_method_get_name (method), "Probed") ? MONO_PROFILER_CALL_INSTRUMENTATION_NONE
	                                                        : MONO_PROFILER_CALL_INSTRUMENTATION_ENTER;
}

/* The beginnings of Mono's own records, as modules have copied them. */
typedef struct {
	uint16_t flags, iflags;
	uint32_t token;
	MonoClass *klass;
	MonoMethodSignature *signature;
	const char *name;
} raw_method;

typedef struct {
	MonoMethod *method;
	void *next;
	char *start;
	uint32_t unwind;
	int32_t size;
} raw_code;

static void
put_record (MonoMethod *method)
{
	MonoMethodSignature *signature = mono_method_signature (method);
	const raw_method *raw = (const raw_method *) method;
	uint32_t iflags, flags = mono_method_get_flags (method, &iflags);
	PUT ("record: %d %d %d %d %d %d\n", raw->flags == flags, raw->iflags == iflags,
	     raw->token == mono_method_get_token (method), raw->klass == mono_method_get_class (method),
	     raw->signature == signature, !strcmp (raw->name, mono_method_get_name (method)));
}

/* Nothing was asked of the method before. */
static void
jit_done (MonoProfiler *prof, MonoMethod *method, MonoJitInfo *code)
{
	static int once;
	const raw_method *raw = (const raw_method *) method;
	const raw_code *own = (const raw_code *) code;
	if (!raw->name || strcmp (raw->name, "Probed") || !code || once++)
		return;
	PUT ("--- code\n");
	PUT ("record: %d %d %d\n", own->method == mono_jit_info_get_method (code),
	     own->start == mono_jit_info_get_code_start (code), own->size == mono_jit_info_get_code_size (code));
	put_record (method);
}

static void
method_enter (MonoProfiler *prof, MonoMethod *method, MonoProfilerCallContext *context)
{
	static uint32_t strong, weak;
	MonoObject *fresh = object_in ("State", "fresh");
	PUT ("--- probe\n");
	put_static (class_in ("Simple"), "Simple", mono_class_get_field_from_name (class_in ("Simple"), "i4"));
	put_static (class_in ("Locals"), "Locals", mono_class_get_field_from_name (class_in ("Locals"), "text"));
	put_static (class_in ("Arrays"), "Arrays", mono_class_get_field_from_name (class_in ("Arrays"), "square"));
	PUT ("sizes: %d %d\n", mono_object_get_size (fresh) > 0, mono_object_get_size (object_in ("Texts", "made")) > 600);
	if (strong) {
		PUT ("held: %d %d\n", mono_gchandle_get_target (strong) == fresh, mono_gchandle_get_target (weak) == fresh);
		mono_gchandle_free (strong);
		mono_gchandle_free (weak);
	}
	strong = mono_gchandle_new (fresh, 0);
	weak = mono_gchandle_new_weakref (fresh, 0);
	PUT ("handles: %d %d\n", strong != 0, weak != 0);
	put_record (method);
	put_target ("strong", strong);
	put_object (fresh, 0);
	PUT ("\n");
	fflush (profiler.out);
}

/* The exception's message is a field of its class library's own; its first string is the program's word. */
static char *
word_of (MonoObject *exception)
{
	MonoClassField *field = mono_class_get_field_from_name (mono_get_exception_class (), "_message");
	MonoObject *message = NULL;
	mono_field_get_value (exception, field, &message);
	return mono_string_to_utf8 ((MonoString *) message);
}

static MonoVTable *checkpoint; /* as announced */

static void
vtable_loaded (MonoProfiler *prof, MonoVTable *vtable)
{
	if (!strcmp (mono_class_get_name (mono_vtable_class (vtable)), "Checkpoint"))
		checkpoint = vtable;
}

static void
exception_throw (MonoProfiler *prof, MonoObject *exception)
{
	if (strcmp (mono_class_get_name (mono_object_get_class (exception)), "Checkpoint"))
		return;
	if (!checkpoint || mono_object_get_vtable (exception) != checkpoint)
		PUT ("BAD vtable: not the one that was announced\n");
	char *word = word_of (exception);
	PUT ("--- %s\n", word ? word : "?");
	put_state ();
	for (size_t i = 0; word && i < sizeof checkpoints / sizeof *checkpoints; i++)
		if (!strcmp (word, checkpoints[i].name))
			checkpoints[i].look ();
	mono_free (word);
	fflush (profiler.out);
}

/* --- what is installed in the init window, and counters ----------------------------------------------------------- */

static int cleanups, announced;

/* Mono calls the hooks of the program's own assembly once more after it was announced. */
static void
load_hook (MonoAssembly *assembly, void *user_data)
{
	if (!announced && !strcmp (mono_image_get_name (mono_assembly_get_image (assembly)), "objects"))
		PUT ("hook: %s\n", (const char *) user_data);
}

static void
put_counters (void)
{
	static int32_t number = -7;
	static int64_t ticks = 12345678;
	mono_counters_register ("objects: number", MONO_COUNTER_INTERP | MONO_COUNTER_INT, &number);
	mono_counters_register ("objects: ticks", MONO_COUNTER_INTERP | MONO_COUNTER_LONG | MONO_COUNTER_TIME, &ticks);
	mono_counters_dump (MONO_COUNTER_INTERP, profiler.out);
	mono_counters_enable (MONO_COUNTER_INTERP);
	mono_counters_dump (MONO_COUNTER_INTERP, profiler.out);
	/* Real Mono would print them on stdout at the end. */
	mono_counters_enable (0);
}

static void
assembly_loaded (MonoProfiler *prof, MonoAssembly *assembly)
{
	if (announced || strcmp (mono_image_get_name (mono_assembly_get_image (assembly)), "objects"))
		return;
	announced = 1;
	PUT ("assembly_loaded\n");
	put_counters ();
}

static void
cleanup (MonoDomain *domain, void *user_data)
{
	cleanups += domain == mono_get_root_domain () && !user_data;
}

static void
shutdown_end (MonoProfiler *prof)
{
	PUT ("cleanups: %d\n", cleanups);
	fflush (profiler.out);
}

void
mono_profiler_init_objects (const char *desc)
{
	const char *path = strstr (desc, "output=");
	profiler.out = fopen (path ? path + strlen ("output=") : "/dev/null", "w");
	if (!profiler.out) {
		perror (desc);
		exit (1);
	}
	MonoProfilerHandle handle = mono_profiler_create (&profiler);
	mono_profiler_set_exception_throw_callback (handle, exception_throw);
	mono_profiler_set_call_instrumentation_filter_callback (handle, call_filter);
	mono_profiler_set_method_enter_callback (handle, method_enter);
	mono_profiler_set_jit_done_callback (handle, jit_done);
	mono_profiler_set_gc_handle_created_callback (handle, handle_created);
	mono_profiler_set_gc_handle_deleted_callback (handle, handle_deleted);
	mono_profiler_set_thread_started_callback (handle, thread_started);
	mono_profiler_set_thread_stopping_callback (handle, thread_stopping);
	mono_profiler_set_thread_stopped_callback (handle, thread_stopped);
	mono_profiler_set_thread_exited_callback (handle, thread_exited);
	mono_profiler_set_assembly_loaded_callback (handle, assembly_loaded);
	mono_profiler_set_vtable_loaded_callback (handle, vtable_loaded);
	mono_profiler_set_runtime_shutdown_end_callback (handle, shutdown_end);
	mono_install_assembly_load_hook (load_hook, "one");
	mono_install_assembly_load_hook (load_hook, "two");
	mono_install_assembly_load_hook (load_hook, "two");
	mono_install_runtime_cleanup (cleanup);
}
