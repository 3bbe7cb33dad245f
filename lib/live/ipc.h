/*
 * SPDX-License-Identifier: MIT
 *
 * ipc.h - what a running .NET runtime is asked over its diagnostics socket, one question to a connection.
 *
 * Every question has a time limit in milliseconds, and whatever the other side sends, or does not send, ends in an
 * answer or in one line. Each call runs a libuv loop of its own. Errors are the end of a sentence that begins with the
 * process: "does not answer". Normal context.
 */
#ifndef MONOCLE_LIVE_IPC_H
#define MONOCLE_LIVE_IPC_H

#include "process.h"

enum { MONOCLE__LIVE_IPC_LIMIT = 5000 };

/* What a runtime says of itself. */
typedef struct {
	char version[48]; /* "10.0.1"; "" when it does not say */
	char entry[64];   /* the name of the program's assembly */
	char error[160];  /* why there is no answer; "" when there is one */
} monocle__live_info;

/* Asks all of them at once; each has an answer or an error. -1: out of memory, and nothing was asked. */
int monocle__live_ipc_info (const monocle__live_process *processes, size_t count, unsigned limit,
                            monocle__live_info *ret_infos);

typedef struct {
	const char *clsid;   /* "{F5E0F6A1-...}" */
	const char *path;    /* of the library, in the process's root folder */
	const void *data;    /* what InitializeForAttach () is given; not changed by the way */
	size_t data_size;    /* at most 32 KiB */
	unsigned gc_timeout; /* milliseconds that the runtime waits for a collection of its own */
} monocle__live_profiler;

/*
 * Has the runtime load a profiler. 0 after InitializeForAttach () has succeeded. -1 and the end of a sentence; then
 * *ret_hresult is what the runtime answered, or 0 when it did not.
 */
int monocle__live_ipc_attach_profiler (const monocle__live_process *process, const monocle__live_profiler *profiler,
                                       unsigned limit, int32_t *ret_hresult, char *ret_error, size_t size);

#endif
