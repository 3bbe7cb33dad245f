/*
 * SPDX-License-Identifier: MIT
 *
 * spool-name.c - see spool-name.h.
 */
#include "spool-name.h"

#include <stdlib.h>
#include <string.h>

long
monocle__spool_name_pid (const char *name)
{
	const char *dot = name + strlen (name);
	for (int parts = 0; dot && parts < 3; parts++)
		dot = memrchr (name, '.', (size_t) (dot - name));
	return dot ? strtol (dot + 1, NULL, 10) : 0;
}
