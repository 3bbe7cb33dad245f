/*
 * SPDX-License-Identifier: MIT
 *
 * probing.h - which methods carry probes.
 */
#ifndef MONOCLE_CLR_PROBING_H
#define MONOCLE_CLR_PROBING_H

#include <stdbool.h>
#include "images/image.h"

/*
 * Sees to it that `token` carries the probes its filters ask for. `function` is the function being compiled or inlined
 * (for the line map). Returns its state; *ret_new tells that it was rewritten during this very call. Normal context.
 */
int monocle__probing_ensure (monocle__clr_image *image, mdToken token, FunctionID function, bool *ret_new);
/* The body that is being compiled is an edit's and gets no probes. Says once what is lost. Normal context. */
void monocle__probing_lose_edit (monocle__clr_image *image, mdToken token);
/* Do the filters ask for other flags than those that the method's present body has? Normal context. */
bool monocle__probing_differs (monocle__clr_image *image, mdToken token);
/* May methods of the image have probes by further bodies alone, as after an attach? */
bool monocle__probing_takes_late (const monocle__clr_image *image);
/* Do the filters ask for calls of the method? Normal context. */
bool monocle__probing_wants (monocle__clr_image *image, mdToken token);
/* The image's methods have their first bodies again, which are not ours. No thread is in the adapter. */
void monocle__probing_forget (monocle__clr_image *image);
/* Gives a further body the probes that the filters ask for now. Normal context. */
void monocle__probing_renew (monocle__clr_image *image, mdToken token, ICorProfilerFunctionControl *control);
/* Is there any filter, of calls or of coverage? */
bool monocle__probing_has_filters (void);
/* Does any filter want anything of this image? Asks every method once per epoch. */
bool monocle__probing_wants_image (monocle__clr_image *image);
static inline bool
monocle__probing_is_probed (int state)
{
	return state >= MONOCLE__METHOD_PROBED && state <= MONOCLE__METHOD_CATCHING;
}
/* Do handlers of methods of this image get probes? Precompiled code has none, and stays in use. */
bool monocle__probing_wants_clauses (const monocle__clr_image *image);
/* Do those of this method? */
static inline bool
monocle__probing_has_clause_probes (const monocle__clr_image *image, int state)
{
	bool rewritten = monocle__probing_is_probed (state) || state >= MONOCLE__METHOD_HANDLED;
	return rewritten && monocle__probing_wants_clauses (image);
}

#endif
