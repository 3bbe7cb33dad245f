/*
 * SPDX-License-Identifier: MIT
 *
 * stacks-library.c - stands for the module sample, as far as the core asks it for stacks.
 */
#include <monocle/stacks.h>

__attribute__ ((visibility ("default"))) const char *monocle_stacks_take (const MonocleStacks *request);

const char *
monocle_stacks_take (const MonocleStacks *request)
{
	return request->look (NULL, 0) ? "no look" : NULL;
}
