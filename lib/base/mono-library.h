/*
 * SPDX-License-Identifier: MIT
 *
 * mono-library.h - what the library is called with which a program embeds Mono.
 */
#ifndef MONOCLE_BASE_MONO_LIBRARY_H
#define MONOCLE_BASE_MONO_LIBRARY_H

/* libmonosgen-2.0.so.1, libmonoboehm-2.0.so.1, libmonobdwgc-2.0.so, libmono-2.0.so; for fnmatch (). */
#define MONOCLE__MONO_LIBRARY "libmono*-2.0.so*"

#endif
