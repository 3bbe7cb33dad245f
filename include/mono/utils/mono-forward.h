/*
 * SPDX-License-Identifier: MIT
 *
 * mono-forward.h - names of two opaque types that several headers need.
 */
#ifndef MONO_UTILS_FORWARD_H
#define MONO_UTILS_FORWARD_H

typedef struct _MonoDomain  MonoDomain;  /* an application domain; outside Mono there is one, the root */
typedef struct _MonoJitInfo MonoJitInfo; /* one piece of machine code of one method */

#endif
