/*
 * SPDX-License-Identifier: MIT
 *
 * socket.h - the way to a runtime's diagnostics socket, and only to the right one.
 *
 * The runtime makes dotnet-diagnostic-PID-START-socket in its folder for temporary files. That folder is everybody's,
 * and sockets of dead processes stay in it: so the name has number and start time, the file is a socket that belongs to
 * the process's user, and it is the process itself that listens. All of this is asked of one file that is held open, so
 * nothing can be put in its place between the question and the connection.
 */
#ifndef MONOCLE_LIVE_SOCKET_H
#define MONOCLE_LIVE_SOCKET_H

#include "process.h"

/* May this user speak to it: is it the process's user, or root? */
bool monocle__live_socket_is_allowed (const monocle__live_process *process);

/*
 * The folder that the process has for temporary files, as it would find it itself, without leaving its root folder; for
 * paths alone. -1: errno. The caller closes.
 */
int monocle__live_socket_open_folder (const monocle__live_process *process);

/*
 * A connection, which does not block and which the caller closes; not a byte has been sent. -1 and the end of a
 * sentence that begins with the process: "is another user's (joe)".
 */
int monocle__live_socket_connect (const monocle__live_process *process, char *ret_error, size_t size);

#endif
