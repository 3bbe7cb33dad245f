/*
 * SPDX-License-Identifier: MIT
 *
 * method-near.h - which method was probably meant by a callspec M:Type:Method that none matches.
 *
 * Of that type's methods the nearest is kept that the filter was asked about: whoever begins and ends with the same
 * letters. For any other callspec there is nothing to guess, and nothing is done.
 */
#ifndef MONOCLE_MODULES_METHOD_NEAR_H
#define MONOCLE_MODULES_METHOD_NEAR_H

#include <stdbool.h>
#include <stddef.h>

#include <mono/metadata/profiler.h>

/* Reads the callspec, which is known to be right. Init window. */
void method_near_init (const char *spec);
/* The filter was asked about this method, and whether it wants it. Any thread; where the method's name may be asked. */
void method_near_note (MonoMethod *method, bool is_wanted);
/* "M:Type:Other"; false: the callspec is another, or matched, or no method is near. Normal context. */
bool method_near_find (char *buffer, size_t size);

#endif
