/*
 * SPDX-License-Identifier: MIT
 *
 * late-module.c - see late-module.h.
 */
#include "late-module.h"

#include <string.h>

/* clang-format off */
static const struct {
	const char *module;
	bool is_of_mono; /* CoreCLR gives a method that is compiled another body */
	const char *reason;
} started_only[] = {
	{ "calls",    true,  "on Mono methods that are compiled already have no probes" },
	{ "cover",    false, "methods that are compiled already have no counters" },
	{ "coverage", false, "methods that are compiled already have no counters" },
	{ "aot",      false, "it has to see methods being compiled" },
	{ "log",      false, "it is made for a process from its beginning to its end" },
};
/* clang-format on */

const char *
monocle__late_module_refusal (const char *desc, bool is_mono)
{
	size_t length = strcspn (desc, ":");
	for (size_t i = 0; i < sizeof started_only / sizeof *started_only; i++)
		if ((is_mono || !started_only[i].is_of_mono) && strlen (started_only[i].module) == length &&
		    strncmp (desc, started_only[i].module, length) == 0)
			return started_only[i].reason;
	return NULL;
}
