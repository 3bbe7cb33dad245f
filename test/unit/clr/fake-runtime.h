/*
 * SPDX-License-Identifier: MIT
 *
 * fake-runtime.h - a CLR without code: it answers the questions that the adapter asks from records that a test writes,
 * and its images are real ones, read from files.
 */
#ifndef MONOCLE_TEST_FAKE_RUNTIME_H
#define MONOCLE_TEST_FAKE_RUNTIME_H

#include <sched.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <uchar.h>
#include "state.h"

enum { FAKE_ARGUMENTS = 4 };

/* Ids are addresses of these. */
typedef struct {
	uint8_t *data; /* the file as it lies on disk; NULL: the runtime does not know the module */
	size_t size;
	const char16_t *path;
	DWORD flags;
	bool is_mapped; /* `data` is laid out as a loader does it */
	/* The runtime frees it, or has done so. A question about it then ends the process, as it may end a program. */
	atomic_bool is_going, is_gone;
	atomic_bool is_unlisted; /* what is about to be unloaded stands on no new list of the runtime's */
} fake_module;

typedef struct {
	fake_module *module; /* NULL: an array */
	mdToken token;
	uint32_t count;
	ClassID arguments[FAKE_ARGUMENTS];
	CorElementType element; /* of an array */
	ClassID element_class;
	ULONG rank;
} fake_class;

/* Machine code; its id is where it starts, its own address. */
typedef struct {
	ULONG size;
	const COR_DEBUG_IL_TO_NATIVE_MAP *map; /* NULL: the runtime keeps none */
	ULONG32 count;
} fake_body;

enum { FAKE_BODIES = 4 };

typedef struct {
	fake_module *module;
	mdToken token;
	ClassID owner;
	uint32_t count;
	ClassID arguments[FAKE_ARGUMENTS];
	const fake_body *bodies[FAKE_BODIES];
	uint32_t body_count;
} fake_function;

/* What is found by its token, and by addresses of its bodies. */
extern fake_function *fake_found;

/* The function of the one frame that stacks have; 0: none. */
extern FunctionID fake_frame;

/* The calling thread is one of the collector's, not of the program's. */
extern _Thread_local bool fake_collects;
/* How many collections were asked for. */
extern atomic_uint fake_forced;

#define ID(record) ((uintptr_t) (record))

/* Until another thread has made it true: a process that waits for ever is ended by its time. */
#define FAKE_AWAIT(condition) \
	do \
		sched_yield (); \
	while (!(condition))

/* What the runtime has when it is asked for a list: of these, all that are there and not about to be unloaded. */
enum { FAKE_MODULES = 4 };
extern fake_module *fake_modules[FAKE_MODULES];
/* How many methods further bodies were asked for, and how many got their own back. */
extern atomic_uint fake_requested, fake_reverted;

/* What Initialize gets. */
extern ICorProfilerInfo15 fake_runtime;

/* The mask that was set last, and the answer to the next; flags that the runtime will not have. */
extern _Atomic DWORD fake_mask, fake_high_mask;
extern HRESULT fake_mask_answer;
/* The answer to what is asked of a module without data. */
extern HRESULT fake_module_answer;
extern DWORD fake_refused_flags;
/* The session of the event provider that runs now; no keywords: none. How many were started. */
extern _Atomic uint64_t fake_keywords;
extern atomic_uint fake_level, fake_sessions;
/* How often a class or function was asked for. */
extern atomic_uint fake_asked;

/* Reads a file into memory; false when there is none. */
bool fake_module_read (fake_module *ret_module, const char *path);
/* Gives the image's assembly another name: some long name in its heap that no test asks for is overwritten. */
void fake_module_rename (fake_module *module, const char *name);
/* All callbacks of a module that is loaded without trouble. */
void fake_load (fake_module *module);
void fake_unload (fake_module *module);
/* Is asked about the module: that it has not gone is checked. */
void fake_touch (const fake_module *module);

#endif
