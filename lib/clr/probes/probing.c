/*
 * SPDX-License-Identifier: MIT
 *
 * probing.c - which methods get probes: the filters are asked about a method when it is first compiled or inlined, and
 * about a whole image when its precompiled code is first looked for. Answers are kept until a filter comes or goes.
 * Where exception_clause was granted, handlers get probes as well, whatever the filters say.
 */
#include "probing.h"
#include <pthread.h>
#include <stdatomic.h>
#include <monocle/host.h>
#include "fence.h"
#include "gate.h"
#include "images/editable.h"
#include "images/emitted.h"
#include "images/image.h"
#include "invariant.h"
#include "invoke.h"
#include "pause.h"
#include "rewrite.h"
#include "runtime-async.h"
#include "state.h"

/* Forgets what was not wanted: it may be now. Probed bodies stay. Under the image's lock. */
static void
forget_refusals (monocle__clr_image *image)
{
	atomic_store (&image->wanted, -1);
	for (uint32_t i = 0; i < image->method_rows; i++) {
		uint8_t plain = MONOCLE__METHOD_PLAIN, handled = MONOCLE__METHOD_HANDLED;
		atomic_compare_exchange_strong (&image->methods[i], &plain, MONOCLE__METHOD_UNKNOWN);
		atomic_compare_exchange_strong (&image->methods[i], &handled, MONOCLE__METHOD_STALE);
	}
}

/*
 * Answers are kept until a filter comes or goes. The image's epoch is written last, so that a thread that sees it sees
 * no answer of the one before. Returns the epoch that the next questions belong to.
 */
static unsigned
enter_epoch (monocle__clr_image *image)
{
	unsigned now = atomic_load (&monocle__clr_state.filter_epoch);
	if (atomic_load (&image->epoch) == now)
		return now;
	pthread_mutex_lock (&image->lock);
	now = atomic_load (&monocle__clr_state.filter_epoch);
	MONOCLE__INVARIANT ((int) (now - atomic_load (&image->epoch)) >= 0);
	if (atomic_load (&image->epoch) != now)
		forget_refusals (image);
	MONOCLE__PAUSE (probing_forgot);
	atomic_store (&image->epoch, now);
	pthread_mutex_unlock (&image->lock);
	return now;
}

/* Did no filter come or go since? If one did, a "no" is not to be kept. */
static bool
is_epoch (unsigned epoch)
{
	return atomic_load (&monocle__clr_state.filter_epoch) == epoch;
}

/* Asks the filters about the methods of one class until one is wanted. */
static bool
is_class_wanted (monocle__clr_image *image, uint32_t class_token)
{
	monocle__ecma_typedef row;
	MonoClass *klass = NULL;
	uint32_t rva;
	if (monocle__ecma_get_typedef (&image->cli.ecma, class_token, &row))
		return false;
	for (uint32_t rid = row.first_method; rid < row.end_method; rid++) {
		if (monocle__ecma_column (&image->cli.ecma, MONOCLE__TABLE_MethodDef, rid, MONOCLE__COL_MethodDef_RVA, &rva) ||
		    !rva)
			continue;
		klass = klass ? klass : monocle_class_def (image->cli.record, class_token);
		MonoMethod *method = monocle_method_def_in (klass, 0x06000000 | rid);
		if (monocle_call_flags (method) || monocle_coverage_wanted (method))
			return true;
	}
	return false;
}

bool
monocle__probing_wants_image (monocle__clr_image *image)
{
	if (!image->cli.readable || !monocle__probing_has_filters ())
		return false;
	unsigned epoch = enter_epoch (image);
	int wanted = atomic_load (&image->wanted);
	if (wanted >= 0)
		return wanted;
	uint32_t classes = monocle__ecma_rows (&image->cli.ecma, MONOCLE__TABLE_TypeDef);
	wanted = 0;
	for (uint32_t rid = 1; !wanted && rid <= classes; rid++)
		wanted = is_class_wanted (image, 0x02000000 | rid);
	pthread_mutex_lock (&image->lock);
	if (is_epoch (epoch))
		atomic_store (&image->wanted, wanted);
	pthread_mutex_unlock (&image->lock);
	return wanted;
}

bool
monocle__probing_wants_clauses (const monocle__clr_image *image)
{
	return atomic_load_explicit (&monocle__clr_state.clauses, memory_order_relaxed) && !monocle__clr_state.try_fault &&
	       image->cli.readable && !image->cli.ecma.is_readytorun && !image->is_editable;
}

bool
monocle__probing_has_filters (void)
{
	return monocle_call_filter_installed () || monocle_coverage_filter_installed ();
}

/* What is kept of a wish, beside a body that has what was wished for. */
static uint8_t
kept (const monocle__wish *wish)
{
	return (uint8_t) ((unsigned) wish->flags | (wish->covered ? MONOCLE__METHOD_COVERED : 0));
}

static bool
is_undecided (int state)
{
	return state == MONOCLE__METHOD_UNKNOWN || state == MONOCLE__METHOD_STALE;
}

/* Of a method that reflects and is wanted itself its own calls are told, not those that it makes. */
static monocle__invoke
invoke_of (monocle__clr_image *image, mdToken token, MonoMethod *method, MonoProfilerCallInstrumentationFlags flags)
{
	monocle__invoke invoke = monocle__clr_state.late ? MONOCLE__NOT_INVOKED : monocle__invoke_kind (image, token);
	if (invoke != MONOCLE__REFLECTS)
		return invoke;
	if (flags)
		return MONOCLE__NOT_INVOKED;
	monocle__invoke_prepare (method);
	return invoke;
}

/* After an attach contexts are refused, and what asks for them all the same has calls without. */
static MonoProfilerCallInstrumentationFlags
flags_of (MonoMethod *method)
{
	enum {
		CONTEXTS = MONO_PROFILER_CALL_INSTRUMENTATION_ENTER_CONTEXT | MONO_PROFILER_CALL_INSTRUMENTATION_LEAVE_CONTEXT,
	};
	unsigned flags = (unsigned) monocle_call_flags (method);
	return (MonoProfilerCallInstrumentationFlags) (monocle__clr_state.late ? flags & ~(unsigned) CONTEXTS : flags);
}

/* What the filters say; nothing of what a method that runs others has to be told of. */
static monocle__wish
asked_of (const monocle__clr_image *image, MonoMethod *method)
{
	bool has_symbols = !image->is_emitted && !monocle__editable_is_added (image, monocle_method_token (method));
	return (monocle__wish) {
		.flags = flags_of (method),
		.covered = has_symbols && !monocle__clr_state.late && monocle_coverage_wanted (method),
	};
}

static monocle__wish
wish_of (monocle__clr_image *image, mdToken token, MonoMethod *method)
{
	monocle__wish wish = asked_of (image, method);
	wish.invoke = invoke_of (image, token, method, wish.flags);
	if ((wish.flags || wish.invoke) && !monocle__gate_admits (image)) {
		wish.flags = MONO_PROFILER_CALL_INSTRUMENTATION_NONE;
		wish.invoke = MONOCLE__NOT_INVOKED;
	}
	return wish;
}

static bool
has_body_of_ours (int state)
{
	return monocle__probing_is_probed (state) || state == MONOCLE__METHOD_HANDLED;
}

/* Has the image a state for that method? One that is being written, or edited, has more and more of them. */
static bool
has_room (monocle__clr_image *image, uint32_t row)
{
	if (!image->is_emitted && !image->is_editable)
		return image->cli.readable && row <= image->method_rows;
	if (row <= image->method_rows)
		return true;
	pthread_mutex_lock (&image->lock);
	bool grown = monocle__clr_image_grow (image, row);
	pthread_mutex_unlock (&image->lock);
	return grown;
}

static void
tell_of_coverage (const monocle__clr_image *image)
{
	static atomic_bool told;
	if (!atomic_exchange (&told, true))
		monocle__clr_complain ("%s was edited while it runs: what its edited methods run from then on is not covered; "
		                       "dotnet watch --no-hot-reload has it covered",
		                       image->cli.name);
}

/* .NET 11 makes an edit a further version of a method, as those of ReJIT are, and asks nobody for its instructions. */
void
monocle__probing_lose_edit (monocle__clr_image *image, mdToken token)
{
	static atomic_bool told;
	uint32_t row = token & 0xFFFFFF;
	bool has_ours = row <= image->method_rows && has_body_of_ours (atomic_load (&image->methods[row - 1]));
	int flags = has_ours ? atomic_load (&image->flags[row - 1]) : 0;
	if (flags & MONOCLE__METHOD_COVERED)
		tell_of_coverage (image);
	if (flags & ~MONOCLE__METHOD_COVERED && !atomic_exchange (&told, true))
		monocle__clr_complain ("%s was edited while it runs: what its edited methods run from then on is not counted; "
		                       "dotnet watch --no-hot-reload has it counted",
		                       image->cli.name);
}

/* A method with our body is compiled again: if that is because it was edited, the new body gets its probes, too. */
static int
follow_edit (monocle__clr_image *image, mdToken token, FunctionID function, bool *ret_new)
{
	uint32_t row = token & 0xFFFFFF;
	MonoMethod *method = monocle_method_def (image->cli.record, token);
	monocle__wish wish = wish_of (image, token, method);
	pthread_mutex_lock (&image->lock);
	int state = atomic_load (&image->methods[row - 1]);
	if (has_body_of_ours (state) && monocle__editable_is_replaced (image, token)) {
		if (atomic_load (&image->flags[row - 1]) & MONOCLE__METHOD_COVERED)
			tell_of_coverage (image);
		wish.covered = false;
		state = monocle__rewrite (image, token, &wish, MONOCLE__METHOD_UNKNOWN, function);
		atomic_store (&image->flags[row - 1], has_body_of_ours (state) ? kept (&wish) : 0);
		atomic_store (&image->methods[row - 1], (uint8_t) state);
		*ret_new = has_body_of_ours (state);
		if (!*ret_new)
			monocle__rewrite_leave (image, token, function);
	}
	pthread_mutex_unlock (&image->lock);
	return state;
}

int
monocle__probing_ensure (monocle__clr_image *image, mdToken token, FunctionID function, bool *ret_new)
{
	uint32_t row = token & 0xFFFFFF;
	*ret_new = false;
	if (!row || !has_room (image, row))
		return MONOCLE__METHOD_REFUSED;
	unsigned epoch = enter_epoch (image);
	MONOCLE__PAUSE (probing_in_epoch);
	int state = atomic_load (&image->methods[row - 1]);
	if (!is_undecided (state))
		return image->is_editable && has_body_of_ours (state) ? follow_edit (image, token, function, ret_new) : state;
	bool is_added = monocle__editable_is_added (image, token);
	if (image->is_emitted || is_added)
		monocle__emitted_method (function);
	MonoMethod *method = monocle_method_def (image->cli.record, token);
	monocle__wish wish = wish_of (image, token, method);
	bool asked = wish.flags || wish.invoke || wish.covered;
	bool is_part = monocle_call_filter_installed () && monocle__runtime_async_part (image, token);
	bool wanted = asked || is_part || monocle__probing_wants_clauses (image) || monocle__fence_is_needed (image, token);
	if (wanted)
		mono_method_get_flags (method, NULL); /* described before a probe shows it: some modules read records */
	MONOCLE__PAUSE (probing_answered);
	pthread_mutex_lock (&image->lock);
	state = atomic_load (&image->methods[row - 1]);
	if (state == MONOCLE__METHOD_STALE && kept (&wish) == atomic_load (&image->flags[row - 1]) && !wish.invoke &&
	    is_epoch (epoch))
		atomic_store (&image->methods[row - 1], state = MONOCLE__METHOD_HANDLED);
	else if (is_undecided (state)) {
		state = wanted ? monocle__rewrite (image, token, &wish, state, function) : MONOCLE__METHOD_PLAIN;
		atomic_store (&image->flags[row - 1], has_body_of_ours (state) ? kept (&wish) : 0);
		if (asked || is_epoch (epoch))
			atomic_store (&image->methods[row - 1], (uint8_t) state);
		else if (state == MONOCLE__METHOD_HANDLED)
			atomic_store (&image->methods[row - 1], MONOCLE__METHOD_STALE); /* its body is ours already */
	}
	/* Also where another thread was faster: our compiler may have read the body before that one wrote it. */
	*ret_new = has_body_of_ours (state);
	pthread_mutex_unlock (&image->lock);
	return state;
}

/* --- further bodies ----------------------------------------------------------------------------------------------- */

static bool
has_row (const monocle__clr_image *image, mdToken token)
{
	uint32_t row = token & 0xFFFFFF;
	return image->cli.readable && row && row <= image->method_rows;
}

bool
monocle__probing_differs (monocle__clr_image *image, mdToken token)
{
	uint32_t row = token & 0xFFFFFF, rva;
	if (!has_row (image, token) || atomic_load (&image->methods[row - 1]) == MONOCLE__METHOD_REFUSED ||
	    monocle__ecma_column (&image->cli.ecma, MONOCLE__TABLE_MethodDef, row, MONOCLE__COL_MethodDef_RVA, &rva) ||
	    !rva)
		return false;
	MonoMethod *method = monocle_method_def (image->cli.record, token);
	monocle__wish wish = asked_of (image, method);
	return kept (&wish) != atomic_load (&image->flags[row - 1]);
}

/*
 * The compiler calls helpers of corlib by itself. .NET 9 looks for their machine code when it compiles such a call, and
 * dies where a helper has a further body that never ran. Which methods are helpers is each version's own business.
 */
bool
monocle__probing_takes_late (const monocle__clr_image *image)
{
	return !monocle__clr_state.late || !image->cli.is_corlib;
}

bool
monocle__probing_wants (monocle__clr_image *image, mdToken token)
{
	MonoMethod *method = has_row (image, token) ? monocle_method_def (image->cli.record, token) : NULL;
	return method && monocle_call_flags (method);
}

void
monocle__probing_forget (monocle__clr_image *image)
{
	pthread_mutex_lock (&image->lock);
	for (uint32_t i = 0; i < image->method_rows; i++) {
		atomic_store (&image->methods[i], MONOCLE__METHOD_UNKNOWN);
		atomic_store (&image->flags[i], 0);
	}
	pthread_mutex_unlock (&image->lock);
}

void
monocle__probing_renew (monocle__clr_image *image, mdToken token, ICorProfilerFunctionControl *control)
{
	uint32_t row = token & 0xFFFFFF;
	if (!has_row (image, token))
		return;
	MonoMethod *method = monocle_method_def (image->cli.record, token);
	monocle__wish wish = wish_of (image, token, method);
	mono_method_get_flags (method, NULL);
	pthread_mutex_lock (&image->lock);
	int state = monocle__rewrite_further (image, token, &wish, control);
	atomic_store (&image->flags[row - 1], has_body_of_ours (state) ? kept (&wish) : 0);
	atomic_store (&image->methods[row - 1], (uint8_t) state);
	pthread_mutex_unlock (&image->lock);
}
