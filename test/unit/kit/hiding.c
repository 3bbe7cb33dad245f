/*
 * SPDX-License-Identifier: MIT
 *
 * hiding.c - a library with a function that only its full table of symbols names.
 */
#include <stdint.h>
#include <stdlib.h>

uintptr_t hiding_place (void);

static __attribute__ ((noinline)) int
a_hidden_function (int n)
{
	return n > 1 ? abs (n) * a_hidden_function (n - 1) + NUMBER : 1;
}

__attribute__ ((visibility ("default"))) uintptr_t
hiding_place (void)
{
	return (uintptr_t) a_hidden_function;
}
