/*
 * SPDX-License-Identifier: MIT
 *
 * csharp-name.h - a method's name as its source has it, made of Mono's full name.
 */
#ifndef MONOCLE_REPORT_CSHARP_NAME_H
#define MONOCLE_REPORT_CSHARP_NAME_H

#include <stdbool.h>
#include <stddef.h>

/* What the MoveNext of a class that a compiler made belongs to. */
typedef enum {
	MONOCLE__MACHINE_NONE, /* the name is no such method's, or it says itself which of the two it is */
	MONOCLE__MACHINE_ASYNC,
	MONOCLE__MACHINE_ITERATOR,
} monocle__machine;

/*
 * "Shop.Orders/<>c:<Search>b__0_0 (Shop.Order)" -> "Shop.Orders.Search.lambda (Order)". The namespace is that of the
 * type alone; arguments are without theirs. `machine` is for names of which monocle__csharp_name_is_machine () is true.
 * false: `full_name` is none of Mono's, or the buffer is too small; the buffer's content is anything then.
 */
bool monocle__csharp_name (const char *full_name, monocle__machine machine, char *buffer, size_t size);

/* The same for a type: "System.Tuple`2<int, A.B/C>" -> "System.Tuple<int, B.C>". */
bool monocle__csharp_name_of_type (const char *full_name, char *buffer, size_t size);

/*
 * Is it the MoveNext of a class that a compiler made of an async method or an iterator, and the name does not tell of
 * which?
 */
bool monocle__csharp_name_is_machine (const char *full_name);

#endif
