/*
 * SPDX-License-Identifier: MIT
 *
 * control-command.h - the thread that does what was asked, one thing at a time.
 */
#ifndef MONOCLE_CONTROL_COMMAND_H
#define MONOCLE_CONTROL_COMMAND_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "control-words.h"
#include "control.h"

enum { MONOCLE__CONTROL_ANSWER = 32 << 10 };

typedef struct {
	size_t length;
	char text[MONOCLE__CONTROL_ANSWER];
} monocle__control_answer;

/*
 * Makes the thread. `start_after`: nanoseconds from now after which all modules are started; UINT64_MAX: never.
 * `stop_after`: the same, from that start on. False: there is no thread.
 */
bool monocle__control_command_begin (const monocle__control_host *host, uint64_t start_after, uint64_t stop_after);
/* Nothing is done any more, and nothing is under way, when this returns; after two seconds it gives up waiting. */
void monocle__control_command_end (void);

/*
 * From now on nothing is under way, nor begun, until it is let go again, by the same thread. What waits for that thread
 * to end modules (unload), and that thread itself when it is this one, are not waited for.
 */
void monocle__control_command_hold (bool hold);

/* Does it now, on the calling thread. */
void monocle__control_command_do (const monocle__control_request *request, monocle__control_answer *ret_answer);

/*
 * For the server, whose thread may still be there when the next session has begun: it says which one it is of, and has
 * nothing of another one.
 */
unsigned monocle__control_command_session (void);
/* Has it done; false: the answer to another one was not taken yet, or the session is over. */
bool monocle__control_command_post (unsigned of_session, const monocle__control_request *request);
/* The answer, once, into MONOCLE__CONTROL_ANSWER bytes, and its length; 0: it is not there yet. */
size_t monocle__control_command_take (unsigned of_session, char *ret_text);

#endif
