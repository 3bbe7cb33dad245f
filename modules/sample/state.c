/*
 * SPDX-License-Identifier: MIT
 *
 * state.c - what each thread did before a snapshot, or a sample, disturbed it.
 *
 * A thread that is hit runs, whatever it did before: so the system is asked for all threads when a snapshot begins, and
 * what it said is looked up by each thread when it is hit. That happens in a signal handler, at both ends: the table
 * has a fixed size, and files are read without buffers. A thread that came later, and the one that was asking, have no
 * state.
 *
 * What came before a snapshot may have woken threads as well: the runtime stops them all, or looks at them. On a busy
 * machine they have not come back to their wait then. Their registers tell: the kernel breaks off a wait for a signal,
 * and has the system call begin again, or fail with EINTR.
 */
#include "sample.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/syscall.h>
#include <ucontext.h>
#include <unistd.h>

enum { MOST = STATE_PLACES / 2, LETTER_BITS = 7 };

static _Atomic uint32_t *
place_of (struct states *states, uint32_t os_id)
{
	for (uint32_t i = os_id * 0x9e3779b1u >> 16;; i++) {
		_Atomic uint32_t *place = &states->places[i & (STATE_PLACES - 1)];
		if (!*place || *place >> LETTER_BITS == os_id)
			return place;
	}
}

/* In "NUMBER (NAME) STATE ...", where NAME is of fifteen bytes at most and may hold anything. 0: it has ended. */
static uint32_t
letter_of (int tasks, const char *number)
{
	enum { NUMBER_MOST = 10, NAME_MOST = 15 };
	char path[NUMBER_MOST + sizeof "/stat"], text[NUMBER_MOST + sizeof " () S" + NAME_MOST];
	size_t length = strnlen (number, NUMBER_MOST);
	memcpy (path, number, length);
	memcpy (path + length, "/stat", sizeof "/stat");
	int fd = openat (tasks, path, O_RDONLY | O_CLOEXEC);
	ssize_t size = fd < 0 ? 0 : read (fd, text, sizeof text);
	if (fd >= 0)
		close (fd);
	const char *end = size > 0 ? memrchr (text, ')', (size_t) size) : NULL;
	return end && end + 2 < text + size && end[2] > ' ' ? (uint32_t) end[2] & 0x7f : 0;
}

static uint32_t
number_of (const char *text)
{
	uint32_t number = 0;
	for (; *text >= '0' && *text <= '9'; text++)
		number = number * 10 + (uint32_t) (*text - '0');
	return number;
}

struct entry { /* as getdents64 (2) has them */
	uint64_t inode, offset;
	uint16_t size;
	uint8_t type;
	char name[];
};

/* How many there are now. */
static unsigned
look_at (struct states *states, int tasks, const char *entries, size_t size, unsigned count)
{
	uint32_t own = (uint32_t) syscall (SYS_gettid);
	const struct entry *entry;
	for (size_t at = 0; at < size && count < MOST; at += entry->size) {
		entry = (const struct entry *) (entries + at);
		uint32_t number = number_of (entry->name);
		uint32_t letter = number && number != own ? letter_of (tasks, entry->name) : 0;
		if (!letter)
			continue;
		*place_of (states, number) = number << LETTER_BITS | letter;
		count++;
	}
	return count;
}

void
state_look (struct states *states)
{
	_Alignas(struct entry) char entries[2048];
	unsigned count = 0;
	for (size_t i = 0; i < STATE_PLACES; i++)
		atomic_store_explicit (&states->places[i], 0, memory_order_relaxed);
	int tasks = open ("/proc/self/task", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	long size = 1;
	while (tasks >= 0 && count < MOST && (size = syscall (SYS_getdents64, tasks, entries, sizeof entries)) > 0)
		count = look_at (states, tasks, entries, (size_t) size, count);
	if (tasks >= 0)
		close (tasks);
}

#if defined __x86_64__ && defined __linux__
/* The bytes before an instruction at the beginning of a page may be no memory. */
static bool
was_in_kernel (const ucontext_t *context)
{
	static const uint8_t instruction[] = { 0x0f, 0x05 };
	enum { SIZE = sizeof instruction, PAGE = 4096 };
	const greg_t *registers = context->uc_mcontext.gregs;
	const uint8_t *ip = (const uint8_t *) registers[REG_RIP];
	if ((uintptr_t) ip % PAGE < SIZE || (uintptr_t) ip % PAGE > PAGE - SIZE)
		return false;
	bool begins_again = memcmp (ip, instruction, SIZE) == 0;
	return begins_again || (registers[REG_RAX] == -EINTR && memcmp (ip - SIZE, instruction, SIZE) == 0);
}
#else
static bool
was_in_kernel (const ucontext_t *context)
{
	return false;
}
#endif

bool
state_is_waiting (const struct subject *subject, const void *context)
{
	return subject->asleep || (context && was_in_kernel (context));
}

uintptr_t
state_frame (struct states *states, const struct subject *subject, const void *context)
{
	switch (*place_of (states, (uint32_t) subject_number (subject)) & ((1 << LETTER_BITS) - 1)) {
	case 'R': return state_is_waiting (subject, context) ? MONOCLE_KIT_FRAME_WAITING : MONOCLE_KIT_FRAME_RUNNING;
	case 'S': return MONOCLE_KIT_FRAME_WAITING;
	case 'D': return MONOCLE_KIT_FRAME_DISK;
	case 'T':
	case 't': return MONOCLE_KIT_FRAME_STOPPED;
	default: return 0;
	}
}
