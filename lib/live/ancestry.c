/*
 * SPDX-License-Identifier: MIT
 *
 * ancestry.c - see ancestry.h.
 */
#include "ancestry.h"

#include "read-file.h"

#include <fcntl.h>
#include <stdio.h>
#include <string.h>

enum { GENERATIONS_MOST = 64 };

/* 0: there is no such process. */
static pid_t
parent_of (pid_t pid)
{
	char name[32], text[1024], *end;
	int parent = 0;
	snprintf (name, sizeof name, "/proc/%d/stat", (int) pid);
	monocle__read_file_text (AT_FDCWD, name, text, sizeof text);
	end = strrchr (text, ')'); /* A program's name may have parentheses. */
	return end && sscanf (end, ") %*c %d", &parent) == 1 ? parent : 0;
}

bool
monocle__live_ancestry_is_below (pid_t pid, pid_t ancestor)
{
	for (int i = 0; pid > 1 && i < GENERATIONS_MOST; i++) {
		pid = parent_of (pid);
		if (pid == ancestor)
			return true;
	}
	return false;
}
