/*
 * SPDX-License-Identifier: MIT
 *
 * control-server.h - the thread that listens.
 */
#ifndef MONOCLE_CONTROL_SERVER_H
#define MONOCLE_CONTROL_SERVER_H

#include <stdbool.h>

/* False: there is no thread. Normal context. */
bool monocle__control_server_begin (void);
/* The folder is gone when this returns; the thread goes soon. */
void monocle__control_server_end (void);

#endif
