/*
 * SPDX-License-Identifier: MIT
 *
 * attach-leave.c - see attach-leave.h.
 *
 * The runtime looks every 300 ms whether it can let a profiler go, and the folder of the run is where it says so. A
 * prompt that comes back only then is late for somebody who has read the answer.
 *
 * Who waits here has no descriptor but the folder's, and no loop: libuv keeps some of its own.
 */
#include "attach-leave.h"

#include "attach-wait.h"

#include <fcntl.h>
#include <limits.h>
#include <stdlib.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

static void
wait_and_remove (const monocle__live_process *process, int folder, const char *path)
{
	enum { LOOK_NS = 10000000, LOOKS = 1000 };
	for (int i = 0; i < LOOKS && monocle__live_process_is_there (process); i++) {
		if (monocle__attach_wait_is_over (process, folder))
			break;
		nanosleep (&(struct timespec) { 0, LOOK_NS }, NULL);
	}
	monocle__run_folder_delete (folder, path);
}

enum { FOLDER = STDERR_FILENO + 1 };

/* Whoever reads what the command prints is told its end by the last who holds the pipe. */
static void
let_go (int folder)
{
	int nothing = open ("/dev/null", O_RDWR);
	for (int fd = 0; nothing >= 0 && fd <= STDERR_FILENO; fd++)
		dup2 (nothing, fd);
	dup2 (folder, FOLDER);
	syscall (SYS_close_range, FOLDER + 1, UINT_MAX, 0);
	setsid ();
	if (chdir ("/") != 0) /* no file system is kept busy */
		_exit (EXIT_FAILURE);
}

void
monocle__attach_leave (const monocle__live_process *process, const monocle__run_folder *folder)
{
	pid_t child = fork ();
	if (child > 0)
		return;
	if (child == 0)
		let_go (folder->fd);
	wait_and_remove (process, child == 0 ? FOLDER : folder->fd, folder->path);
	if (child == 0)
		_exit (EXIT_SUCCESS);
}
