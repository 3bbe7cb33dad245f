/*
 * SPDX-License-Identifier: MIT
 *
 * gate.h - probes of images that may be edited while they run (images/editable.h): they add nothing to the image's
 * metadata.
 */
#ifndef MONOCLE_CLR_GATE_H
#define MONOCLE_CLR_GATE_H

#include <stdbool.h>
#include "images/image.h"
#include "rewrite.h"

/* Where in a method a probe is. */
typedef enum {
	MONOCLE__GATE_ENTER,
	MONOCLE__GATE_LEAVE,
	MONOCLE__GATE_TAIL, /* as monocle__probe_tail () */
} monocle__gate_moment;

/* Before images come: if any may be edited, the core library's gate opens when that library comes. */
void monocle__gate_begin (void);
bool monocle__gate_is_open (void);
/* Is this method of the core library the gate? Its precompiled code is not used, and it gets no probes. Any context. */
bool monocle__gate_is (const monocle__clr_image *image, mdToken token);
/*
 * May methods of the image have probes for what is wanted? False, after one line for the process, or for the attach: it
 * may be edited, and there is no gate that it could call.
 */
bool monocle__gate_admits (const monocle__clr_image *image);
/* Another attach begins, which is told again. */
void monocle__gate_attached (void);
/* Puts a probe in front of an instruction. `target`: of a tail call. 0 or negative. Under the image's lock. */
int monocle__gate_insert (monocle__rewriting *job, monocle__il_edit *edit, uint32_t before, monocle__gate_moment moment,
                          MonoMethod *target);
/* Makes the method, one of the core library's, the gate. 0 or negative. */
int monocle__gate_insert_own (const monocle__rewriting *job, monocle__il_edit *edit);

#endif
