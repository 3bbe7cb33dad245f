/*
 * SPDX-License-Identifier: MIT
 *
 * control-place.h - the folder and the name of a control socket.
 */
#ifndef MONOCLE_CONTROL_PLACE_H
#define MONOCLE_CONTROL_PLACE_H

#include <stdbool.h>
#include <sys/un.h>

typedef struct {
	char folder[sizeof ((struct sockaddr_un *) 0)->sun_path];
	struct sockaddr_un address; /* the socket in it */
} monocle__control_place;

/* Reads the variables, while no other thread changes them. */
void monocle__control_place_begin (void);
/*
 * Makes a folder that only this user can enter, under a name that nobody can guess, and a socket in it that listens.
 * The socket's descriptor is closed by exec. -1: there is no folder for it. Normal context.
 */
int monocle__control_place_make (monocle__control_place *ret_place);
void monocle__control_place_remove (const monocle__control_place *place);

#endif
