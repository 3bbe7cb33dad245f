/*
 * SPDX-License-Identifier: MIT
 *
 * raise.c - see raise.h.
 */
#include "raise.h"

void
monocle__raise_many (struct _MonoProfilerDesc *first, monocle_event event, MonoMethod *method,
                     MonoProfilerCallContext *context)
{
	for (struct _MonoProfilerDesc *h = first; h; h = h->next) {
		MonoProfilerMethodEnterCallback cb = (MonoProfilerMethodEnterCallback) monocle__raise_callback (h, event);
		if (cb)
			cb (h->prof, method, context);
	}
}
