/*
 * SPDX-License-Identifier: MIT
 *
 * walk.c - from an interrupted thread's registers to its root. Every function here but those that say so runs in signal
 * handlers: no lock, no allocation, no call of the runtime, no read that could fault.
 *
 * A frame is (pc, sp, fp). Who it belongs to decides how it is left:
 *
 *      native      the row of .eh_frame that covers pc (native.h)
 *      managed     the shape of its piece of code (arch.h), which is decoded once and kept in the code's word. The
 *                  interrupted frame may be inside its prologue or its epilogue; all others are at a call
 *      neither     the runtime's glue, which has no frame: the return address is on top of the stack, or below what the
 *                  glue has pushed. It is believed only if it follows a call in code that is known
 *
 * and where that says nothing the chain of frame pointers does, which compiled and most native code keeps up.
 *
 * Of a thread that waits in a system call another thread may know pc and sp, and not fp (0 then): it is found where the
 * first function on the way has saved it. Until then a managed method that has called native code is left by the fp
 * that the runtime has noted in its frame (InlinedCallFrame). Any other function that keeps a frame by fp is left by
 * the size of its frame, as its prologue says it, and that is believed only where a return address is found: it may
 * have allocated more since, and what is there then is the program's own data. Such a thread may go on, end, and take
 * its stack with it while it is walked: so all of it is read by the system, a piece at a time.
 *
 * Of CoreCLR this file knows: bodies that replace a running one leave its frame in place (SHAPE_OSR, SHAPE_OSR_BARE);
 * where the unwind data of compiled code is; funclets keep the frame pointer of their method, so that leaving them by
 * it leaves the method, and what the runtime did between is not shown; a return address that the runtime has replaced
 * to regain control is the first byte of one of its functions, where no call returns to.
 */
#include "walk.h"
#include <errno.h>
#include <pthread.h>
#include <stdatomic.h>
#include <string.h>
#include <time.h>
#include <unistd.h>
#include <monocle/host.h>
#include "arch/arch.h"
#include "code-header.h"
#include "codemap.h"
#include "eh-frame.h"
#include "invariant.h"
#include "nanoseconds.h"
#include "native.h"
#include "peek.h"
#include "service.h"
#include "shape.h"
#include "thread-memory.h"

enum { CELL = sizeof (uintptr_t), PAGE = 4096, SIGNALS_MAX = 16, GLUE_WORDS = 3 };

/* Bytes of stack that a walk takes, with what is called in it and with a visitor. */
enum { ROOM = 6 << 10, PIECE = 2048, PIECE_BELOW = 64 };

/* Bytes of a frame in which a note of the runtime is looked for. */
enum { NOTE_MAX = 256 << 10 };

typedef struct {
	uintptr_t pc, sp, fp;
	bool is_exact; /* pc runs next; else it is a return address */
} cursor;

typedef struct {
	cursor at;
	uintptr_t low, high; /* stack that is known to be there */
	monocle__native_hold native;
	unsigned signals; /* frames of signals that were passed */
	bool is_fleeting; /* the stack is another thread's */
	uint8_t *copy;    /* then: of what lies from `low` to `high` */
} walk;

typedef enum { GO, ROOT, LOST } verdict;

/* --- memory ------------------------------------------------------------------------------------------------------- */

/* Adds the page to what is known to be there, or begins anew with it. */
static bool
know_page (walk *w, uintptr_t address)
{
	uint8_t byte;
	uintptr_t page = address & ~(uintptr_t) (PAGE - 1);
	if (page < PAGE || page > INTPTR_MAX - PAGE || !monocle__peek (address, &byte, 1))
		return false;
	if (page != w->high)
		w->low = page;
	w->high = page + PAGE;
	return true;
}

/* Copies what surrounds the address in its page: what was pushed last lies below. */
static bool
copy_piece (walk *w, uintptr_t address)
{
	uintptr_t page = address & ~(uintptr_t) (PAGE - 1);
	uintptr_t from = address - page < PIECE_BELOW ? page : address - PIECE_BELOW;
	uintptr_t end = page + PAGE - from < PIECE ? page + PAGE : from + PIECE;
	w->low = w->high = 0;
	if (page < PAGE || page > INTPTR_MAX - PAGE || !monocle__peek_fleeting (from, w->copy, end - from))
		return false;
	w->low = from;
	w->high = end;
	return true;
}

static bool
read_copy (walk *w, uintptr_t address, uintptr_t *ret)
{
	if ((address < w->low || address >= w->high) && !copy_piece (w, address))
		return false;
	memcpy (ret, w->copy + (address - w->low), sizeof *ret);
	return true;
}

static bool
read_stack (walk *w, uintptr_t address, uintptr_t *ret)
{
	if (address % CELL)
		return false;
	if (w->is_fleeting)
		return read_copy (w, address, ret);
	if ((address < w->low || address >= w->high) && !know_page (w, address))
		return false;
	MONOCLE__INVARIANT (w->low <= address && address + sizeof *ret <= w->high);
	memcpy (ret, (const void *) address, sizeof *ret);
	return true;
}

static bool
is_on (const monocle__thread_stack *stack, uintptr_t sp)
{
	return stack && sp >= stack->low && sp < stack->high;
}

/* The calling thread knows its fp. Where it is 0 by chance, and its stack is not known, it is taken for another one. */
static bool
is_of_another (const cursor *at)
{
	return !at->fp && !is_on (monocle__thread_memory_stack (), at->sp);
}

/* A thread's stack is there from sp to its end. */
static void
know_stack (walk *w)
{
	const monocle__thread_stack *own = monocle__thread_memory_stack ();
	w->low = w->high = 0;
	if (!w->is_fleeting && is_on (own, w->at.sp)) {
		w->low = w->at.sp & ~(uintptr_t) (CELL - 1);
		w->high = own->high;
	}
}

/* Instructions at `from`; those in the page of the running one are there. */
static bool
read_code (const walk *w, uintptr_t from, uint8_t *to, size_t size)
{
	uintptr_t page = w->at.pc & ~(uintptr_t) (PAGE - 1);
	if (w->is_fleeting)
		return monocle__peek_fleeting (from, to, size);
	if (!w->at.is_exact || from < page || from + size > page + PAGE)
		return monocle__peek (from, to, size);
	memcpy (to, (const void *) from, size);
	return true;
}

/* --- leaving frames ----------------------------------------------------------------------------------------------- */

/* To the caller whose return address is at `slot`, its fp `saved` bytes below; 0: it is in fp. */
static verdict
leave (walk *w, uintptr_t slot, uintptr_t saved)
{
	cursor next = { .sp = slot + CELL, .fp = w->at.fp };
	if (slot < w->at.sp || !read_stack (w, slot, &next.pc) || (saved && !read_stack (w, slot - saved, &next.fp)))
		return LOST;
	MONOCLE__INVARIANT (next.sp > w->at.sp); /* the stack only becomes shorter */
	w->at = next;
	return next.pc ? GO : ROOT;
}

static verdict
leave_by_chain (walk *w)
{
	return w->at.fp < w->at.sp ? LOST : leave (w, w->at.fp + CELL, CELL);
}

static verdict
leave_signal (walk *w)
{
	uintptr_t context = w->at.sp;
	cursor next = { .is_exact = true };
	if (w->signals++ == SIGNALS_MAX || !read_stack (w, context + MONOCLE__ARCH_CONTEXT_PC, &next.pc) ||
	    !read_stack (w, context + MONOCLE__ARCH_CONTEXT_SP, &next.sp) ||
	    !read_stack (w, context + MONOCLE__ARCH_CONTEXT_FP, &next.fp))
		return LOST;
	w->at = next;
	know_stack (w);
	return GO;
}

static bool
follows_call (uintptr_t address)
{
	uint8_t bytes[MONOCLE__ARCH_CALL_MAX];
	return address > PAGE && monocle__peek (address - sizeof bytes, bytes, sizeof bytes) &&
	       monocle__arch_ends_with_call (bytes, sizeof bytes);
}

/* By what its prologue has put on the stack, while fp is not known. */
static verdict
leave_by_size (walk *w, const monocle__shape *shape)
{
	uintptr_t slot = w->at.sp + shape->frame, address;
	if (shape->kind == MONOCLE__SHAPE_SP)
		return leave (w, slot, shape->saved);
	if (shape->kind != MONOCLE__SHAPE_FP)
		return LOST;
	return read_stack (w, slot, &address) && follows_call (address) ? leave (w, slot, shape->saved) : LOST;
}

static verdict
leave_native_by_size (walk *w)
{
	uint8_t bytes[MONOCLE__ARCH_PROLOGUE_MAX];
	monocle__shape shape;
	uintptr_t start = monocle__native_function (w->native, w->at.pc - !w->at.is_exact);
	if (!start || !monocle__peek (start, bytes, sizeof bytes) ||
	    !monocle__arch_native_prologue (bytes, sizeof bytes, &shape) || w->at.pc - start < shape.length)
		return LOST;
	return leave_by_size (w, &shape);
}

static bool
needs_fp (monocle__cfa_kind kind)
{
	return kind == MONOCLE__CFA_FP || kind == MONOCLE__CFA_FP_READ || kind == MONOCLE__CFA_UNKNOWN;
}

static verdict
leave_native (walk *w, monocle__unwind_rule rule)
{
	intptr_t offset = monocle__rule_offset (rule);
	uintptr_t saved = monocle__rule_saved (rule), cfa;
	saved -= saved ? CELL : 0; /* below the return address, which is below the CFA */
	if (!w->at.fp && needs_fp (monocle__rule_kind (rule)))
		return leave_native_by_size (w);
	switch (monocle__rule_kind (rule)) {
	case MONOCLE__CFA_SP: return leave (w, w->at.sp + (uintptr_t) offset - CELL, saved);
	case MONOCLE__CFA_FP: return leave (w, w->at.fp + (uintptr_t) offset - CELL, saved);
	case MONOCLE__CFA_PLT: return leave (w, w->at.sp + monocle__arch_plt_pushed (w->at.pc), 0);
	case MONOCLE__CFA_FP_READ:
		if (!read_stack (w, w->at.fp + (uintptr_t) offset, &cfa))
			return LOST;
		return leave (w, cfa - CELL, cfa - CELL - w->at.fp);
	case MONOCLE__CFA_SP_READ:
		return read_stack (w, w->at.sp + (uintptr_t) offset, &cfa) ? leave (w, cfa, saved) : LOST;
	case MONOCLE__CFA_SIGNAL: return leave_signal (w);
	case MONOCLE__CFA_ROOT: return ROOT;
	default: return leave_by_chain (w);
	}
}

/* --- managed code ------------------------------------------------------------------------------------------------- */

enum { FUNCTIONS_MAX = 1 << 16, UNWIND_HEAD = 4, UNWIND_MAX = 196 };

/* Where the unwind data of a body is; 0: unknown, or what is there looks like no header. */
static uintptr_t
unwind_data_of (const walk *w, const monocle__code *code)
{
	uintptr_t at;
	monocle__code_header header;
	if (!read_code (w, code->start - CELL, (uint8_t *) &at, sizeof at) || at % CELL || at < PAGE ||
	    !read_code (w, at, (uint8_t *) &header, sizeof header))
		return 0;
	uint32_t begin = header.first.begin, end = header.first.end;
	bool is_good = header.function_count && header.function_count <= FUNCTIONS_MAX && begin < end &&
	               end - begin <= code->size && begin < code->start && header.first.unwind % 4 == 0;
	return is_good ? code->start - begin + header.first.unwind : 0;
}

/* `own`: what the code itself does, below the frame that it took over. */
static bool
decode_taken (const walk *w, const monocle__code *code, const monocle__shape *own, monocle__shape *ret)
{
	uint8_t bytes[UNWIND_MAX];
	monocle__shape whole;
	uintptr_t data = unwind_data_of (w, code);
	if (!data || !read_code (w, data, bytes, UNWIND_HEAD))
		return false;
	size_t size = UNWIND_HEAD + 2 * (size_t) bytes[2];
	if (size > sizeof bytes || !read_code (w, data, bytes, size) ||
	    !monocle__arch_unwind_data (bytes, size, SIZE_MAX, &whole) || whole.frame <= own->frame || !whole.saved)
		return false;
	uint32_t below_fp = own->frame - own->depth;
	*ret = (monocle__shape) { .kind = MONOCLE__SHAPE_FP,
		                      .length = own->length,
		                      .depth = whole.frame - below_fp,
		                      .saved = whole.saved,
		                      .frame = whole.frame };
	return true;
}

/* Of instructions that begin before `limit`. False: unknown. */
static bool
decode (const walk *w, const monocle__code *code, size_t limit, monocle__shape *ret)
{
	uint8_t bytes[MONOCLE__ARCH_PROLOGUE_MAX];
	size_t size = code->size < sizeof bytes ? code->size : sizeof bytes;
	if (code->unwind)
		return monocle__arch_unwind_data (code->unwind, SIZE_MAX, limit, ret);
	if (limit < size) /* an instruction that begins there is looked at, no more */
		size = limit + MONOCLE__ARCH_INSTRUCTION_MAX < size ? limit + MONOCLE__ARCH_INSTRUCTION_MAX : size;
	if (!read_code (w, code->start, bytes, size) || !monocle__arch_prologue (bytes, size, limit, ret))
		return false;
	monocle__shape own = *ret;
	return own.kind != MONOCLE__SHAPE_OSR_BARE || decode_taken (w, code, &own, ret);
}

/* A funclet's own frame does not matter once it runs: fp is its method's. */
static bool
shape_of (const walk *w, const monocle__code *code, monocle__shape *ret)
{
	uint64_t word = code->frame ? atomic_load_explicit (code->frame, memory_order_relaxed) : 0;
	if (word) {
		*ret = monocle__shape_unpack (word);
		return true;
	}
	if (!decode (w, code, SIZE_MAX, ret))
		return false;
	if (code->is_part) {
		ret->kind = MONOCLE__SHAPE_FP;
		ret->depth = ret->saved = CELL;
	}
	if (code->frame && monocle__shape_pack (ret, &word))
		atomic_store_explicit (code->frame, word, memory_order_relaxed);
	return true;
}

/* Is the running instruction part of an epilogue? */
static bool
epilogue_of (const walk *w, const monocle__code *code, monocle__epilogue *ret)
{
	uint8_t bytes[MONOCLE__ARCH_EPILOGUE_BEFORE + MONOCLE__ARCH_EPILOGUE_AFTER];
	uintptr_t pc = w->at.pc, end = code->start + code->size;
	uintptr_t first =
	    pc - code->start < MONOCLE__ARCH_EPILOGUE_BEFORE ? code->start : pc - MONOCLE__ARCH_EPILOGUE_BEFORE;
	uintptr_t last = end - pc < MONOCLE__ARCH_EPILOGUE_AFTER ? end : pc + MONOCLE__ARCH_EPILOGUE_AFTER;
	if (!read_code (w, first, bytes, last - first))
		return false;
	return monocle__arch_epilogue (bytes, last - first, pc - first, (intptr_t) (code->start - first),
	                               (intptr_t) (end - first), ret);
}

/* Past the frame of the body that was replaced. */
static verdict
leave_osr (walk *w, const monocle__shape *shape)
{
	uintptr_t slot = w->at.fp + shape->depth, address;
	monocle__code code;
	monocle__shape replaced;
	if (!read_stack (w, slot, &address) || !monocle__codemap_find (address - 1, &code) ||
	    !shape_of (w, &code, &replaced) || replaced.kind != MONOCLE__SHAPE_FP)
		return leave (w, slot, shape->saved);
	uintptr_t beyond = CELL + replaced.frame;
	return leave (w, slot + beyond, shape->saved + beyond);
}

static verdict
leave_shape (walk *w, const monocle__shape *shape)
{
	if (!w->at.fp)
		return leave_by_size (w, shape);
	if (shape->kind == MONOCLE__SHAPE_OSR)
		return leave_osr (w, shape);
	return leave (w, (shape->kind == MONOCLE__SHAPE_FP ? w->at.fp : w->at.sp) + shape->depth, shape->saved);
}

/*
 * A method that calls native code has the runtime's note of that in its frame: three words that are the stack pointer
 * of the call, an address in the method (where the call returns to, or in precompiled code a helper's call before it)
 * and fp. 0: there is none.
 */
static uintptr_t
noted_fp (walk *w, const monocle__code *code)
{
	uintptr_t stack = 0, address = 0, fp, end = w->at.sp + NOTE_MAX;
	if (w->at.is_exact)
		return 0;
	for (uintptr_t slot = w->at.sp; slot < end && read_stack (w, slot, &fp); slot += CELL) {
		bool is_ours = address == w->at.pc || (stack == w->at.sp && address - code->start < code->size);
		if (is_ours && fp > slot && fp < end)
			return fp;
		stack = address;
		address = fp;
	}
	return 0;
}

/* A frame whose size is not known. Above fp of a body that took over a frame is no return address. */
static verdict
leave_unknown (walk *w, const monocle__shape *shape)
{
	return shape->kind == MONOCLE__SHAPE_OSR_BARE ? LOST : leave_by_chain (w);
}

/* As long as fp is the frame's an epilogue changes nothing for those that have one. */
static verdict
leave_managed (walk *w, const monocle__code *code)
{
	monocle__shape shape = { .kind = MONOCLE__SHAPE_NONE };
	monocle__epilogue epilogue;
	uintptr_t offset = w->at.pc - code->start;
	w->at.fp = w->at.fp ? w->at.fp : noted_fp (w, code);
	if (!w->at.fp && code->is_part)
		return LOST;
	if (!shape_of (w, code, &shape))
		return leave_unknown (w, &shape);
	if (offset < shape.length)
		return decode (w, code, offset, &shape) ? leave_shape (w, &shape) : leave_unknown (w, &shape);
	if (w->at.is_exact && epilogue_of (w, code, &epilogue) && (shape.kind == MONOCLE__SHAPE_SP || epilogue.is_restored))
		return leave (w, w->at.sp + epilogue.depth, epilogue.saved);
	return leave_shape (w, &shape);
}

/* --- glue --------------------------------------------------------------------------------------------------------- */

static bool
is_code (const walk *w, uintptr_t address)
{
	monocle__code code;
	monocle__unwind_rule rule;
	bool starts;
	return monocle__native_find (w->native, address, &rule, &starts) || monocle__codemap_find (address, &code);
}

/* Glue that is returned to has a frame, or is compiled code that was not reported. `code`: what is known of it. */
static verdict
leave_glue (walk *w, const monocle__code *code)
{
	uintptr_t address;
	if (!w->at.fp && !w->at.is_exact && code->start)
		return leave_managed (w, code);
	for (uintptr_t slot = w->at.sp; w->at.is_exact && slot < w->at.sp + GLUE_WORDS * CELL; slot += CELL)
		if (read_stack (w, slot, &address) && is_code (w, address - 1) && follows_call (address))
			return leave (w, slot, 0);
	return leave_by_chain (w);
}

/* --- the walk ----------------------------------------------------------------------------------------------------- */

static void
describe (const walk *w, uintptr_t ip, const monocle__code *code, monocle_frame *ret)
{
	*ret = (monocle_frame) { .ip = w->at.pc, .sp = w->at.sp, .fp = w->at.fp, .kind = MONOCLE_FRAME_NATIVE };
	if (!code)
		return;
	bool is_stub = code->kind == MONOCLE__CODE_STUB;
	ret->kind = is_stub ? MONOCLE_FRAME_STUB : MONOCLE_FRAME_MANAGED;
	ret->method = code->method;
	ret->start = (const void *) code->start;
	ret->native_offset = code->start ? (uint32_t) (ip - code->start) : 0;
	ret->has_inlined = code->has_inlined;
	if (!code->method && !is_stub)
		monocle__codemap_learn (ip);
}

/*
 * A return address at which a function begins: the runtime put it there, on the slot of a managed frame, and alone
 * knows the one that it replaced. The frame is shown without a place; fp is what it was.
 */
static bool
is_hijacked (const walk *w, bool was_managed)
{
	monocle__unwind_rule rule;
	bool starts;
	return was_managed && !w->at.is_exact && monocle__native_find (w->native, w->at.pc, &rule, &starts) && starts;
}

/* One frame: shows it and leaves it. *ret_kind: whose it was. */
static verdict
step (walk *w, bool was_managed, monocle_frame *ret)
{
	uintptr_t ip = w->at.pc - !w->at.is_exact;
	monocle__code code = { .kind = MONOCLE__CODE_STUB };
	monocle__unwind_rule rule;
	bool starts;
	cursor before = w->at;
	verdict result;
	if (is_hijacked (w, was_managed)) {
		describe (w, ip, NULL, ret);
		result = leave_by_chain (w);
	} else if (monocle__native_find (w->native, ip, &rule, &starts)) {
		describe (w, ip, NULL, ret);
		result = leave_native (w, rule);
	} else if (monocle__codemap_find (ip, &code) && code.kind != MONOCLE__CODE_STUB) {
		describe (w, ip, &code, ret);
		result = leave_managed (w, &code);
	} else {
		monocle__codemap_learn (ip);
		describe (w, ip, &code, ret);
		result = leave_glue (w, &code);
	}
	MONOCLE__INVARIANT (w->signals <= SIGNALS_MAX + 1);
	bool moved = w->at.sp > before.sp || w->at.is_exact;
	return result == GO && !moved ? LOST : result;
}

static int
walk_all (walk *w, uint32_t flags, monocle_frame_visitor visit, void *data)
{
	verdict result = GO;
	bool was_managed = false;
	while (result == GO) {
		monocle_frame frame;
		result = step (w, was_managed, &frame);
		was_managed = frame.kind == MONOCLE_FRAME_MANAGED;
		if ((frame.kind != MONOCLE_FRAME_NATIVE || (flags & MONOCLE_WALK_NATIVE)) && visit (&frame, data))
			return 1;
	}
	return result == ROOT ? 0 : MONOCLE_E_UNKNOWN;
}

/* --- keeping up --------------------------------------------------------------------------------------------------- */

/* On the service thread. */
static void
refresh (void *nothing)
{
	monocle__native_read ();
}

/*
 * Libraries come and go: looked for now and then, and at once when a walk got lost, in new code as a rule, or when one
 * is met so often that all of its rows are to be read.
 */
static void
keep_up (bool is_lost)
{
	enum { PERIOD_US = 100000, SOON_US = 1000 };
	static _Atomic (uint64_t) last;
	uint64_t now = monocle__nanoseconds (CLOCK_MONOTONIC) / 1000, before = atomic_load (&last);
	uint64_t period = is_lost || monocle__native_is_behind () ? SOON_US : PERIOD_US;
	if (now - before >= period && atomic_compare_exchange_strong (&last, &before, now)) {
		char nothing = 0;
		monocle__service_run (refresh, &nothing, sizeof nothing, 0);
	}
}

static cursor
registers_of (const ucontext_t *context)
{
	cursor at = { .is_exact = true };
	memcpy (&at.pc, (const char *) context + MONOCLE__ARCH_CONTEXT_PC, sizeof at.pc);
	memcpy (&at.sp, (const char *) context + MONOCLE__ARCH_CONTEXT_SP, sizeof at.sp);
	memcpy (&at.fp, (const char *) context + MONOCLE__ARCH_CONTEXT_FP, sizeof at.fp);
	return at;
}

static int
walk_own (walk *w, uint32_t flags, monocle_frame_visitor visit, void *data)
{
	know_stack (w);
	return walk_all (w, flags, visit, data);
}

/* The walks of threads themselves have no room for the copy. */
__attribute__ ((noinline)) static int
walk_another (walk *w, uint32_t flags, monocle_frame_visitor visit, void *data)
{
	uint8_t copy[PIECE];
	w->is_fleeting = true;
	w->copy = copy;
	return monocle__thread_memory_has_room (ROOM + PIECE) ? walk_all (w, flags, visit, data) : MONOCLE_E_UNKNOWN;
}

int
monocle__walk (const ucontext_t *context, uint32_t flags, monocle_frame_visitor visit, void *data)
{
	if (!MONOCLE__ARCH_WALKS || !monocle__thread_memory_has_room (ROOM))
		return MONOCLE_E_UNKNOWN;
	int saved_errno = errno;
	walk w = { .at = registers_of (context) };
	w.native = monocle__native_enter ();
	int result = (is_of_another (&w.at) ? walk_another : walk_own) (&w, flags, visit, data);
	monocle__native_leave (w.native);
	keep_up (result < 0);
	errno = saved_errno;
	return result;
}

bool
monocle__walk_prepare (void)
{
	monocle__walk_thread ();
	return monocle__native_read ();
}

/* Normal context. */
void
monocle__walk_thread (void)
{
	pthread_attr_t attributes;
	void *low;
	size_t size;
	int saved_errno = errno;
	if (pthread_getattr_np (pthread_self (), &attributes) == 0) {
		if (pthread_attr_getstack (&attributes, &low, &size) == 0)
			monocle__thread_memory_set_stack ((uintptr_t) low, (uintptr_t) low + size);
		pthread_attr_destroy (&attributes);
	}
	errno = saved_errno;
}
