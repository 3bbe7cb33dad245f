/*
 * SPDX-License-Identifier: MIT
 *
 * first-body.h - code for modules that know one body of each method.
 */
#ifndef MONOCLE_MODEL_FIRST_BODY_H
#define MONOCLE_MODEL_FIRST_BODY_H

#include <stdbool.h>
#include <mono/metadata/appdomain.h>
#include <monocle/host.h>
#include "dispatch/handle.h"

/* What stands in the handle's slot instead of `callback`, for handles of such modules. Any context. */
void *monocle__first_body_wrap (monocle__handle *handle, monocle_event event, void *callback);
/*
 * In a signal handler: what such a module is shown of a frame that has a method and a start. NULL: it shall ask for the
 * method by that address.
 */
MonoMethod *monocle__first_body_method (const monocle_frame *frame);
/* Is one of them taking a sample on the calling thread? */
bool monocle__first_body_is_sampled (void);
/* A module has asked which code is at an address, and was shown this. */
void monocle__first_body_asked (MonoJitInfo *info);
/* A module is about to be shown code of this method, which begins there, in normal context. */
void monocle__first_body_met (MonoMethod *method, const void *start);

#endif
