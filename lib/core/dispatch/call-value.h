/*
 * SPDX-License-Identifier: MIT
 *
 * call-value.h - the values of calls that modules read in call contexts.
 */
#ifndef MONOCLE_DISPATCH_CALL_VALUE_H
#define MONOCLE_DISPATCH_CALL_VALUE_H

/* Somebody whose code is at `caller` asks for introspection: notes which values it can ask for. Normal context. */
void monocle__call_value_wanted_by (const void *caller);
/* Introspection was granted: from now on contexts are read. */
void monocle__call_value_grant (void);

#endif
