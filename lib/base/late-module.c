/*
 * SPDX-License-Identifier: MIT
 *
 * late-module.c - see late-module.h.
 */
#include "late-module.h"

#include <string.h>

/* clang-format off */
static const struct {
	const char *module, *reason;
} started_only[] = {
	{ "calls",    "methods that are compiled already have no probes" },
	{ "cover",    "methods that are compiled already have no counters" },
	{ "coverage", "methods that are compiled already have no counters" },
	{ "aot",      "it has to see methods being compiled" },
	{ "log",      "it is made for a process from its beginning to its end" },
};
/* clang-format on */

const char *
monocle__late_module_refusal (const char *desc)
{
	size_t length = strcspn (desc, ":");
	for (size_t i = 0; i < sizeof started_only / sizeof *started_only; i++)
		if (strlen (started_only[i].module) == length && strncmp (desc, started_only[i].module, length) == 0)
			return started_only[i].reason;
	return NULL;
}
