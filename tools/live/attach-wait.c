/*
 * SPDX-License-Identifier: MIT
 *
 * attach-wait.c - see attach-wait.h. The process may be stopped by a debugger, hang in a collection, or end at any
 * moment; who waits here never hangs.
 */
#include "attach-wait.h"

#include "attach-block.h"
#include "file/take-over.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <uv.h>

enum { LOOK_MS = 5, PATIENCE_MS = 10000, SIGNALS = 3 };
enum { STOP_FLAGS = O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK };

typedef struct {
	uv_loop_t loop;
	uv_timer_t timer;
	uv_signal_t signals[SIGNALS];
	const monocle__live_process *process;
	int folder;
	uint64_t began, limit;      /* in the loop's milliseconds; how long it may take */
	uint64_t asked;             /* when it was asked to stop; 0: it was not */
	bool is_loaded;             /* it has said so */
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
monocle__attach_wait_ask (const char *folder)
{
	int directory = open (folder, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
	leave_stop (directory);
	if (directory >= 0)
		close (directory);
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

void
monocle__attach_wait_signals (int how)
{
	sigset_t set;
	sigemptyset (&set);
	for (int i = 0; i < SIGNALS; i++)
		sigaddset (&set, numbers[i]);
	pthread_sigmask (how, &set, NULL);
}

static bool
ends_with (const char *text, const char *ending)
{
	size_t length = strlen (text), more = strlen (ending);
	return length > more && strcmp (text + length - more, ending) == 0;
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

/* Notes are called by the number that the process has for itself. True: it is over. */
static bool
look_for_notes (waiting *self)
{
	int fd = openat (self->folder, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	DIR *folder = fd >= 0 ? fdopendir (fd) : NULL;
	struct dirent *entry;
	bool is_over = false;
	while (folder && !is_over && (entry = readdir (folder))) {
		if (ends_with (entry->d_name, ".asleep")) {
			read_reason (self, entry->d_name);
			finish (self, MONOCLE__ATTACH_ASLEEP);
			is_over = true;
		} else if (ends_with (entry->d_name, ".standing-by")) {
			finish (self, MONOCLE__ATTACH_STANDING_BY);
			is_over = true;
		} else if (ends_with (entry->d_name, ".loaded")) {
			self->is_loaded = true;
		} else if (ends_with (entry->d_name, ".detached")) {
			finish (self, MONOCLE__ATTACH_DETACHED);
			is_over = true;
		}
	}
	if (folder)
		closedir (folder);
	else if (fd >= 0)
		close (fd);
	return is_over;
}

bool
monocle__attach_wait_is_over (const char *folder)
{
	static const char *const endings[] = { ".detached", ".standing-by", ".asleep" };
	DIR *directory = opendir (folder);
	struct dirent *entry;
	bool is_over = !directory;
	while (!is_over && (entry = readdir (directory)))
		for (size_t i = 0; i < sizeof endings / sizeof *endings; i++)
			is_over |= ends_with (entry->d_name, endings[i]);
	if (directory)
		closedir (directory);
	return is_over;
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
		finish (self, MONOCLE__ATTACH_ENDED);
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
monocle__attach_wait (const monocle__live_process *process, const char *folder, uint32_t milliseconds,
                      monocle__attach_look *look, void *data, char *ret_reason, size_t size)
{
	waiting self = { .process = process, .limit = milliseconds, .look = look, .data = data };
	self.reason = ret_reason;
	self.size = size;
	self.end = MONOCLE__ATTACH_SILENT;
	ret_reason[0] = '\0';
	self.folder = open (folder, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
	if (self.folder < 0 || uv_loop_init (&self.loop) != 0) {
		if (self.folder >= 0)
			close (self.folder);
		return MONOCLE__ATTACH_SILENT;
	}
	self.timer.data = &self;
	uv_timer_init (&self.loop, &self.timer);
	uv_timer_start (&self.timer, on_time, LOOK_MS, LOOK_MS);
	self.began = uv_now (&self.loop);
	for (int i = 0; i < SIGNALS; i++) {
		self.signals[i].data = &self;
		uv_signal_init (&self.loop, &self.signals[i]);
		uv_signal_start (&self.signals[i], on_signal, numbers[i]);
	}
	monocle__attach_wait_signals (SIG_UNBLOCK);
	uv_run (&self.loop, UV_RUN_DEFAULT);
	close_handles (&self);
	close (self.folder);
	return self.end;
}
