/*
 * SPDX-License-Identifier: MIT
 *
 * attach-wait.c - see attach-wait.h. The process may be stopped by a debugger, hang in a collection, or end at any
 * moment; who waits here never hangs. The folder is the process's user's: what else is in it than the notes that were
 * agreed on is not looked at.
 */
#include "attach-wait.h"

#include "attach-block.h"
#include "file/take-over.h"

#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>
#include <uv.h>

enum { LOOK_MS = 5, PATIENCE_MS = 10000, SIGNALS = 3, NOTE_SIZE = 32 };
enum { STOP_FLAGS = O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK };

typedef struct {
	uv_loop_t loop;
	uv_timer_t timer;
	uv_signal_t signals[SIGNALS];
	const monocle__live_process *process;
	int folder;
	uint64_t began, limit;      /* in the loop's milliseconds; how long it may take */
	uint64_t asked;             /* when it was asked to stop; 0: it was not */
	bool is_loaded, has_ended;  /* it has said so */
	monocle__attach_look *look; /* NULL: nothing is looked for */
	void *data;
	monocle__attach_outcome end;
	char *reason;
	size_t size;
} waiting;

static const int numbers[SIGNALS] = { SIGINT, SIGTERM, SIGHUP };

static void
finish (waiting *self, monocle__attach_outcome end)
{
	self->end = end;
	uv_stop (&self->loop);
}

static void
leave_stop (int folder)
{
	int fd = openat (folder, MONOCLE__ATTACH_BLOCK_STOP, O_WRONLY | O_CREAT | STOP_FLAGS, 0600);
	if (fd >= 0)
		close (fd);
}

void
monocle__attach_wait_ask (int folder)
{
	leave_stop (folder);
}

static void
ask_to_stop (waiting *self)
{
	leave_stop (self->folder);
	self->asked = uv_now (&self->loop);
}

static void
on_signal (uv_signal_t *handle, int number)
{
	waiting *self = handle->data;
	if (self->asked)
		finish (self, MONOCLE__ATTACH_SILENT);
	else
		ask_to_stop (self);
}

static void
change_mask (int how)
{
	sigset_t set;
	sigemptyset (&set);
	for (int i = 0; i < SIGNALS; i++)
		sigaddset (&set, numbers[i]);
	pthread_sigmask (how, &set, NULL);
}

static struct sigaction before[SIGNALS];
static int early_folder;
static volatile sig_atomic_t early_count;

static void
on_early_signal (int number)
{
	int saved_errno = errno;
	if (early_count++) {
		signal (number, SIG_DFL);
		raise (number);
	}
	leave_stop (early_folder);
	errno = saved_errno;
}

void
monocle__attach_wait_begin (int folder)
{
	const struct sigaction early = { .sa_handler = on_early_signal, .sa_flags = SA_RESTART };
	early_folder = folder;
	early_count = 0;
	for (int i = 0; i < SIGNALS; i++)
		if (sigaction (numbers[i], NULL, &before[i]) == 0 && before[i].sa_handler != SIG_IGN)
			sigaction (numbers[i], &early, NULL);
}

void
monocle__attach_wait_begun (bool has_begun)
{
	if (has_begun)
		change_mask (SIG_BLOCK);
	for (int i = 0; i < SIGNALS; i++)
		sigaction (numbers[i], &before[i], NULL);
}

/* Notes are called by the number that the process has for itself. */
static bool
has_note (const monocle__live_process *process, int folder, const char *kind, char ret_name[NOTE_SIZE])
{
	struct stat status;
	snprintf (ret_name, NOTE_SIZE, "%d.%s", (int) process->inner_pid, kind);
	return fstatat (folder, ret_name, &status, AT_SYMLINK_NOFOLLOW) == 0;
}

static void
read_reason (waiting *self, const char *name)
{
	int fd = monocle__take_over_open (self->folder, name, self->process->user);
	ssize_t length = fd < 0 ? 0 : read (fd, self->reason, self->size - 1);
	if (fd >= 0)
		close (fd);
	self->reason[length > 0 ? length : 0] = '\0';
	self->reason[strcspn (self->reason, "\n")] = '\0';
}

/* The note that says that it is over. MONOCLE__ATTACH_SILENT: there is none. */
static monocle__attach_outcome
find_end (const monocle__live_process *process, int folder, char ret_name[NOTE_SIZE])
{
	if (has_note (process, folder, "asleep", ret_name))
		return MONOCLE__ATTACH_ASLEEP;
	if (has_note (process, folder, "standing-by", ret_name))
		return MONOCLE__ATTACH_STANDING_BY;
	return has_note (process, folder, "detached", ret_name) ? MONOCLE__ATTACH_DETACHED : MONOCLE__ATTACH_SILENT;
}

/* True: it is over. */
static bool
look_for_notes (waiting *self)
{
	char name[NOTE_SIZE];
	monocle__attach_outcome end = find_end (self->process, self->folder, name);
	if (end == MONOCLE__ATTACH_SILENT) {
		self->is_loaded = self->is_loaded || has_note (self->process, self->folder, "loaded", name);
		self->has_ended = self->has_ended || has_note (self->process, self->folder, "ended", name);
		return false;
	}
	if (end == MONOCLE__ATTACH_ASLEEP)
		read_reason (self, name);
	finish (self, end);
	return true;
}

bool
monocle__attach_wait_is_over (const monocle__live_process *process, int folder)
{
	char name[NOTE_SIZE];
	struct stat status;
	return fstat (folder, &status) != 0 || status.st_nlink == 0 ||
	       find_end (process, folder, name) != MONOCLE__ATTACH_SILENT;
}

static void
on_time (uv_timer_t *timer)
{
	waiting *self = timer->data;
	bool is_there = monocle__live_process_is_there (self->process);
	if (self->look && self->look (self->data)) {
		finish (self, MONOCLE__ATTACH_FOUND);
		return;
	}
	if (look_for_notes (self))
		return;
	uint64_t most = self->is_loaded ? self->limit + PATIENCE_MS : PATIENCE_MS;
	if (is_there && !self->asked && uv_now (&self->loop) - self->began > most)
		ask_to_stop (self);
	if (!is_there)
		finish (self, self->has_ended ? MONOCLE__ATTACH_ENDED : MONOCLE__ATTACH_DIED);
	else if (self->asked && uv_now (&self->loop) - self->asked > PATIENCE_MS)
		finish (self, MONOCLE__ATTACH_SILENT);
}

static void
close_handles (waiting *self)
{
	uv_close ((uv_handle_t *) &self->timer, NULL);
	for (int i = 0; i < SIGNALS; i++)
		uv_close ((uv_handle_t *) &self->signals[i], NULL);
	uv_run (&self->loop, UV_RUN_DEFAULT);
	uv_loop_close (&self->loop);
}

monocle__attach_outcome
monocle__attach_wait (const monocle__live_process *process, int folder, uint32_t milliseconds,
                      monocle__attach_look *look, void *data, char *ret_reason, size_t size)
{
	waiting self = { .process = process, .folder = folder, .limit = milliseconds, .look = look, .data = data };
	self.reason = ret_reason;
	self.size = size;
	self.end = MONOCLE__ATTACH_SILENT;
	ret_reason[0] = '\0';
	if (uv_loop_init (&self.loop) != 0)
		return MONOCLE__ATTACH_SILENT;
	self.timer.data = &self;
	uv_timer_init (&self.loop, &self.timer);
	uv_timer_start (&self.timer, on_time, LOOK_MS, LOOK_MS);
	self.began = uv_now (&self.loop);
	for (int i = 0; i < SIGNALS; i++) {
		self.signals[i].data = &self;
		uv_signal_init (&self.loop, &self.signals[i]);
		uv_signal_start (&self.signals[i], on_signal, numbers[i]);
	}
	if (early_count)
		ask_to_stop (&self);
	early_count = 0;
	change_mask (SIG_UNBLOCK);
	uv_run (&self.loop, UV_RUN_DEFAULT);
	close_handles (&self);
	return self.end;
}
