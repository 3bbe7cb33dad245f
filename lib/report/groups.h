/*
 * SPDX-License-Identifier: MIT
 *
 * groups.h - samples by the process and the thread that they are labelled with, those of idle threads apart.
 */
#ifndef MONOCLE_REPORT_GROUPS_H
#define MONOCLE_REPORT_GROUPS_H

#include "profile.h"

typedef struct {
	char *process, *thread; /* "shop (42)", "main"; "" where nothing is said */
	bool is_idle;           /* its samples have the label MONOCLE__IDLE_LABEL */
} monocle__group;

typedef struct {
	monocle__group *groups; /* at least one, by process and then by thread */
	size_t count;
	uint32_t *of_sample;
} monocle__groups;

/* NULL: out of memory. */
monocle__groups *monocle__groups_new (const monocle__profile *profile);
void monocle__groups_free (monocle__groups *groups);

#endif
