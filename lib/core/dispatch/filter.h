/*
 * SPDX-License-Identifier: MIT
 *
 * filter.h - what the host's life means for call filters.
 */
#ifndef MONOCLE_DISPATCH_FILTER_H
#define MONOCLE_DISPATCH_FILTER_H

#include "handle.h"

void monocle__filter_announce (void);
void monocle__filter_clear (monocle__handle *handle);

#endif
