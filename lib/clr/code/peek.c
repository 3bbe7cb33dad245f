/*
 * SPDX-License-Identifier: MIT
 *
 * peek.c - reading memory of this process that may not be there, in any context.
 */
#include "peek.h"
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <string.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <unistd.h>

/*
 * Where process_vm_readv () is forbidden, a system call that copies 8 bytes in before it refuses its first argument
 * says whether they are there.
 */
static bool
is_readable (uintptr_t address)
{
	enum { NO_SUCH_HOW = -1, SET_SIZE = 8 };
	return syscall (SYS_rt_sigprocmask, NO_SUCH_HOW, address & ~(uintptr_t) 7, NULL, SET_SIZE) == -1 && errno == EINVAL;
}

typedef enum { READ, GONE, FORBIDDEN } outcome;

static outcome
read_by_system (uintptr_t address, void *to, size_t size)
{
	struct iovec local = { to, size }, remote = { (void *) address, size };
	ssize_t got = syscall (SYS_process_vm_readv, getpid (), &local, 1UL, &remote, 1UL, 0UL);
	if (got == (ssize_t) size)
		return READ;
	return got < 0 && (errno == EPERM || errno == ENOSYS) ? FORBIDDEN : GONE;
}

bool
monocle__peek (uintptr_t address, void *to, size_t size)
{
	outcome result = read_by_system (address, to, size);
	if (result != FORBIDDEN)
		return result == READ;
	if (!is_readable (address) || !is_readable (address + size - 1))
		return false;
	memcpy (to, (const void *) address, size);
	return true;
}

/* Between a look and a read of our own the memory might go, so it is the system that reads into a pipe. */
static bool
read_by_pipe (uintptr_t address, void *to, size_t size)
{
	int ends[2];
	if (pipe2 (ends, O_CLOEXEC | O_NONBLOCK) != 0)
		return false;
	bool is_read =
	    write (ends[1], (const void *) address, size) == (ssize_t) size && read (ends[0], to, size) == (ssize_t) size;
	close (ends[0]);
	close (ends[1]);
	return is_read;
}

bool
monocle__peek_fleeting (uintptr_t address, void *to, size_t size)
{
	outcome result = read_by_system (address, to, size);
	return result == READ || (result == FORBIDDEN && read_by_pipe (address, to, size));
}
