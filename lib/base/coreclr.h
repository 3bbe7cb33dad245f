/*
 * SPDX-License-Identifier: MIT
 *
 * coreclr.h - the variables by which CoreCLR is told of a profiler, as the environment has them.
 */
#ifndef MONOCLE_BASE_CORECLR_H
#define MONOCLE_BASE_CORECLR_H

#include <stdbool.h>
#include <stddef.h>

/* What CORECLR_PROFILER names. */
#define MONOCLE__CLSID "{F5E0F6A1-5B3C-4C7E-9D64-6D6F6E6F636C}"

/* Is another profiler named, and switched on? Then *ret_who is "NAME=VALUE" of the variable that says which. */
bool monocle__coreclr_foreign (char *ret_who, size_t size);
/* Is it us who are named, as the main profiler or in a list? Async-safe as far as getenv () is. */
bool monocle__coreclr_names_us (void);
/* The variable whose 0 keeps every profiler out; NULL: there is none. */
const char *monocle__coreclr_disabled (void);

#endif
