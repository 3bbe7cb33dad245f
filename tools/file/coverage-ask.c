/*
 * SPDX-License-Identifier: MIT
 *
 * coverage-ask.c - see coverage-ask.h. The file is written as a file: what the process has mapped shows it at once,
 * and one that is cut meanwhile is no danger.
 */
#include "coverage-ask.h"

#include "command/command.h"
#include "process-start.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/file.h>
#include <time.h>
#include <unistd.h>

enum { STEP_MS = 2, WAIT_MS = 2000 };

bool
monocle__coverage_ask_is_running (const struct monocle__cover_header *header)
{
	char boot_id[sizeof header->boot_id];
	monocle__process_start_boot_id (boot_id);
	return !(header->flags & MONOCLE__COVER_JOINED) && header->pid > 0 && header->pid <= INT32_MAX &&
	       header->process_start && memcmp (boot_id, header->boot_id, sizeof boot_id) == 0 &&
	       monocle__process_start ((pid_t) header->pid) == header->process_start;
}

static bool
try_number (int fd, size_t at, uint32_t *ret_number)
{
	return pread (fd, ret_number, sizeof *ret_number, (off_t) at) == sizeof *ret_number;
}

/* Numbers go round: it is the difference that counts. */
static bool
wait_for (int fd, uint32_t request)
{
	const struct timespec step = { 0, STEP_MS * 1000000L };
	uint32_t answer;
	for (int waited = 0; waited < WAIT_MS; waited += STEP_MS) {
		if (!try_number (fd, offsetof (struct monocle__cover_header, answer), &answer))
			return false;
		if ((int32_t) (answer - request) >= 0)
			return true;
		nanosleep (&step, NULL);
	}
	return false;
}

/* One reader at a time, so that none takes the answer to another's request for its own. */
static bool
ask (int fd)
{
	const size_t at = offsetof (struct monocle__cover_header, request);
	uint32_t request;
	bool is_asked;
	if (flock (fd, LOCK_EX) != 0 || !try_number (fd, at, &request))
		return false;
	request++;
	is_asked = pwrite (fd, &request, sizeof request, (off_t) at) == sizeof request;
	flock (fd, LOCK_UN);
	return is_asked && wait_for (fd, request);
}

void
monocle__coverage_ask (const char *path, const struct monocle__cover_header *header)
{
	int fd;
	if (!(header->flags & MONOCLE__COVER_POLLED) || !monocle__coverage_ask_is_running (header))
		return;
	fd = open (path, O_RDWR | O_CLOEXEC | O_NOCTTY);
	if (fd < 0)
		monocle__say ("%s: process %u cannot be asked for its counters: %s; they are as old as the last answer", path,
		              header->pid, strerror (errno));
	else if (!ask (fd))
		monocle__say ("%s: process %u does not answer; its counters are as old as the last answer", path, header->pid);
	if (fd >= 0)
		close (fd);
}
