/*
 * SPDX-License-Identifier: MIT
 *
 * terminal.c - see terminal.h. The sequences are those of ECMA-48 that every terminal knows, and the second screen of
 * xterm, which others have too. A picture is written at once, over the one before, so that nothing flickers. Whatever
 * ends this process, but SIGKILL, the terminal is given back: signals that are bugs have handlers that do nothing else.
 */
#include "terminal.h"

#include "command/output.h"
#include "width.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <termios.h>
#include <unistd.h>

static const char take_text[] = "\x1b[?1049h\x1b[?25l\x1b[2J";
static const char give_text[] = "\x1b[0m\x1b[?25h\x1b[?1049l";

static const int bugs[] = { SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGABRT };

/* For the handlers: `open_out` is -1 while nothing is to be given back. */
static volatile int open_out = -1;
static int open_in;
static struct termios saved;

/* --- giving back -------------------------------------------------------------------------------------------------- */

static void
write_all (int fd, const char *text, size_t size)
{
	while (size) {
		ssize_t written = write (fd, text, size);
		struct pollfd full = { .fd = fd, .events = POLLOUT };
		if (written < 0 && errno == EAGAIN)
			poll (&full, 1, 1000);
		else if (written < 0 && errno != EINTR)
			return;
		text += written > 0 ? written : 0;
		size -= written > 0 ? (size_t) written : 0;
	}
}

/* Async-safe. */
static void
give_back (void)
{
	int out = open_out;
	if (out < 0)
		return;
	open_out = -1;
	tcsetattr (open_in, TCSANOW, &saved);
	write_all (out, give_text, sizeof give_text - 1);
}

static void
bug (int number)
{
	give_back ();
	signal (number, SIG_DFL);
	raise (number);
}

/* --- keys --------------------------------------------------------------------------------------------------------- */

static int
sequence_key (const char *text, size_t size, size_t *ret_length)
{
	static const struct {
		const char *text;
		int key;
	} sequences[] = { { "\x1b[A", MONOCLE__KEY_UP },       { "\x1b[B", MONOCLE__KEY_DOWN },
		              { "\x1bOA", MONOCLE__KEY_UP },       { "\x1bOB", MONOCLE__KEY_DOWN },
		              { "\x1b[5~", MONOCLE__KEY_PAGE_UP }, { "\x1b[6~", MONOCLE__KEY_PAGE_DOWN } };
	for (size_t i = 0; i < sizeof sequences / sizeof *sequences; i++) {
		size_t length = strlen (sequences[i].text);
		if (size >= length && memcmp (text, sequences[i].text, length) == 0) {
			*ret_length = length;
			return sequences[i].key;
		}
	}
	*ret_length = size; /* Another key's sequence, or the key itself. */
	return size == 1 ? MONOCLE__KEY_ESCAPE : 0;
}

static void
have_keys (uv_stream_t *stream, ssize_t count, const uv_buf_t *room)
{
	monocle__terminal *self = stream->data;
	if (count < 0) {
		uv_read_stop (stream);
		self->key ('q', self->context); /* Nobody sits there any more. */
	}
	for (size_t i = 0; count > 0 && i < (size_t) count && self->is_open;) {
		size_t length = 1;
		int key = (unsigned char) room->base[i];
		if (key == MONOCLE__KEY_ESCAPE)
			key = sequence_key (room->base + i, (size_t) count - i, &length);
		if (key)
			self->key (key, self->context);
		i += length;
	}
}

static void
give_room (uv_handle_t *handle, size_t suggested, uv_buf_t *ret_room)
{
	static char room[256];
	*ret_room = uv_buf_init (room, sizeof room);
}

/* --- the terminal ------------------------------------------------------------------------------------------------- */

bool
monocle__terminal_is_there (void)
{
	const char *kind = getenv ("TERM");
	return isatty (STDIN_FILENO) && isatty (STDOUT_FILENO) && kind && strcmp (kind, "dumb") != 0;
}

static void
measure (monocle__terminal *self)
{
	int columns = 0, rows = 0;
	if (uv_tty_get_winsize (&self->tty, &columns, &rows) != 0 || columns < 1 || rows < 1) {
		columns = 80;
		rows = 24;
	}
	self->columns = (size_t) columns;
	self->rows = (size_t) rows;
}

static void
take (monocle__terminal *self)
{
	uv_tty_set_mode (&self->tty, UV_TTY_MODE_NORMAL); /* So that the next line does something. */
	uv_tty_set_mode (&self->tty, UV_TTY_MODE_RAW);
	measure (self);
	open_in = self->in;
	write_all (self->out, take_text, sizeof take_text - 1);
	open_out = self->out;
}

static void
have_resized (uv_signal_t *handle, int number)
{
	monocle__terminal *self = handle->data;
	measure (self);
	write_all (self->out, "\x1b[2J", 4);
	self->redraw (self->context);
}

static void
have_continued (uv_signal_t *handle, int number)
{
	monocle__terminal *self = handle->data;
	take (self);
	self->redraw (self->context);
}

int
monocle__terminal_open (monocle__terminal *terminal, uv_loop_t *loop, void (*key) (int key, void *context),
                        void (*redraw) (void *context), void *context)
{
	*terminal = (monocle__terminal) { .key = key, .redraw = redraw, .context = context };
	terminal->has_styles = monocle__output_bold (stdout);
	terminal->in = fcntl (STDIN_FILENO, F_DUPFD_CLOEXEC, 3);
	terminal->out = fcntl (STDOUT_FILENO, F_DUPFD_CLOEXEC, 3);
	if (terminal->in < 0 || terminal->out < 0 || tcgetattr (terminal->in, &saved) != 0 ||
	    uv_tty_init (loop, &terminal->tty, terminal->in, 0) != 0)
		return -1;
	uv_signal_init (loop, &terminal->resized);
	uv_signal_init (loop, &terminal->continued);
	terminal->tty.data = terminal->resized.data = terminal->continued.data = terminal;
	terminal->is_open = true;
	take (terminal);
	for (size_t i = 0; i < sizeof bugs / sizeof *bugs; i++)
		signal (bugs[i], bug);
	uv_signal_start (&terminal->resized, have_resized, SIGWINCH);
	uv_signal_start (&terminal->continued, have_continued, SIGCONT);
	uv_read_start ((uv_stream_t *) &terminal->tty, give_room, have_keys);
	return 0;
}

static void
close_handle (uv_handle_t *handle)
{
	if (!uv_is_closing (handle))
		uv_close (handle, NULL);
}

void
monocle__terminal_close (monocle__terminal *terminal)
{
	if (!terminal->is_open)
		return;
	terminal->is_open = false;
	give_back ();
	close_handle ((uv_handle_t *) &terminal->tty);
	close_handle ((uv_handle_t *) &terminal->resized);
	close_handle ((uv_handle_t *) &terminal->continued);
	for (size_t i = 0; i < sizeof bugs / sizeof *bugs; i++)
		signal (bugs[i], SIG_DFL);
	close (terminal->in);
	close (terminal->out);
	free (terminal->text);
	terminal->text = NULL;
}

void
monocle__terminal_stop (monocle__terminal *terminal)
{
	give_back ();
	kill (0, SIGTSTP); /* As the terminal does it: to all that were started together. */
}

/* --- pictures ----------------------------------------------------------------------------------------------------- */

static void
add (monocle__terminal *self, const char *text, size_t size)
{
	if (self->size + size > self->room) {
		size_t room = (self->size + size) * 2;
		char *grown = realloc (self->text, room);
		if (!grown)
			return;
		self->text = grown;
		self->room = room;
	}
	memcpy (self->text + self->size, text, size);
	self->size += size;
}

static void
add_word (monocle__terminal *self, const char *text)
{
	add (self, text, strlen (text));
}

void
monocle__terminal_begin (monocle__terminal *terminal)
{
	terminal->size = terminal->row = 0;
	add_word (terminal, "\x1b[H");
}

void
monocle__terminal_row (monocle__terminal *terminal, monocle__style style, const char *format, ...)
{
	static const char *const styles[] = { "", "\x1b[1m", "\x1b[7m" };
	char text[2048], shown[2048];
	va_list arguments;
	size_t width;
	if (terminal->row >= terminal->rows)
		return;
	va_start (arguments, format);
	vsnprintf (text, sizeof text, format, arguments);
	va_end (arguments);
	monocle__utf8_elide (text, terminal->columns, monocle__output_ellipsis (), shown, sizeof shown);
	width = monocle__utf8_width (shown);
	if (terminal->row++)
		add_word (terminal, "\r\n");
	if (terminal->has_styles)
		add_word (terminal, styles[style]);
	add_word (terminal, shown);
	for (; style == MONOCLE__STYLE_REVERSE && width < terminal->columns; width++)
		add_word (terminal, " ");
	add_word (terminal, terminal->has_styles && style ? "\x1b[0m" : "");
	if (width < terminal->columns)
		add_word (terminal, "\x1b[K");
}

void
monocle__terminal_end (monocle__terminal *terminal)
{
	if (terminal->row < terminal->rows)
		add_word (terminal, "\r\n\x1b[J");
	if (open_out >= 0)
		write_all (terminal->out, terminal->text, terminal->size);
}
