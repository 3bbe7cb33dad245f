/*
 * SPDX-License-Identifier: MIT
 *
 * show.h - what show.c forgets.
 */
#ifndef MONOCLE_MODULES_EVENTS_SHOW_H
#define MONOCLE_MODULES_EVENTS_SHOW_H

/* Addresses of methods may mean others from now on. */
void show_forget_methods (void);
void show_forget_method (MonoMethod *method);

#endif
