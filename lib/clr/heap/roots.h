/*
 * SPDX-License-Identifier: MIT
 *
 * roots.h - the kinds of roots that are reported to modules.
 */
#ifndef MONOCLE_CLR_ROOTS_H
#define MONOCLE_CLR_ROOTS_H

/* At the end of the init window. */
void monocle__roots_register (void);

#endif
