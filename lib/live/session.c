/*
 * SPDX-License-Identifier: MIT
 *
 * session.c - see session.h. The question (CollectTracing3, or 2 for older runtimes) is answered with the session's
 * number, and the events follow on the same connection. A second connection carries the number back to stop it.
 */
#include "session.h"

#include "ipc-message.h"
#include "nanoseconds.h"
#include "patience.h"
#include "socket.h"
#include "usage.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum {
	PIECE = 64 << 10,
	ANSWER_LIMIT = 5000,
	STOP_LIMIT = 2000,
	SILENT_STOP_LIMIT = 100, /* of a program that is stopped, say */
	BUFFER = 64,             /* MB in the process, of which it takes what it needs */
	FORMAT_NETTRACE = 1,
	LEVEL_VERBOSE = 5,
	HANDLES = 3,
	LOOK_MS = 20,
	LOOKS = 50, /* before a process whose connection was closed counts as one that lives */
};

/* GC, contention, exceptions. At the level of allocations; methods would be told with their names there, so they are
 * counted by a counter. */
static const uint64_t keywords = 0x1 | 0x4000 | 0x8000;

struct monocle__live_session {
	monocle__live_process process; /* its texts are not ours */
	monocle__live_session_options options;
	monocle__live_figures figures;
	uint64_t heard; /* when something came last, as CLOCK_MONOTONIC has it */
	monocle__live_usage begin;
	monocle__live_nettrace *trace;
	monocle__live_ipc_message *question;
	uv_pipe_t pipe, stop_pipe;
	uv_timer_t timer;
	uv_write_t write, stop_write;
	monocle__live_ipc_message stop;
	uint8_t answer[MONOCLE__LIVE_IPC_MOST];
	size_t answer_size;
	uint64_t number;
	uint8_t command; /* which way of asking */
	unsigned looks;  /* for the end of the process, after its connection */
	bool has_stop_pipe, is_ready, is_stopping, is_over;
	bool has_events; /* some byte of them came */
	bool is_mute;    /* a Mono: there is no connection */
	char error[160];
	char piece[PIECE];
};

/* --- the end ------------------------------------------------------------------------------------------------------ */

static void
close_handle (uv_handle_t *handle)
{
	if (!uv_is_closing (handle))
		uv_close (handle, NULL);
}

static void
end (monocle__live_session *self, const char *error)
{
	if (self->is_over)
		return;
	self->is_over = true;
	if (self->pipe.loop)
		close_handle ((uv_handle_t *) &self->pipe);
	close_handle ((uv_handle_t *) &self->timer);
	if (self->has_stop_pipe)
		close_handle ((uv_handle_t *) &self->stop_pipe);
	monocle__live_figures_set (&self->figures, MONOCLE__LIVE_LOST, monocle__live_nettrace_lost (self->trace));
	self->options.ended (self, error, self->options.context);
}

/* A runtime that is well sends the head of its events at once, and figures in each interval. */
static bool
is_silent (const monocle__live_session *self)
{
	return !self->has_events || monocle__live_session_silence (self);
}

static void
too_late (uv_timer_t *timer)
{
	monocle__live_session *self = timer->data;
	double silence = (double) (monocle__nanoseconds (CLOCK_MONOTONIC) - self->heard) / 1e9;
	if (!self->is_ready && (!self->is_stopping || monocle__live_process_is_there (&self->process)))
		snprintf (self->error, sizeof self->error, "has not answered on its diagnostics socket for %.1f s%s", silence,
		          self->process.is_stopped ? ": it is stopped" : "");
	else if (is_silent (self) && monocle__live_process_is_there (&self->process))
		snprintf (self->error, sizeof self->error,
		          "has told nothing for %.1f s, nor when it was asked to end: only the kernel's figures are complete",
		          silence);
	end (self, self->error[0] ? self->error : NULL);
}

static void
look_for_end (uv_timer_t *timer)
{
	monocle__live_session *self = timer->data;
	if (!monocle__live_process_is_there (&self->process))
		end (self, NULL);
	else if (++self->looks >= LOOKS)
		end (self, "closed the connection without an answer");
}

/* A process that ends closes its connections some time before it is gone. */
static void
lose_connection (monocle__live_session *self)
{
	if (self->is_ready) {
		end (self, NULL);
	} else if (!self->is_over && !self->looks) {
		self->looks = 1;
		uv_read_stop ((uv_stream_t *) &self->pipe);
		uv_timer_start (&self->timer, look_for_end, 0, LOOK_MS);
	}
}

static void ask_again (uv_handle_t *handle);

/* --- what comes --------------------------------------------------------------------------------------------------- */

static void
feed (monocle__live_session *self, const void *bytes, size_t size)
{
	const char *error;
	self->has_events |= size > 0;
	if (monocle__live_nettrace_feed (self->trace, bytes, size, &error) != 0)
		end (self, error);
	else if (monocle__live_nettrace_is_over (self->trace))
		end (self, NULL);
}

/* What follows the answer, and the bytes that had no room behind it, are the beginning of the events. */
static void
begin (monocle__live_session *self, monocle__live_reply reply, monocle__span more)
{
	if (reply.payload.size < 8) {
		end (self, "answers nonsense on its diagnostics socket");
		return;
	}
	self->number = monocle__le64 (reply.payload.data);
	self->is_ready = true;
	uv_timer_stop (&self->timer);
	if (self->is_stopping)
		monocle__live_session_stop (self);
	feed (self, self->answer + reply.size, self->answer_size - reply.size);
	if (!self->is_over && more.size)
		feed (self, more.data, more.size);
}

/* There is room for every answer; when we are late the events behind it need more. */
static void
have_answer (monocle__live_session *self, monocle__span bytes)
{
	size_t room = sizeof self->answer - self->answer_size, part = bytes.size < room ? bytes.size : room;
	monocle__live_reply reply;
	const char *words;
	memcpy (self->answer + self->answer_size, bytes.data, part);
	self->answer_size += part;
	reply = monocle__live_ipc_message_reply (self->answer, self->answer_size);
	if (reply.kind == MONOCLE__LIVE_REPLY_NONSENSE) {
		end (self, "answers nonsense on its diagnostics socket");
	} else if (reply.kind == MONOCLE__LIVE_REPLY_ERROR && self->command == MONOCLE__LIVE_IPC_COLLECT_TRACING_3 &&
	           (uint32_t) reply.hresult == MONOCLE__LIVE_IPC_UNKNOWN_COMMAND) {
		self->command = MONOCLE__LIVE_IPC_COLLECT_TRACING_2;
		uv_close ((uv_handle_t *) &self->pipe, ask_again);
	} else if (reply.kind == MONOCLE__LIVE_REPLY_ERROR) {
		words = monocle__live_ipc_message_hresult (reply.hresult);
		snprintf (self->error, sizeof self->error, "refused with 0x%08x", (unsigned) reply.hresult);
		end (self, words ? words : self->error);
	} else if (reply.kind == MONOCLE__LIVE_REPLY_OK) {
		begin (self, reply, (monocle__span) { bytes.data + part, bytes.size - part });
	}
}

static void
give_room (uv_handle_t *handle, size_t suggested, uv_buf_t *ret_room)
{
	monocle__live_session *self = handle->data;
	*ret_room = uv_buf_init (self->piece, sizeof self->piece);
}

/* A process that is killed ends the stream anywhere. */
static void
have_bytes (uv_stream_t *stream, ssize_t count, const uv_buf_t *room)
{
	monocle__live_session *self = stream->data;
	self->heard = monocle__nanoseconds (CLOCK_MONOTONIC);
	if (count < 0)
		lose_connection (self);
	else if (self->is_ready)
		feed (self, room->base, (size_t) count);
	else
		have_answer (self, (monocle__span) { (const uint8_t *) room->base, (size_t) count });
}

static void
have_written (uv_write_t *write, int status)
{
	monocle__live_session *self = write->data;
	if (status < 0 && status != UV_ECANCELED && !self->is_ready)
		lose_connection (self);
}

static void
look_whether_there (uv_timer_t *timer)
{
	monocle__live_session *self = timer->data;
	if (!monocle__live_process_is_there (&self->process))
		end (self, NULL);
}

/* --- the beginning ------------------------------------------------------------------------------------------------ */

static void
put_provider (monocle__live_ipc_message *message, const char *name, uint64_t words, uint32_t level, const char *filter)
{
	monocle__live_ipc_message_u64 (message, words);
	monocle__live_ipc_message_u32 (message, level);
	monocle__live_ipc_message_text (message, name);
	monocle__live_ipc_message_text (message, filter);
}

/* Without the methods that are there already; where the runtime can, without stacks, which cost the program most. */
static bool
put_question (const monocle__live_session *self, monocle__live_ipc_message *message)
{
	char filter[64];
	unsigned milliseconds = (unsigned) (self->options.interval * 1000);
	snprintf (filter, sizeof filter, "EventCounterIntervalSec=%u.%03u", milliseconds / 1000, milliseconds % 1000);
	monocle__live_ipc_message_begin (message, MONOCLE__LIVE_IPC_EVENT_PIPE, self->command);
	monocle__live_ipc_message_u32 (message, BUFFER);
	monocle__live_ipc_message_u32 (message, FORMAT_NETTRACE);
	monocle__live_ipc_message_bytes (message, "\0\0", self->command == MONOCLE__LIVE_IPC_COLLECT_TRACING_3 ? 2 : 1);
	monocle__live_ipc_message_u32 (message, 2);
	put_provider (message, "Microsoft-Windows-DotNETRuntime", keywords, LEVEL_VERBOSE, NULL);
	put_provider (message, "System.Runtime", UINT64_MAX, LEVEL_VERBOSE, filter);
	return monocle__live_ipc_message_end (message);
}

/* False: nothing was sent. */
static bool
start (monocle__live_session *self, int fd)
{
	uv_buf_t bytes;
	if (put_question (self, self->question) && uv_pipe_init (self->timer.loop, &self->pipe, 0) == 0 &&
	    uv_pipe_open (&self->pipe, fd) == 0) {
		bytes = uv_buf_init ((char *) self->question->bytes, (unsigned) self->question->size);
		return uv_read_start ((uv_stream_t *) &self->pipe, give_room, have_bytes) == 0 &&
		       uv_write (&self->write, (uv_stream_t *) &self->pipe, &bytes, 1, have_written) == 0;
	}
	close (fd);
	return false;
}

/* The connection of a question that was not understood is closed: here is another. */
static void
ask_again (uv_handle_t *handle)
{
	monocle__live_session *self = handle->data;
	int fd = self->is_over ? -1 : monocle__live_socket_connect (&self->process, self->error, sizeof self->error);
	self->answer_size = 0;
	if (self->is_over)
		return;
	if (fd < 0 || !start (self, fd))
		end (self, fd < 0 ? self->error : "cannot be connected to");
}

static monocle__live_session *
allocate (const monocle__live_process *process, const monocle__live_session_options *options)
{
	monocle__live_session *self = calloc (1, sizeof *self);
	if (!self)
		return NULL;
	self->process = *process;
	self->options = *options;
	monocle__live_figures_init (&self->figures);
	self->trace = monocle__live_nettrace_new (monocle__live_figures_event, &self->figures);
	self->question = malloc (sizeof *self->question);
	self->pipe.data = self->stop_pipe.data = self->timer.data = self->write.data = self->stop_write.data = self;
	self->command = MONOCLE__LIVE_IPC_COLLECT_TRACING_3;
	self->heard = monocle__nanoseconds (CLOCK_MONOTONIC);
	if (self->trace && self->question)
		return self;
	monocle__live_session_free (self);
	return NULL;
}

/* Of a Mono only the kernel tells. */
static monocle__live_session *
new_mute (uv_loop_t *loop, const monocle__live_process *process, const monocle__live_session_options *options)
{
	monocle__live_session *self = allocate (process, options);
	if (!self)
		return NULL;
	self->is_mute = true;
	monocle__live_usage_read (process->pid, process->start, &self->begin);
	uv_timer_init (loop, &self->timer);
	uv_timer_start (&self->timer, look_whether_there, LOOK_MS, LOOK_MS);
	return self;
}

monocle__live_session *
monocle__live_session_new (uv_loop_t *loop, const monocle__live_process *process,
                           const monocle__live_session_options *options, char *ret_error, size_t size)
{
	if (process->kind == MONOCLE__LIVE_MONO)
		return new_mute (loop, process, options);
	int fd = monocle__live_socket_connect (process, ret_error, size);
	monocle__live_session *self = fd < 0 ? NULL : allocate (process, options);
	if (fd >= 0 && !self) {
		close (fd);
		snprintf (ret_error, size, "cannot be asked: out of memory");
	}
	if (!self)
		return NULL;
	monocle__live_usage_read (process->pid, process->start, &self->begin);
	uv_timer_init (loop, &self->timer);
	uv_timer_start (&self->timer, too_late, start (self, fd) ? monocle__patience (ANSWER_LIMIT) : 0, 0);
	return self;
}

/* --- silence ------------------------------------------------------------------------------------------------------ */

uint64_t
monocle__live_session_silence (const monocle__live_session *session)
{
	enum { LEAST = 3, INTERVALS = 3 };
	double limit = session->options.interval * INTERVALS;
	if (session->is_mute)
		return 0;
	uint64_t silence = monocle__nanoseconds (CLOCK_MONOTONIC) - session->heard;
	return (double) silence / 1e9 > (limit > LEAST ? limit : LEAST) ? silence : 0;
}

/* --- stopping ----------------------------------------------------------------------------------------------------- */

/* What the runtime answers does not matter: the events end, or time does. */
static void
ignore_bytes (uv_stream_t *stream, ssize_t count, const uv_buf_t *room)
{
	if (count < 0)
		close_handle ((uv_handle_t *) stream);
}

static void
ignore_write (uv_write_t *write, int status)
{
}

static void
give_answer_room (uv_handle_t *handle, size_t suggested, uv_buf_t *ret_room)
{
	monocle__live_session *self = handle->data;
	*ret_room = uv_buf_init ((char *) self->answer, sizeof self->answer);
}

static void
send_stop (monocle__live_session *self)
{
	char error[160];
	uv_buf_t bytes;
	int fd = monocle__live_socket_connect (&self->process, error, sizeof error);
	if (fd < 0)
		return;
	monocle__live_ipc_message_begin (&self->stop, MONOCLE__LIVE_IPC_EVENT_PIPE, MONOCLE__LIVE_IPC_STOP_TRACING);
	monocle__live_ipc_message_u64 (&self->stop, self->number);
	monocle__live_ipc_message_end (&self->stop);
	bytes = uv_buf_init ((char *) self->stop.bytes, (unsigned) self->stop.size);
	self->has_stop_pipe = uv_pipe_init (self->timer.loop, &self->stop_pipe, 0) == 0;
	if (uv_pipe_open (&self->stop_pipe, fd) != 0) {
		close (fd);
	} else {
		uv_read_start ((uv_stream_t *) &self->stop_pipe, give_answer_room, ignore_bytes);
		uv_write (&self->stop_write, (uv_stream_t *) &self->stop_pipe, &bytes, 1, ignore_write);
	}
}

void
monocle__live_session_stop (monocle__live_session *session)
{
	if (session->is_over || session->has_stop_pipe)
		return;
	session->is_stopping = true;
	if (session->is_mute) {
		end (session, NULL);
		return;
	}
	unsigned limit = monocle__live_session_silence (session) ? SILENT_STOP_LIMIT : STOP_LIMIT;
	uv_timer_start (&session->timer, too_late, limit, 0);
	if (session->is_ready)
		send_stop (session);
}

void
monocle__live_session_free (monocle__live_session *session)
{
	if (!session)
		return;
	monocle__live_nettrace_free (session->trace);
	free (session->question);
	free (session);
}

/* --- what is known ------------------------------------------------------------------------------------------------ */

const monocle__live_figures *
monocle__live_session_figures (const monocle__live_session *session)
{
	return &session->figures;
}

void
monocle__live_session_look (monocle__live_session *session)
{
	monocle__live_usage usage;
	monocle__live_figures *figures = &session->figures;
	monocle__live_figures_settle (figures);
	if (!monocle__live_usage_read (session->process.pid, session->process.start, &usage))
		return;
	monocle__live_figures_set (figures, MONOCLE__LIVE_CPU, usage.cpu - session->begin.cpu);
	monocle__live_figures_set (figures, MONOCLE__LIVE_LOST, monocle__live_nettrace_lost (session->trace));
	if (!usage.threads)
		return; /* It has ended, and only its time is left of it. */
	monocle__live_figures_set (figures, MONOCLE__LIVE_RESIDENT, usage.resident);
	monocle__live_figures_set (figures, MONOCLE__LIVE_THREADS, usage.threads);
}

void
monocle__live_session_set (monocle__live_session *session, monocle__live_figure figure, uint64_t value)
{
	monocle__live_figures_set (&session->figures, figure, value);
}
