/*
 * SPDX-License-Identifier: MIT
 *
 * attach.h - an attach that comes through the control socket, into a process that stands by.
 */
#ifndef MONOCLE_CLR_ATTACH_H
#define MONOCLE_CLR_ATTACH_H

#include <stdint.h>

/* The host's operations `load` and `unload`. */
const char *monocle__attach_load (void *host, uint32_t milliseconds, const char *const *settings);
const char *monocle__attach_unload (void *host);

#endif
