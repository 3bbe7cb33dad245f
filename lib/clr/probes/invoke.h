/*
 * SPDX-License-Identifier: MIT
 *
 * invoke.h - what the runtime invokes by itself.
 */
#ifndef MONOCLE_CLR_INVOKE_H
#define MONOCLE_CLR_INVOKE_H

#include <stdbool.h>
#include "images/image.h"

typedef enum {
	MONOCLE__NOT_INVOKED, /* or there is no listener */
	MONOCLE__INVOKED,
	MONOCLE__REFLECTS, /* invokes the method whose MethodInfo `this` is */
} monocle__invoke;

bool monocle__invoke_wanted (void);
monocle__invoke monocle__invoke_kind (monocle__clr_image *image, mdToken token);
/* Before the first probe of a method that reflects. Normal context. */
void monocle__invoke_prepare (MonoMethod *reflecting);
/* Which method its `this` describes. In a probe. */
MonoMethod *monocle__invoke_reflected (MonoMethod *reflecting, const void *object);

#endif
