/*
 * SPDX-License-Identifier: MIT
 *
 * ipc.c - see ipc.h. An exchange is one connection: the question is written, the answer read until it is whole,
 * nonsense, cut off or too late. Exchanges of several processes share a loop, so that one that is silent holds up
 * nobody.
 */
#include "ipc.h"

#include "ipc-message.h"
#include "patience.h"
#include "socket.h"

#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <uv.h>

typedef struct {
	uv_pipe_t pipe;
	uv_timer_t timer;
	uv_write_t write;
	uint8_t bytes[MONOCLE__LIVE_IPC_MOST];
	size_t received;
	bool has_timer, has_pipe, is_done;
	monocle__live_reply reply; /* OK, or NONSENSE or ERROR with `error` */
	char *error;
	size_t error_size;
	unsigned limit;
} exchange;

/* --- one exchange ------------------------------------------------------------------------------------------------- */

static void
finish (exchange *self, monocle__live_reply reply, const char *error)
{
	if (self->is_done)
		return;
	self->is_done = true;
	self->reply = reply;
	if (error)
		snprintf (self->error, self->error_size, "%s", error);
	if (self->has_pipe)
		uv_close ((uv_handle_t *) &self->pipe, NULL);
	if (self->has_timer)
		uv_close ((uv_handle_t *) &self->timer, NULL);
}

static void
fail (exchange *self, const char *error)
{
	finish (self, (monocle__live_reply) { .kind = MONOCLE__LIVE_REPLY_NONSENSE }, error);
}

static void
too_late (uv_timer_t *timer)
{
	exchange *self = timer->data;
	char text[80];
	snprintf (text, sizeof text, "has not answered on its diagnostics socket for %.1f s", self->limit / 1000.0);
	fail (self, text);
}

/* What a runtime answers is smaller than the buffer: its size has 16 bits. */
static void
give_room (uv_handle_t *handle, size_t suggested, uv_buf_t *ret_room)
{
	exchange *self = handle->data;
	*ret_room = uv_buf_init ((char *) self->bytes + self->received, (unsigned) (sizeof self->bytes - self->received));
}

static void
have_error (exchange *self, monocle__live_reply reply)
{
	const char *words = monocle__live_ipc_message_hresult (reply.hresult);
	char text[80];
	snprintf (text, sizeof text, "refused with 0x%08x", (unsigned) reply.hresult);
	finish (self, reply, words ? words : text);
}

static void
have_bytes (uv_stream_t *stream, ssize_t count, const uv_buf_t *room)
{
	exchange *self = stream->data;
	monocle__live_reply reply;
	if (count < 0) {
		fail (self,
		      self->received ? "broke off in the middle of an answer" : "closed the connection without an answer");
		return;
	}
	self->received += (size_t) count;
	reply = monocle__live_ipc_message_reply (self->bytes, self->received);
	if (reply.kind == MONOCLE__LIVE_REPLY_NONSENSE)
		fail (self, "answers nonsense on its diagnostics socket");
	else if (reply.kind == MONOCLE__LIVE_REPLY_ERROR)
		have_error (self, reply);
	else if (reply.kind == MONOCLE__LIVE_REPLY_OK)
		finish (self, reply, NULL);
}

static void
have_written (uv_write_t *write, int status)
{
	if (status < 0 && status != UV_ECANCELED)
		fail (write->data, "closed the connection without an answer");
}

/* The message stays until the loop has ended. */
static void
start (exchange *self, uv_loop_t *loop, const monocle__live_process *process, const monocle__live_ipc_message *message)
{
	uv_buf_t bytes = uv_buf_init ((char *) message->bytes, (unsigned) message->size);
	int fd = monocle__live_socket_connect (process, self->error, self->error_size);
	self->pipe.data = self->timer.data = self->write.data = self;
	if (fd < 0) {
		fail (self, NULL);
		return;
	}
	self->has_timer = uv_timer_init (loop, &self->timer) == 0;
	self->has_pipe = uv_pipe_init (loop, &self->pipe, 0) == 0;
	if (uv_pipe_open (&self->pipe, fd) != 0) {
		close (fd);
		fail (self, "cannot be connected to");
	} else if (uv_timer_start (&self->timer, too_late, self->limit, 0) != 0 ||
	           uv_read_start ((uv_stream_t *) &self->pipe, give_room, have_bytes) != 0 ||
	           uv_write (&self->write, (uv_stream_t *) &self->pipe, &bytes, 1, have_written) != 0) {
		fail (self, "cannot be connected to");
	}
}

static exchange *
exchange_new (unsigned limit, char *error, size_t error_size)
{
	exchange *self = calloc (1, sizeof *self);
	if (self) {
		self->limit = monocle__patience (limit);
		self->error = error;
		self->error_size = error_size;
		error[0] = '\0';
	}
	return self;
}

/* One question to one process. The caller frees the result, which holds the answer; NULL: out of memory. */
static exchange *
ask (const monocle__live_process *process, const monocle__live_ipc_message *message, unsigned limit, char *error,
     size_t size)
{
	exchange *self = exchange_new (limit, error, size);
	uv_loop_t loop;
	if (!self || uv_loop_init (&loop) != 0) {
		free (self);
		snprintf (error, size, "cannot be asked: out of memory");
		return NULL;
	}
	start (self, &loop, process, message);
	uv_run (&loop, UV_RUN_DEFAULT);
	uv_loop_close (&loop);
	return self;
}

/* --- what it is --------------------------------------------------------------------------------------------------- */

/* pid (8), cookie (16), command line, system, CPU, assembly, version. What is missing stays empty. */
static void
read_info (monocle__span payload, monocle__live_info *info)
{
	char skipped[8];
	if (!monocle__span_rest (payload, 24, &payload))
		return;
	for (int i = 0; i < 3; i++) {
		if (!monocle__live_ipc_message_take_text (&payload, skipped, sizeof skipped))
			return;
	}
	if (monocle__live_ipc_message_take_text (&payload, info->entry, sizeof info->entry) &&
	    monocle__live_ipc_message_take_text (&payload, info->version, sizeof info->version))
		info->version[strcspn (info->version, "+ ")] = '\0'; /* The commit that it was built of follows. */
}

static int
start_infos (uv_loop_t *loop, exchange **exchanges, const monocle__live_process *processes, size_t count,
             unsigned limit, monocle__live_info *infos, const monocle__live_ipc_message *question)
{
	for (size_t i = 0; i < count; i++) {
		exchanges[i] = exchange_new (limit, infos[i].error, sizeof infos[i].error);
		if (!exchanges[i])
			return -1;
	}
	for (size_t i = 0; i < count; i++)
		start (exchanges[i], loop, &processes[i], question);
	return 0;
}

int
monocle__live_ipc_info (const monocle__live_process *processes, size_t count, unsigned limit,
                        monocle__live_info *ret_infos)
{
	monocle__live_ipc_message *question = malloc (sizeof *question);
	exchange **exchanges = calloc (count + 1, sizeof *exchanges);
	uv_loop_t loop;
	int result = -1;
	memset (ret_infos, 0, count * sizeof *ret_infos);
	if (question && exchanges && uv_loop_init (&loop) == 0) {
		monocle__live_ipc_message_begin (question, MONOCLE__LIVE_IPC_PROCESS, MONOCLE__LIVE_IPC_INFO_2);
		monocle__live_ipc_message_end (question);
		result = start_infos (&loop, exchanges, processes, count, limit, ret_infos, question);
		uv_run (&loop, UV_RUN_DEFAULT);
		uv_loop_close (&loop);
	}
	for (size_t i = 0; exchanges && i < count; i++) {
		if (result == 0 && exchanges[i]->reply.kind == MONOCLE__LIVE_REPLY_OK)
			read_info (exchanges[i]->reply.payload, &ret_infos[i]);
		free (exchanges[i]);
	}
	free (exchanges);
	free (question);
	return result;
}

/* --- a profiler --------------------------------------------------------------------------------------------------- */

/* "{F5E0F6A1-5B3C-4C7E-9D64-6D6F6E6F636C}": the first three groups are numbers, the others bytes as they stand. */
static bool
put_clsid (monocle__live_ipc_message *message, const char *text)
{
	static const uint8_t order[16] = { 3, 2, 1, 0, 5, 4, 7, 6, 8, 9, 10, 11, 12, 13, 14, 15 };
	uint8_t bytes[16];
	unsigned digits = 0, value = 0;
	for (; *text && digits < 32; text++) {
		if (!isxdigit ((unsigned char) *text))
			continue;
		value = value << 4 | (unsigned) (isdigit ((unsigned char) *text) ? *text - '0' : (*text | 0x20) - 'a' + 10);
		if (digits++ % 2)
			bytes[order[digits / 2 - 1]] = (uint8_t) value;
	}
	if (digits == 32)
		monocle__live_ipc_message_bytes (message, bytes, sizeof bytes);
	return digits == 32;
}

static bool
put_profiler (monocle__live_ipc_message *message, const monocle__live_profiler *profiler)
{
	monocle__live_ipc_message_begin (message, MONOCLE__LIVE_IPC_PROFILER, MONOCLE__LIVE_IPC_ATTACH);
	monocle__live_ipc_message_u32 (message, profiler->gc_timeout);
	if (!put_clsid (message, profiler->clsid))
		return false;
	monocle__live_ipc_message_text (message, profiler->path);
	monocle__live_ipc_message_u32 (message, (uint32_t) profiler->data_size);
	monocle__live_ipc_message_bytes (message, profiler->data, profiler->data_size);
	return monocle__live_ipc_message_end (message);
}

/* The reply to an attach is a success that carries an HRESULT of its own. */
static int
attached (const exchange *answer, int32_t *ret_hresult, char *error, size_t size)
{
	const char *words;
	int32_t hresult = answer->reply.hresult;
	if (answer->reply.kind == MONOCLE__LIVE_REPLY_OK && answer->reply.payload.size >= 4)
		hresult = (int32_t) monocle__le32 (answer->reply.payload.data);
	*ret_hresult = hresult;
	if (answer->reply.kind != MONOCLE__LIVE_REPLY_OK)
		return -1;
	if (hresult >= 0)
		return 0;
	words = monocle__live_ipc_message_hresult (hresult);
	if (words)
		snprintf (error, size, "%s", words);
	else
		snprintf (error, size, "refused the profiler with 0x%08x", (unsigned) hresult);
	return -1;
}

int
monocle__live_ipc_attach_profiler (const monocle__live_process *process, const monocle__live_profiler *profiler,
                                   unsigned limit, int32_t *ret_hresult, char *ret_error, size_t size)
{
	monocle__live_ipc_message *message = malloc (sizeof *message);
	exchange *answer = NULL;
	int result = -1;
	*ret_hresult = 0;
	if (!message)
		snprintf (ret_error, size, "cannot be asked: out of memory");
	else if (!put_profiler (message, profiler))
		snprintf (ret_error, size, "cannot be asked: the profiler's path or data is too long");
	else if ((answer = ask (process, message, limit, ret_error, size)))
		result = attached (answer, ret_hresult, ret_error, size);
	free (answer);
	free (message);
	return result;
}
