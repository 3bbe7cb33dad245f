/*
 * SPDX-License-Identifier: MIT
 *
 * thread-memory.h - one block of memory per thread: what each room keeps of the thread that it runs on.
 *
 * The library has no thread-local variables (thread-word.h says why). A thread's one word says where its block is:
 *
 *      monocle__thread_memory_own () --> shadow stack's ends | unwinding, pins, under way | scratch, ... | its entries
 *                                        probes                exceptions                   who asks       probes
 *
 * Only the thread itself reads and writes its block, in its own signal handlers too; but for what is done to all of
 * them while no thread is in here (quiet.h).
 */
#ifndef MONOCLE_CLR_THREAD_MEMORY_H
#define MONOCLE_CLR_THREAD_MEMORY_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include "corprof.h"
#include "describe.h"
#include "thread-word.h"

/* --- of probes (probes/shadow.h) ---------------------------------------------------------------------------------- */

/* 8 MiB of stack hold fewer frames than this; what is deeper is counted, not stored. */
enum { MONOCLE__SHADOW_ENTRIES = 1 << 18 };

typedef struct {
	MonoMethod *method;     /* what events name: for generics the instance */
	MonoMethod *definition; /* what leave probes match */
	uintptr_t sp_flags;     /* stack pointer | MONOCLE__SHADOW_RAISES ... */
	uintptr_t ip;           /* return address of the enter probe, and where its frame is; of a segment its number */
} monocle__shadow_entry;

/* --- of exceptions ------------------------------------------------------------------------------------------------ */

/* What exceptions/exception.c remembers of the thread's second passes. */
enum { MONOCLE__UNWINDING_MAX = 128, MONOCLE__FILTERS_MAX = 32 };
typedef struct {
	struct {
		FunctionID function;
		uintptr_t sp;                 /* of the callback */
		uint32_t entry;               /* of the function on the shadow stack; UINT32_MAX: none known */
	} frames[MONOCLE__UNWINDING_MAX]; /* entered, not left yet */
	unsigned count;
	FunctionID left;                       /* reported as left, not believed yet; 0: none */
	uint32_t left_count;                   /* how often, with nothing else between */
	uint32_t left_depth;                   /* of the shadow stack at that moment */
	uint32_t floors[MONOCLE__FILTERS_MAX]; /* depth of the shadow stack when each open filter began */
	unsigned filters;
} monocle__unwinding;

/* Exceptions that must not move while they are under way (exceptions/exception.c), innermost last. */
enum { MONOCLE__PINS_MAX = 16 };
typedef struct {
	struct {
		uintptr_t sp; /* of the callback that reported the throw */
		void *held;
	} list[MONOCLE__PINS_MAX];
	uint32_t count;
} monocle__pins;

/* How far the passes of an exception came with one function that has catch blocks or filters. */
typedef struct {
	FunctionID function;        /* 0: free */
	uint32_t searched, unwound; /* how many frames of it the passes came to */
	uint32_t met;               /* which of them was the first with a clause; 0: none */
} monocle__pass;

/* One exception, from its throw until it is caught (exceptions/under-way.c). */
typedef struct {
	ObjectID object; /* stays where it is while it is held */
	void *held;
	FunctionID searched; /* the first pass is in this function */
	bool found;          /* and its handler is there */
	bool met;            /* a frame that was unwound had a clause around the place it was at */
	monocle__pass passes[8];
} monocle__under_way;

/* A filter or handler that runs. */
typedef struct {
	FunctionID function;
	uintptr_t frame, begin; /* as the runtime names them */
	uint32_t before;        /* exceptions under way when it began: what it throws comes after those */
} monocle__under_way_handler;

/* What the runtime announced and no probe has reported yet. */
typedef struct {
	MonoMethod *definition; /* NULL: nothing */
	uint32_t type;          /* fault blocks count as finally blocks */
	ObjectID object;
	void *held; /* NULL: the exception, which is still under way, holds it */
} monocle__announced;

typedef struct {
	monocle__under_way list[32]; /* innermost last */
	uint32_t count;
	monocle__under_way_handler handlers[64];
	uint32_t handler_count;
	monocle__announced announced;
} monocle__under_way_list;

/* --- of the heap -------------------------------------------------------------------------------------------------- */

/*
 * An object that the runtime names once and modules are told of twice (heap/collector.c). After a collection it may
 * have moved, and where to is not known: then modules get an object of the same class with nothing in it, which can be
 * asked for its class.
 */
typedef struct {
	MonoObject *object;
	uint32_t pauses;
	uintptr_t like[32];
} monocle__stand_in;

/* The monitor that the thread waits for (heap/monitor.c). */
typedef struct {
	uintptr_t lock;
	monocle__stand_in object;
	bool is_managed; /* `lock` is as managed-lock.h has them */
} monocle__waiting;

/* --- of images and code ------------------------------------------------------------------------------------------- */

/* The thread's open look into an image that is being written (images/emitted.c). */
typedef struct monocle__emitted_capture monocle__emitted_capture;

/* The class that the thread is unloading (images/class-load.c). */
typedef struct {
	bool is_asked; /* what is asked now must not be remembered under ids that mean something else soon */
	MonoClass *klass;
} monocle__going;

/* Where the thread's stack lies. */
typedef struct {
	uintptr_t low, high;
} monocle__thread_stack;

/* --- the block ---------------------------------------------------------------------------------------------------- */

typedef struct monocle__thread_memory {
	monocle__shadow_entry *top, *limit;
	uint64_t overflow;              /* entries that were not stored, innermost first */
	uint64_t segment, segments_end; /* the next number of a segment, and where this thread's numbers end */
	uint32_t dispatched;            /* entries up to and with the innermost dispatcher's (probes/segment.c) */
	monocle__unwinding unwinding;
	monocle__pins pins;
	monocle__describe_scratch scratch;
	monocle__emitted_capture *capture;
	monocle__going going;
	monocle__waiting waiting;
	struct monocle__thread_memory *next, *before; /* of all, under a lock of thread-memory.c */
	uintptr_t callback; /* the frame of the runtime's callback that wants stacks told well; 0: none */
	bool makes_handle;  /* a handle that is not reported is being made (heap/object.c) */
	monocle__thread_stack stack;
	monocle__under_way_list under_way;
	monocle__shadow_entry bottom; /* base[-1]: higher than every frame */
	monocle__shadow_entry base[MONOCLE__SHADOW_ENTRIES];
} monocle__thread_memory;

extern monocle__thread_word monocle__thread_memory_word;

/* NULL: the thread has none yet. Any context. */
static inline monocle__thread_memory *
monocle__thread_memory_own (void)
{
	return monocle__thread_word_get (&monocle__thread_memory_word);
}

/* Every thread's. While no other thread uses its own. */
void monocle__thread_memory_each (void (*visit) (monocle__thread_memory *memory));

/* The calling thread's, made where it has none. NULL: the kernel has no memory, the thread goes without. */
monocle__thread_memory *monocle__thread_memory_new (void);

/*
 * NULL only when the kernel has no memory. Probes and callbacks; a signal handler may call it on a thread that has its
 * memory already.
 */
static inline monocle__thread_memory *
monocle__thread_memory_get (void)
{
	monocle__thread_memory *own = monocle__thread_word_look (&monocle__thread_memory_word);
	return __builtin_expect (own != NULL, 1) ? own : monocle__thread_memory_new ();
}

/* Any context. */
bool monocle__thread_memory_exists (void);

/* Parts of it, made where there is no memory yet. NULL: the kernel has none. */
monocle__describe_scratch *monocle__thread_memory_scratch (void);
monocle__under_way_list *monocle__thread_memory_under_way (void);
monocle__pins *monocle__thread_memory_pins (void);
monocle__waiting *monocle__thread_memory_waiting (void);
monocle__going *monocle__thread_memory_going (void);
/* Never NULL. */
monocle__emitted_capture **monocle__thread_memory_capture (void);

/* NULL: no probe and no callback has needed memory here yet. */
monocle__unwinding *monocle__thread_memory_unwinding (void);

/* NULL: not known yet. Any context. */
const monocle__thread_stack *monocle__thread_memory_stack (void);
/* Not from a signal handler. */
void monocle__thread_memory_set_stack (uintptr_t low, uintptr_t high);
/* Has the stack that the caller runs on so many bytes left? Where that is not known, it has. Any context. */
static inline bool
monocle__thread_memory_has_room (size_t size)
{
	const monocle__thread_stack *own = monocle__thread_memory_stack ();
	uintptr_t here = (uintptr_t) __builtin_frame_address (0);
	return !own || here < own->low || here >= own->high || here - own->low >= size;
}

/*
 * The frame of the runtime's callback that the calling thread is in, for walks that begin there; 0: none was noted. A
 * callback notes its own and puts back what it found.
 */
uintptr_t monocle__thread_memory_callback (void);
uintptr_t monocle__thread_memory_set_callback (uintptr_t frame);

#endif
