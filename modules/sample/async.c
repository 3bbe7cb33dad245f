/*
 * SPDX-License-Identifier: MIT
 *
 * async.c - which async methods wait for which, of those that are on no thread's stack.
 *
 * What is left of a method that awaits is an object on the heap, its box: a task that holds the state machine. The task
 * knows who is to go on when it is done: most often the box of the method that awaits it. So all boxes are looked for
 * in a collection that is asked for, and who goes on after each is followed to the next box:
 *
 *      box  --m_continuationObject-->  box                                   it awaits
 *                                  |   a delegate  --_target-->  box         through a wrapper, or as ContinueWith
 *                                  |   a task  --m_continuationObject-->     Task.WhenAll, for example
 *                                  |   a list of all these                   several await it
 *      box of a ValueTask  --_valueTaskSource-->  box
 *
 * A method that the runtime itself suspends has an object of its own as well, which knows where in its code it is, and
 * whose method called it. The innermost of such a chain is known to a task:
 *
 *      task  --m_stateObject-->  suspended  --Next-->  suspended       the caller awaits it
 *        |                           |
 *        +--m_continuationObject-->  +--ResumeInfo-->  code
 *
 * The world is stopped meanwhile: boxes are copied into mappings that were made before, and nothing is asked that is
 * not for any context. What they mean is found out when the program runs again; their addresses only tell them apart.
 */
#include "sample.h"

#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

#include <mono/metadata/appdomain.h>
#include <mono/metadata/class.h>
#include <mono/metadata/image.h>
#include <mono/metadata/loader.h>
#include <mono/metadata/mono-gc.h>
#include <mono/metadata/object.h>
#include <mono/metadata/reflection.h>
#include <monocle/ext.h>

#include "async-graph.h"
#include "drain-thread.h"
#include "private-field.h"

enum {
	BOXES = 1 << 18,
	BYTES = 64 << 20,
	COPIED = 4096,   /* of one box */
	KINDS = 1 << 10, /* classes that are looked up once; others share their places */
	LINKS = 16,      /* from one box to the next */
	LISTED = 1 << 16,
	TRIES = 3,
	RUNS = 1,         /* in the place of the code of a method that runs */
	DONE = 0x1600000, /* Task's state flags of what has ended well, was cancelled, or failed */
};

typedef enum {
	OTHER,
	BOX,
	VALUE_BOX,
	MACHINE,
	RESUMABLE, /* a task of suspended methods */
	SUSPENDED,
	HIDDEN, /* one of these two, which nothing is known of */
	TASK,
	DELEGATE,
	AWAIT,
	RESUME,
	CONTINUE,
	LIST,
} kind;

/* Classes that may lie between two boxes, and where they refer to what comes next. */
static struct {
	MonoClass *task, *await, *list, *suspended;
	uint32_t flags, continuation; /* of a task */
	uint32_t target;              /* of a delegate */
	uint32_t action;              /* of what awaits with a context */
	uint32_t continued;           /* of ContinueWith */
	uint32_t items, count;        /* of a list */
	uint32_t first;               /* of a task of suspended methods, the innermost of them */
	uint32_t next, how;           /* of a suspended method: who called it, how it goes on */
	uint32_t resumed;             /* of what resumes a task of suspended methods when another task is done */
} known;

typedef struct {
	MonoClass *klass;
	uint32_t bytes, size; /* of `bytes` */
} copy;

typedef struct {
	uintptr_t object;
	copy own, machine; /* `machine`: the state machine, where it is an object, as in debug builds */
	bool is_value;     /* of a ValueTask */
	uintptr_t code;    /* of a suspended method: where it is */
	uintptr_t task;    /* of the outermost one: what they are */
	bool runs;         /* or its callers wait for one that does */
	bool is_cut;       /* it goes on where nothing is known of */
} box;

static struct {
	MonoClass *klass;
	kind kind;
} kinds[KINDS];

/* A suspended method that was met in the heap. Those that no task has suspended were called by one that runs now. */
typedef struct {
	uintptr_t object, next, code;
} suspended_method;

static box *boxes;
static suspended_method *all_suspended;
static uint8_t *bytes;
static uint32_t box_count, suspended_count, byte_count;
static uint64_t left_out;
static async_graph graph;
static atomic_bool is_wanted;
static bool is_walked;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER; /* of all of it, but in the stopped world */
static bool is_followed;                                 /* methods that the runtime itself suspends are */
static bool is_puzzled;                                  /* something was met whose offsets are not known yet */

/* --- before: normal context --------------------------------------------------------------------------------------- */

static uint32_t
offset_of (MonoClass *klass, monocle__private_id id)
{
	MonoClassField *field = private_field_of (klass, id);
	return field ? mono_field_get_offset (field) : 0;
}

static uint32_t
offset_of_state (MonoClass *klass, const char *name)
{
	MonoClassField *field = klass ? mono_class_get_field_from_name (klass, name) : NULL;
	return field ? mono_field_get_offset (field) : 0;
}

/* An offset is 0 as long as the runtime has not shown an object of the class, which a walk over the heap does. */
static void
learn (void)
{
	char list[] = "System.Collections.Generic.List`1[System.Object]";
	MonoImage *corlib = mono_get_corlib ();
	MonoType *type = mono_reflection_type_from_name (list, corlib);
	known.task = private_field_class (MONOCLE__NAME_TASK_FLAGS);
	known.await = private_field_class (MONOCLE__NAME_AWAIT_ACTION);
	known.list = type ? mono_class_from_mono_type (type) : NULL;
	known.flags = offset_of (known.task, MONOCLE__NAME_TASK_FLAGS);
	known.continuation = offset_of (known.task, MONOCLE__NAME_TASK_CONTINUATION);
	known.target = offset_of (private_field_class (MONOCLE__NAME_DELEGATE_TARGET), MONOCLE__NAME_DELEGATE_TARGET);
	known.action = offset_of (known.await, MONOCLE__NAME_AWAIT_ACTION);
	known.continued = offset_of (private_field_class (MONOCLE__NAME_CONTINUED_TASK), MONOCLE__NAME_CONTINUED_TASK);
	known.items = offset_of (known.list, MONOCLE__NAME_LIST_ITEMS);
	known.count = offset_of (known.list, MONOCLE__NAME_LIST_COUNT);
	known.first = offset_of (known.task, MONOCLE__NAME_TASK_STATE);
	known.suspended = private_field_class (MONOCLE__NAME_SUSPENDED_NEXT);
	known.next = offset_of (known.suspended, MONOCLE__NAME_SUSPENDED_NEXT);
	known.how = offset_of (known.suspended, MONOCLE__NAME_SUSPENDED_HOW);
	known.resumed = offset_of (private_field_class (MONOCLE__NAME_RESUMED_TASK), MONOCLE__NAME_RESUMED_TASK);
}

static void *
reserve (size_t size)
{
	void *memory = mmap (NULL, size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
	return memory == MAP_FAILED ? NULL : memory;
}

static void
give_back (void)
{
	if (boxes)
		munmap (boxes, BOXES * sizeof *boxes);
	if (all_suspended)
		munmap (all_suspended, BOXES * sizeof *all_suspended);
	if (bytes)
		munmap (bytes, BYTES);
	boxes = NULL;
	all_suspended = NULL;
	bytes = NULL;
	async_graph_done (&graph);
}

static bool
prepare (void)
{
	boxes = reserve (BOXES * sizeof *boxes);
	all_suspended = reserve (BOXES * sizeof *all_suspended);
	bytes = reserve (BYTES);
	box_count = suspended_count = byte_count = 0;
	left_out = 0;
	memset (kinds, 0, sizeof kinds);
	return boxes && all_suspended && bytes && async_graph_init (&graph, BOXES);
}

/* --- in the stopped world ----------------------------------------------------------------------------------------- */

static bool
is_below (MonoClass *klass, const MonoClass *wanted)
{
	while (klass && klass != wanted)
		klass = mono_class_get_parent (klass);
	return klass != NULL;
}

static kind
classify (MonoClass *klass)
{
	const char *name = mono_class_get_name (klass);
	if (private_field_is_type (name, MONOCLE__NAME_BOX_MACHINE) ||
	    private_field_is_type (name, MONOCLE__NAME_DEBUG_BOX))
		return BOX;
	if (private_field_is_type (name, MONOCLE__NAME_POOLED_BOX_MACHINE))
		return VALUE_BOX;
	if ((name[0] == '<' && name[1] != '>') || strncmp (name, "VB$StateMachine_", 16) == 0)
		return MACHINE;
	if (private_field_is_type (name, MONOCLE__NAME_SUSPENDED_TASK))
		return is_followed ? RESUMABLE : HIDDEN;
	if (private_field_is_type (name, MONOCLE__NAME_RESUMED_TASK))
		return is_followed ? RESUME : HIDDEN;
	if (is_followed && is_below (klass, known.suspended))
		return SUSPENDED;
	if (is_below (klass, known.task))
		return TASK;
	if (klass == known.list)
		return LIST;
	if (mono_class_is_delegate (klass))
		return DELEGATE;
	if (known.await && is_below (klass, known.await))
		return AWAIT;
	return known.continued && private_field_is_type (name, MONOCLE__NAME_CONTINUED_TASK) ? CONTINUE : OTHER;
}

static kind
kind_of (MonoClass *klass)
{
	size_t place = (uintptr_t) klass / 16 % KINDS;
	if (!klass)
		return OTHER;
	if (kinds[place].klass != klass) {
		kinds[place].kind = classify (klass);
		kinds[place].klass = klass;
	}
	return kinds[place].kind;
}

static uintptr_t
reference_at (uintptr_t object, uint32_t offset)
{
	is_puzzled |= !offset;
	return offset ? *(const uintptr_t *) (object + offset) : 0;
}

static uint32_t
number_at (uintptr_t object, uint32_t offset)
{
	is_puzzled |= !offset;
	return offset ? *(const uint32_t *) (object + offset) : 0;
}

/* Nothing of it, where there is no room. */
static copy
copy_of (MonoObject *object, MonoClass *klass, uintptr_t size)
{
	copy result = { klass, byte_count, (uint32_t) (size < COPIED ? size : COPIED) };
	if (byte_count + result.size > BYTES) {
		left_out++;
		result.size = 0;
	}
	memcpy (bytes + byte_count, object, result.size);
	byte_count += result.size;
	return result;
}

/*
 * Where a suspended method is in its code, the second word of what its `ResumeInfo` refers to. 0: it is none, but waits
 * for something on behalf of the one that called it.
 */
static uintptr_t
code_of (uintptr_t object)
{
	uintptr_t how = reference_at (object, known.how);
	return how ? ((const uintptr_t *) how)[1] : 0;
}

/* The innermost method that a task has suspended, or the task itself: they run. */
static uintptr_t
innermost_of (uintptr_t task)
{
	uintptr_t object = reference_at (task, known.first);
	while (object && !code_of (object))
		object = reference_at (object, known.next);
	return object ? object : task;
}

/* NULL: there is no room. */
static box *
add_box (box b)
{
	if (box_count == BOXES) {
		left_out++;
		return NULL;
	}
	boxes[box_count] = b;
	return &boxes[box_count++];
}

static void
add_edge (const box *from, uintptr_t to, uint32_t offset)
{
	left_out += !async_graph_add (&graph, (uint32_t) (from - boxes), to, offset);
}

/* All methods of a task that are suspended, each of which is a box of its own. */
static void
add_task (uintptr_t task)
{
	uintptr_t object = innermost_of (task);
	box *last = add_box ((box) { .object = object, .code = object == task ? RUNS : code_of (object) });
	while (last && object != task && (object = reference_at (object, known.next))) {
		uintptr_t code = code_of (object);
		if (!code)
			continue;
		add_edge (last, object, 0);
		last = add_box ((box) { .object = object, .code = code });
	}
	if (last)
		last->task = task;
}

static void
note_suspended (uintptr_t object)
{
	uintptr_t code = code_of (object);
	if (!code)
		return;
	if (suspended_count == BOXES)
		left_out++;
	else
		all_suspended[suspended_count++] = (suspended_method) { object, reference_at (object, known.next), code };
}

/* In a ValueTask's box `_valueTaskSource` lies before the state machine, which may refer to other boxes. */
static void
look_at_reference (box *b, MonoObject *object, uintptr_t offset)
{
	MonoClass *klass = mono_object_get_class (object);
	kind what = kind_of (klass);
	if (what == MACHINE && !b->machine.klass)
		b->machine = copy_of (object, klass, mono_object_get_size (object));
	else if (b->is_value && (what == BOX || what == VALUE_BOX))
		add_edge (b, (uintptr_t) object, (uint32_t) offset);
	else if (b->is_value && what == RESUMABLE)
		add_edge (b, innermost_of ((uintptr_t) object), (uint32_t) offset);
}

static int
on_object (MonoObject *object, MonoClass *klass, uintptr_t size, uintptr_t count, MonoObject **references,
           uintptr_t *offsets, void *data)
{
	kind what = kind_of (klass);
	bool is_task = what == BOX || what == RESUMABLE;
	if (!size || (is_task && number_at ((uintptr_t) object, known.flags) & DONE))
		return 0;
	if (what == RESUMABLE)
		add_task ((uintptr_t) object);
	else if (what == SUSPENDED)
		note_suspended ((uintptr_t) object);
	if (what != BOX && what != VALUE_BOX)
		return 0;
	box *b = add_box ((box) { .object = (uintptr_t) object, .is_value = what == VALUE_BOX });
	if (!b)
		return 0;
	b->own = copy_of (object, klass, size);
	for (uintptr_t i = 0; i < count; i++)
		look_at_reference (b, references[i], offsets[i]);
	return 0;
}

static void follow (uint32_t from, uintptr_t object, unsigned links);

static void
follow_list (uint32_t from, uintptr_t list, unsigned links)
{
	MonoArray *items = (MonoArray *) reference_at (list, known.items);
	uintptr_t count = number_at (list, known.count), room = items ? mono_array_length (items) : 0;
	for (uintptr_t i = 0; i < count && i < room && i < LISTED; i++)
		follow (from, *mono_array_addr (items, uintptr_t, i), links);
}

/* Who goes on after `object`, which goes on after the box. */
static void
follow (uint32_t from, uintptr_t object, unsigned links)
{
	kind what = object && links ? kind_of (mono_object_get_class ((MonoObject *) object)) : OTHER;
	switch (what) {
	case BOX:
	case VALUE_BOX: add_edge (&boxes[from], object, 0); break;
	case HIDDEN: boxes[from].is_cut = true; break;
	case RESUMABLE: add_edge (&boxes[from], innermost_of (object), 0); break;
	case TASK: follow (from, reference_at (object, known.continuation), links - 1); break;
	case DELEGATE: follow (from, reference_at (object, known.target), links - 1); break;
	case AWAIT: follow (from, reference_at (object, known.action), links - 1); break;
	case RESUME: follow (from, reference_at (object, known.resumed), links - 1); break;
	case CONTINUE: follow (from, reference_at (object, known.continued), links - 1); break;
	case LIST: follow_list (from, object, links - 1); break;
	case MACHINE:
	case SUSPENDED:
	case OTHER: break;
	}
}

void
async_gc_event (MonoProfiler *profiler, MonoProfilerGCEvent event, uint32_t generation, mono_bool is_serial)
{
	if (event != MONO_GC_EVENT_PRE_START_WORLD || !is_wanted || (int) generation < mono_gc_max_generation ())
		return;
	is_wanted = false;
	box_count = suspended_count = byte_count = graph.edge_count = 0;
	left_out = 0;
	is_puzzled = false;
	is_walked = mono_gc_walk_heap (0, on_object, NULL) == 0;
	for (uint32_t i = 0; i < box_count && is_walked; i++) {
		uintptr_t task = boxes[i].code ? boxes[i].task : boxes[i].object;
		if (!boxes[i].is_value && task)
			follow (i, reference_at (task, known.continuation), LINKS);
	}
}

/* --- afterwards: normal context ----------------------------------------------------------------------------------- */

/* What is to be known of all boxes of a class. */
typedef struct {
	MonoClass *klass;
	MonoMethod *method; /* NULL: no box of this class is told */
	MonoClass *type;    /* the state machine's */
	bool is_object;     /* it is one, and lies elsewhere */
	uint32_t machine;   /* where it, or the reference to it, begins */
	uint32_t state;     /* where its state is, in the box or in its own object; 0: not known */
} machine;

static machine
describe (MonoClass *klass)
{
	machine result = { .klass = klass };
	MonoClassField *field = private_field_of (klass, MONOCLE__NAME_BOX_MACHINE);
	MonoClass *type = field ? mono_class_from_mono_type (mono_field_get_type (field)) : NULL;
	result.method = type ? mono_class_get_method_from_name (type, "MoveNext", 0) : NULL;
	if (!result.method)
		return result;
	result.type = type;
	result.is_object = !mono_class_is_valuetype (type);
	result.machine = mono_field_get_offset (field);
	uint32_t align, header = (uint32_t) (mono_class_instance_size (type) - mono_class_value_size (type, &align));
	/* C#, Visual Basic, Mono's C#; F# keeps none of one that runs. */
	uint32_t state = offset_of_state (type, "<>1__state");
	state = state ? state : offset_of_state (type, "$State");
	state = state ? state : offset_of_state (type, "$PC");
	result.state = state && !result.is_object ? result.machine + state - header : state;
	return result;
}

static int
compare_classes (const void *a, const void *b)
{
	const machine *x = a, *y = b;
	return (x->klass > y->klass) - (x->klass < y->klass);
}

/* Of all classes, in order. NULL: no memory. */
static machine *
describe_all (size_t *ret_count)
{
	size_t count = 0;
	machine *machines = calloc ((size_t) box_count + 1, sizeof *machines);
	for (uint32_t i = 0; machines && i < box_count; i++)
		machines[i].klass = boxes[i].own.klass;
	if (machines)
		qsort (machines, box_count, sizeof *machines, compare_classes);
	for (uint32_t i = 0; machines && i < box_count; i++)
		if (!count || machines[count - 1].klass != machines[i].klass)
			machines[count++] = describe (machines[i].klass);
	*ret_count = count;
	return machines;
}

/* 0: it was not copied. */
static uint64_t
copied_at (const copy *c, uint32_t offset, uint32_t size)
{
	uint64_t value = 0;
	if (offset && offset + size <= c->size)
		memcpy (&value, bytes + c->bytes + offset, size);
	return value;
}

/* One that lies in a pool, to be used again, has an empty state machine; in one that is used the builder knows it. */
static bool
is_in_use (const box *b, const machine *m)
{
	if (!b->is_value || m->is_object)
		return copied_at (&b->own, m->machine, sizeof (uintptr_t)) != 0 || !m->is_object;
	for (uint32_t at = m->machine; at + sizeof (uintptr_t) <= b->own.size; at += sizeof (uintptr_t))
		if (copied_at (&b->own, at, sizeof (uintptr_t)) == b->object)
			return true;
	return false;
}

static bool
is_running (const box *b, const machine *m)
{
	if (m->is_object && b->machine.klass != m->type)
		return false;
	return (int32_t) copied_at (m->is_object ? &b->machine : &b->own, m->state, sizeof (int32_t)) < 0;
}

/* A method that is not known has a frame all the same, and the chain goes on behind it. */
static async_box
describe_suspended (const box *b)
{
	MonoMethod *method = b->code == RUNS ? NULL : drain_thread_method_at (b->code);
	async_box result = { .object = b->object, .runs = b->runs || b->code == RUNS, .is_cut = b->is_cut };
	result.method = method ? method : (MonoMethod *) MONOCLE_KIT_FRAME_UNKNOWN;
	return result;
}

static int
compare_objects (const void *a, const void *b)
{
	const uintptr_t *x = a, *y = b; /* the first members */
	return (*x > *y) - (*x < *y);
}

/*
 * What a running method's callers are to go on with is known to the thread alone: the chain of them begins here, and
 * where it ends the task is not known that it is of. False: no memory.
 */
static bool
add_callers (void)
{
	uint32_t of_tasks = box_count;
	uintptr_t *seen = calloc ((size_t) of_tasks + 1, sizeof *seen);
	for (uint32_t i = 0; seen && i < of_tasks; i++)
		seen[i] = boxes[i].object;
	if (seen)
		qsort (seen, of_tasks, sizeof *seen, compare_objects);
	for (uint32_t i = 0; seen && i < suspended_count; i++) {
		const suspended_method *s = &all_suspended[i];
		box *b = bsearch (&s->object, seen, of_tasks, sizeof *seen, compare_objects)
		           ? NULL
		           : add_box ((box) { .object = s->object, .code = s->code, .runs = true, .is_cut = !s->next });
		if (b && s->next)
			add_edge (b, s->next, 0);
	}
	free (seen);
	return seen != NULL;
}

/* False: no memory. */
static bool
understand (void)
{
	size_t count;
	machine *machines = describe_all (&count);
	if (!machines)
		return false;
	for (uint32_t i = 0; i < box_count; i++) {
		const machine key = { .klass = boxes[i].own.klass };
		if (boxes[i].code) {
			graph.boxes[i] = describe_suspended (&boxes[i]);
			continue;
		}
		const machine *m = bsearch (&key, machines, count, sizeof *m, compare_classes);
		graph.boxes[i] = (async_box) { .object = boxes[i].object, .last_offset = m->machine };
		graph.boxes[i].method = is_in_use (&boxes[i], m) ? m->method : NULL;
		graph.boxes[i].runs = is_running (&boxes[i], m);
		graph.boxes[i].is_cut = boxes[i].is_cut;
	}
	free (machines);
	return true;
}

/*
 * After the first walk all offsets are known. A collection in the background, in which nobody can walk, comes to its
 * end while the next one waits for it.
 */
static bool
collect (void)
{
	is_walked = false;
	for (int i = 0; i < TRIES && (!is_walked || is_puzzled); i++) {
		learn ();
		is_wanted = true;
		mono_gc_collect (mono_gc_max_generation ());
		is_wanted = false;
	}
	return is_walked;
}

/* --- what is told ------------------------------------------------------------------------------------------------- */

/* Chains have a thread of their own, a number that no thread has. */
enum { ASYNC_THREAD = 1, SYNC_EACH = 1000, SYNC_MS = 1000 };

struct taker {
	monocle_kit_stacks *stacks;
	uint32_t chains;
};

static void
add_chain (void *data, const monocle_kit_frame *frames, uint32_t count)
{
	struct taker *taker = data;
	const uint64_t values[2] = { 1, 0 };
	monocle_kit_stacks_add (taker->stacks, frames, count, ASYNC_THREAD, values);
	if (++taker->chains % SYNC_EACH == 0)
		monocle_kit_stacks_sync (taker->stacks, SYNC_MS);
}

void
async_take (monocle_kit_stacks *stacks, uint32_t depth, void (*say) (void *data, const char *line), void *data)
{
	struct taker taker = { stacks, 0 };
	char text[80];
	monocle_kit_stacks_thread_name (stacks, ASYNC_THREAD, "async");
	if (!private_field_serves ("sample", MONOCLE__PRIVATE_AWAITERS))
		return;
	pthread_mutex_lock (&lock);
	MonoClass *suspended = private_field_class (MONOCLE__NAME_SUSPENDED_NEXT);
	is_followed = private_field_serves ("sample", MONOCLE__PRIVATE_SUSPENDED) &&
	              private_field_of (suspended, MONOCLE__NAME_SUSPENDED_HOW);
	bool has_memory = prepare ();
	if (has_memory && !collect ())
		say (data, "the heap could not be looked at");
	else if (!has_memory || !add_callers () || !understand () ||
	         !async_graph_chains (&graph, box_count, depth, add_chain, &taker))
		say (data, "no memory for what waits");
	snprintf (text, sizeof text, "%llu waiting methods are left out, there are too many",
	          (unsigned long long) left_out);
	if (left_out)
		say (data, text);
	give_back ();
	pthread_mutex_unlock (&lock);
}
