/*
 * SPDX-License-Identifier: MIT
 *
 * top-sampler.h - has a process sampled for as long as somebody looks at it: `monocle attach`, as a child.
 */
#ifndef MONOCLE_TOOLS_TOP_SAMPLER_H
#define MONOCLE_TOOLS_TOP_SAMPLER_H

#include <stddef.h>
#include <sys/types.h>

typedef struct {
	pid_t child;  /* 0: there is none */
	pid_t target; /* that it samples */
	int said;     /* the child's messages */
} monocle__top_sampler;

/* 0 or -errno. */
int monocle__top_sampler_begin (monocle__top_sampler *sampler, pid_t target);
/* Where the child has ended by itself, its last line is in `ret_reason`; "" otherwise. */
void monocle__top_sampler_look (monocle__top_sampler *sampler, char *ret_reason, size_t size);
/* Returns when the process is as it was, or cannot say so for a while; then it will be later. */
void monocle__top_sampler_end (monocle__top_sampler *sampler);

#endif
