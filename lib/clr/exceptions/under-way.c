/*
 * SPDX-License-Identifier: MIT
 *
 * under-way.c - the exceptions that are under way on a thread: their objects, and what modules are told of them beside
 * their throw: exception_clause, and the object of method_exception_leave.
 *
 * Nothing here goes by stack pointers: an exception that begins while a handler runs belongs to that handler. When the
 * handler ends, or an exception leaves it, so do all that began in it and are still listed, whatever took them:
 *
 *     exceptions   A          B          C
 *     handlers       finally    filter
 *                    of A: B began in it and asked a filter, which threw C
 *
 * A handler is known by its frame and by where its code begins, as the runtime names both when it enters and when it
 * leaves it. An exception that enters a handler has left those of deeper frames, and those of the same frame that do
 * not around the new one's clause.
 *
 * The objects are pinned from throw to catch, so that they can be named whatever the thread does meanwhile; without
 * listeners nothing is pinned.
 *
 * method_exception_leave, as on Mono, has no object until a frame with a clause was met: finally and fault
 * blocks are run and filters asked, but a catch block for another type is passed by without a word. So where a
 * function with such blocks is searched in vain, the stack is looked at.
 */
#include "under-way.h"
#include <stdatomic.h>
#include <string.h>
#include <monocle/host.h>
#include "arch/arch.h"
#include "clause.h"
#include "heap/object.h"
#include "il.h"
#include "images/resolve.h"
#include "invariant.h"
#include "state.h"
#include "thread-memory.h"

enum {
	EXCEPTIONS = sizeof ((monocle__under_way_list *) 0)->list / sizeof (monocle__under_way),
	HANDLERS = sizeof ((monocle__under_way_list *) 0)->handlers / sizeof (monocle__under_way_handler),
	PASSES = sizeof ((monocle__under_way *) 0)->passes / sizeof (monocle__pass),
};

static bool
tells_clauses (void)
{
	return atomic_load_explicit (&monocle__clr_state.clauses, memory_order_relaxed) &&
	       monocle__clr_listened (MONOCLE_EVENT_exception_clause);
}

static bool
tells_leaves (void)
{
	return monocle__clr_listened (MONOCLE_EVENT_method_exception_leave);
}

static monocle__under_way_list *
wanted (void)
{
	return tells_clauses () || tells_leaves () ? monocle__thread_memory_under_way () : NULL;
}

/* --- the list ----------------------------------------------------------------------------------------------------- */

static void
cut (monocle__under_way_list *own, uint32_t count)
{
	while (own->count > count)
		monocle__clr_object_release (own->list[--own->count].held);
}

/* How many wait until a handler that they run has ended. */
static uint32_t
waiting (const monocle__under_way_list *own)
{
	MONOCLE__INVARIANT (own->count <= EXCEPTIONS && own->handler_count <= HANDLERS);
	return own->handler_count ? own->handlers[own->handler_count - 1].before : 0;
}

/* The one that the runtime's callbacks are about. NULL: it began before anybody listened. */
static monocle__under_way *
current (monocle__under_way_list *own)
{
	return own->count > waiting (own) ? &own->list[own->count - 1] : NULL;
}

static void
drop_announced (monocle__under_way_list *own)
{
	own->announced.definition = NULL;
	monocle__clr_object_release (own->announced.held);
	own->announced.held = NULL;
}

/* Deeper than anybody can follow, the last place serves all. */
void
monocle__under_way_thrown (ObjectID object)
{
	monocle__under_way_list *own = wanted ();
	if (!own)
		return;
	drop_announced (own);
	if (own->count == EXCEPTIONS)
		cut (own, EXCEPTIONS - 1);
	MONOCLE__INVARIANT (own->count < EXCEPTIONS);
	void *held = monocle__clr_object_hold (object);
	own->list[own->count++] = (monocle__under_way) { .object = held ? object : 0, .held = held };
}

/* --- first pass: whom does a clause stand around? ----------------------------------------------------------------- */

/* The place of a function in the passes; NULL: none is free. */
static monocle__pass *
pass_of (monocle__under_way *d, FunctionID function, bool make)
{
	for (int i = 0; i < PASSES; i++) {
		if (d->passes[i].function == function)
			return &d->passes[i];
		if (!d->passes[i].function) {
			d->passes[i].function = make ? function : 0;
			return make ? &d->passes[i] : NULL;
		}
	}
	return NULL;
}

static void
meet (monocle__under_way *d)
{
	monocle__pass *pass = pass_of (d, d->searched, true);
	if (pass && !pass->met)
		pass->met = pass->searched ? pass->searched : 1;
}

void
monocle__under_way_search_enter (FunctionID function)
{
	monocle__under_way_list *own = wanted ();
	monocle__under_way *d = own ? current (own) : NULL;
	if (!d)
		return;
	d->searched = function;
	d->found = false;
	if (!tells_leaves () || !monocle__clause_of (function))
		return;
	monocle__pass *pass = pass_of (d, function, true);
	if (pass)
		pass->searched++;
}

void
monocle__under_way_found (void)
{
	monocle__under_way_list *own = wanted ();
	monocle__under_way *d = own ? current (own) : NULL;
	if (d)
		d->found = true;
}

/* One frame of a function, looked for on the stack. */
typedef struct {
	FunctionID function;
	uint32_t left; /* how many frames of the function still come before it */
	uintptr_t ip, sp, fp;
} frame_search;

static HRESULT
visit_frame (FunctionID function, UINT_PTR ip, COR_PRF_FRAME_INFO info, ULONG32 size, uint8_t *context, void *data)
{
	frame_search *search = data;
	if (function != search->function || --search->left)
		return S_OK;
	search->ip = ip;
	monocle__arch_snapshot_registers (context, &search->sp, &search->fp);
	return S_FALSE;
}

/* False: the runtime does not show it. */
static bool
find_frame (frame_search *search)
{
	ICorProfilerInfo15 *info = monocle__clr_state.info;
	info->vtbl->DoStackSnapshot (info, 0, (void *) visit_frame, COR_PRF_SNAPSHOT_REGISTER_CONTEXT, search, NULL, 0);
	return search->ip != 0;
}

/*
 * The runtime shows a frame once, where its own code was left; what a handler of it does is above and is not shown. Of
 * a frame that is in a handler it is known whether a clause encloses that.
 */
static bool
is_protected (monocle__under_way_list *own, monocle__clauses *clauses, FunctionID function, uint32_t nth)
{
	frame_search search = { .function = function, .left = nth };
	if (!find_frame (&search))
		return false;
	for (uint32_t i = own->handler_count; i-- > 0;) {
		const monocle__under_way_handler *h = &own->handlers[i];
		if (h->function != function || (h->frame != search.fp && h->frame != search.sp))
			continue;
		uint32_t index = monocle__clause_at (clauses, h->begin, false);
		return index != UINT32_MAX && monocle__clause_enclose (clauses, index);
	}
	return monocle__clause_protect (clauses, search.ip);
}

void
monocle__under_way_search_leave (void)
{
	monocle__under_way_list *own = wanted ();
	monocle__under_way *d = own ? current (own) : NULL;
	if (!d || d->found || !tells_leaves ())
		return;
	monocle__clauses *clauses = monocle__clause_of (d->searched);
	monocle__pass *pass = clauses && monocle__clause_typed (clauses) ? pass_of (d, d->searched, false) : NULL;
	if (pass && !pass->met && is_protected (own, clauses, d->searched, pass->searched))
		meet (d);
}

/* --- second pass -------------------------------------------------------------------------------------------------- */

void
monocle__under_way_unwind_enter (FunctionID function)
{
	monocle__under_way_list *own = wanted ();
	monocle__under_way *d = own ? current (own) : NULL;
	monocle__pass *pass = d && !d->met ? pass_of (d, function, false) : NULL;
	MONOCLE__INVARIANT (!pass || pass->function == function);
	if (pass)
		d->met = ++pass->unwound >= pass->met && pass->met;
}

MonoObject *
monocle__under_way_left (void)
{
	monocle__under_way_list *own = wanted ();
	monocle__under_way *d = own ? current (own) : NULL;
	return d && d->met ? (MonoObject *) d->object : NULL;
}

/* --- handlers ----------------------------------------------------------------------------------------------------- */

static bool
read_handler (FunctionID function, monocle__under_way_handler *ret)
{
	ICorProfilerInfo15 *info = monocle__clr_state.info;
	COR_PRF_EX_CLAUSE_INFO clause = { .clauseType = COR_PRF_CLAUSE_NONE };
	if (info->vtbl->GetNotifiedExceptionClauseInfo (info, &clause) != S_OK)
		return false;
	*ret = (monocle__under_way_handler) { .function = function,
		                                  .frame = clause.framePointer,
		                                  .begin = clause.programCounter };
	return true;
}

/*
 * After an attach no clause is told of. From .NET 9 on the frames that an exception has left are not shown, so the
 * first one is the handler's; older runtimes show none while they unwind.
 */
uintptr_t
monocle__under_way_frame (FunctionID function)
{
	monocle__under_way_handler h;
	frame_search search = { .function = function, .left = 1 };
	if (read_handler (function, &h))
		return h.frame;
	return find_frame (&search) ? search.sp : 0;
}

/* Is a handler that ran over, now that an exception enters another one? */
static bool
is_abandoned (const monocle__under_way_handler *old, const monocle__under_way_handler *h, monocle__clauses *clauses,
              uint32_t index)
{
	if (old->frame != h->frame)
		return old->frame < h->frame;
	if (!clauses || old->function != h->function || index == UINT32_MAX)
		return true;
	uint32_t outer = monocle__clause_at (clauses, old->begin, false);
	return outer == UINT32_MAX || !monocle__clause_nest (clauses, outer, index);
}

static void
push_handler (monocle__under_way_list *own, monocle__under_way_handler h)
{
	h.before = own->count;
	if (own->handler_count == HANDLERS) {
		memmove (own->handlers, own->handlers + 1, sizeof own->handlers - sizeof *own->handlers);
		own->handler_count--;
	}
	MONOCLE__INVARIANT (own->handler_count < HANDLERS && h.before <= EXCEPTIONS);
	own->handlers[own->handler_count++] = h;
}

/* The innermost such handler is over, and all that began in it. */
void
monocle__under_way_handler_leave (void)
{
	monocle__under_way_list *own = wanted ();
	monocle__under_way_handler h;
	if (!own || !read_handler (0, &h))
		return;
	drop_announced (own);
	for (uint32_t i = own->handler_count; i-- > 0;)
		if (own->handlers[i].frame == h.frame && own->handlers[i].begin == h.begin) {
			cut (own, own->handlers[i].before);
			own->handler_count = i;
			return;
		}
}

/* --- telling ------------------------------------------------------------------------------------------------------ */

static uint32_t
type_of (const monocle__clauses *clauses, uint32_t index)
{
	uint32_t flags = monocle__clause_flags (clauses, index);
	return flags & (MONOCLE__IL_CLAUSE_FINALLY | MONOCLE__IL_CLAUSE_FAULT) ? flags : MONO_EXCEPTION_CLAUSE_NONE;
}

/*
 * A handler with a probe reports itself, and knows which instance of a generic method it is of; of another one is told
 * here. `held`: to be released afterwards.
 */
static void
tell (monocle__under_way_list *own, monocle__clauses *clauses, uint32_t index, uint32_t kind,
      const monocle__under_way *of, FunctionID function, void *held)
{
	MonoMethod *method = tells_clauses () && clauses && of->object ? monocle__resolve_method (function) : NULL;
	if (method && monocle__clause_probed (clauses)) {
		own->announced = (monocle__announced) { monocle_method_definition (method), kind, of->object, held };
		return;
	}
	if (method && index != UINT32_MAX) {
		uint32_t type = kind == MONO_EXCEPTION_CLAUSE_FILTER ? kind : type_of (clauses, index);
		monocle_raise_exception_clause (method, index, (MonoExceptionEnum) type, (MonoObject *) of->object);
	}
	monocle__clr_object_release (held);
}

bool
monocle__under_way_take (MonoMethod *definition, uint32_t type, MonoObject **ret_object, void **ret_held)
{
	monocle__under_way_list *own = monocle__thread_memory_under_way ();
	if (!own || !own->announced.definition)
		return false;
	bool mine = own->announced.definition == definition && own->announced.type == type;
	if (mine) {
		*ret_object = (MonoObject *) own->announced.object;
		*ret_held = own->announced.held;
		own->announced.held = NULL;
	}
	drop_announced (own);
	return mine;
}

void
monocle__under_way_filter_enter (FunctionID function)
{
	monocle__under_way_list *own = wanted ();
	monocle__under_way *d = own ? current (own) : NULL;
	monocle__under_way_handler h;
	if (!own || !read_handler (function, &h))
		return;
	drop_announced (own);
	if (d) {
		monocle__clauses *clauses = monocle__clause_of (function);
		meet (d);
		tell (own, clauses, clauses ? monocle__clause_at (clauses, h.begin, true) : UINT32_MAX,
		      MONO_EXCEPTION_CLAUSE_FILTER, d, function, NULL);
	}
	push_handler (own, h);
}

/* Forgets what the exception has left. Returns which clause it is. */
static uint32_t
enter_handler (monocle__under_way_list *own, const monocle__under_way_handler *h, monocle__clauses *clauses)
{
	uint32_t index = clauses ? monocle__clause_at (clauses, h->begin, false) : UINT32_MAX;
	drop_announced (own);
	while (own->handler_count && is_abandoned (&own->handlers[own->handler_count - 1], h, clauses, index))
		own->handler_count--;
	return index;
}

void
monocle__under_way_finally_enter (FunctionID function)
{
	monocle__under_way_list *own = wanted ();
	monocle__clauses *clauses = own ? monocle__clause_of (function) : NULL;
	monocle__under_way_handler h;
	if (!own || !read_handler (function, &h))
		return;
	uint32_t index = enter_handler (own, &h, clauses);
	monocle__under_way *d = current (own);
	if (d) {
		d->met = true;
		tell (own, clauses, index, MONO_EXCEPTION_CLAUSE_FINALLY, d, function, NULL);
	}
	push_handler (own, h);
}

/* The exception is caught: it, and what it took the place of, is under way no longer. */
void
monocle__under_way_catcher_enter (FunctionID function, ObjectID object)
{
	monocle__under_way_list *own = wanted ();
	monocle__clauses *clauses = own ? monocle__clause_of (function) : NULL;
	monocle__under_way_handler h;
	if (!own || !read_handler (function, &h))
		return;
	uint32_t index = enter_handler (own, &h, clauses);
	monocle__under_way *d = current (own), caught = { .object = object };
	caught.held = d && d->object == object ? d->held : monocle__clr_object_hold (object);
	if (d && d->held == caught.held)
		d->held = NULL;
	cut (own, waiting (own));
	push_handler (own, h);
	tell (own, clauses, index, MONO_EXCEPTION_CLAUSE_NONE, &caught, function, caught.held);
}
