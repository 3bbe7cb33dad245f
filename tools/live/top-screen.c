/*
 * SPDX-License-Identifier: MIT
 *
 * top-screen.c - see top-screen.h. Threads and methods are read only while they are looked at: what is not shown costs
 * nothing.
 */
#include "top-screen.h"

#include "column.h"
#include "command/output.h"
#include "nanoseconds.h"
#include "short-name.h"

#include <ctype.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static monocle__live_watched *
shown_process (const monocle__top_screen *self)
{
	return self->process < self->watch->count ? self->watch->watched[self->process] : NULL;
}

/* --- reading ------------------------------------------------------------------------------------------------------ */

static uint64_t
cpu_before (const monocle__top_threads *old, const monocle__live_thread *thread)
{
	for (size_t i = 0; i < old->count; i++) {
		if (old->rows[i].id == thread->id)
			return old->rows[i].cpu;
	}
	return old->time ? 0 : thread->cpu;
}

static void
threads_done (monocle__top_threads *threads)
{
	free (threads->rows);
	free (threads->shares);
	*threads = (monocle__top_threads) { 0 };
}

static void
read_threads (monocle__top_screen *self, pid_t pid)
{
	monocle__top_threads next = { .pid = pid, .time = monocle__nanoseconds (CLOCK_MONOTONIC) };
	double passed;
	if (self->threads.pid != pid)
		threads_done (&self->threads);
	passed = (double) (next.time - self->threads.time);
	next.rows = monocle__live_threads_new (pid, &next.count);
	next.shares = calloc (next.count + 1, sizeof *next.shares);
	for (size_t i = 0; next.shares && i < next.count; i++) {
		uint64_t before = cpu_before (&self->threads, &next.rows[i]);
		next.shares[i] = next.rows[i].cpu > before ? (double) (next.rows[i].cpu - before) / passed * 100 : 0;
	}
	next.count = next.shares ? next.count : 0;
	threads_done (&self->threads);
	self->threads = next;
}

static void
read_methods (monocle__top_screen *self, pid_t pid)
{
	if (self->methods_pid != pid)
		monocle__top_methods_done (&self->methods);
	self->methods_pid = pid;
	self->has_methods =
	    monocle__top_methods_read (&self->methods, pid, (double) monocle__nanoseconds (CLOCK_MONOTONIC) / 1e9);
}

static void
read_table (monocle__top_screen *self)
{
	const monocle__live_watched *at = shown_process (self);
	if (at && self->view == MONOCLE__TOP_THREADS)
		read_threads (self, at->process.pid);
	else if (at)
		read_methods (self, at->process.pid);
}

static void
read_sampler (monocle__top_screen *self)
{
	char reason[sizeof self->note];
	monocle__top_sampler_look (&self->sampler, reason, sizeof reason);
	if (reason[0])
		snprintf (self->note, sizeof self->note, "%s", reason);
}

/* One that has ended gives way to one that runs. */
static void
choose_process (monocle__top_screen *self)
{
	const monocle__live_watched *at = shown_process (self);
	if (at && !at->is_over && at->session)
		return;
	for (size_t i = self->watch->count; i-- > 0;) {
		if (!self->watch->watched[i]->is_over && self->watch->watched[i]->session)
			self->process = i;
	}
}

void
monocle__top_screen_tick (monocle__top_screen *screen)
{
	if (screen->is_frozen)
		return;
	choose_process (screen);
	for (size_t i = 0; i < screen->watch->count; i++) {
		const monocle__live_watched *at = screen->watch->watched[i];
		if (at->session && !at->is_over)
			monocle__top_rates_read (&screen->rates[i], at);
	}
	read_table (screen);
	read_sampler (screen);
	monocle__top_screen_draw (screen);
}

/* --- drawing ------------------------------------------------------------------------------------------------------ */

static bool
is_found (const monocle__top_screen *self, const char *name)
{
	return !self->search[0] || strcasestr (name, self->search);
}

static int
compare_threads (const void *a, const void *b, void *context)
{
	const monocle__top_screen *self = context;
	size_t x = *(const size_t *) a, y = *(const size_t *) b;
	const monocle__live_thread *rows = self->threads.rows;
	int names = strcmp (rows[x].name, rows[y].name);
	if (self->by_name && names)
		return names;
	if (self->threads.shares[x] != self->threads.shares[y])
		return self->threads.shares[x] > self->threads.shares[y] ? -1 : 1;
	return rows[x].id < rows[y].id ? -1 : rows[x].id > rows[y].id;
}

static int
compare_methods (const void *a, const void *b, void *context)
{
	const monocle__top_screen *self = context;
	const monocle__top_method *x = &self->methods.rows[*(const size_t *) a];
	const monocle__top_method *y = &self->methods.rows[*(const size_t *) b];
	int64_t of_x = self->by_total ? x->total : x->self, of_y = self->by_total ? y->total : y->self;
	if (of_x == of_y) {
		of_x = x->total;
		of_y = y->total;
	}
	return of_x == of_y ? strcmp (x->name, y->name) : of_x > of_y ? -1 : 1;
}

static void
draw_thread (monocle__top_screen *self, size_t row)
{
	const monocle__live_thread *thread = &self->threads.rows[row];
	monocle__terminal_row (&self->terminal, MONOCLE__STYLE_PLAIN, "%6.1f  %8d  %c      %s", self->threads.shares[row],
	                       (int) thread->id, thread->state, thread->name);
}

static void
draw_method (monocle__top_screen *self, size_t row)
{
	const monocle__top_method *method = &self->methods.rows[row];
	double sum = self->methods.sum ? (double) self->methods.sum : 1;
	enum { LEFT = 40 };
	char own[32], total[32], name[1024];
	size_t columns = self->terminal.columns;
	monocle__short_name (method->name, columns > LEFT + 20 ? columns - LEFT + 2 : 20, monocle__output_ellipsis (), name,
	                     sizeof name);
	monocle__amount_format (method->self, self->methods.is_time ? "nanoseconds" : "count", own, sizeof own);
	monocle__amount_format (method->total, self->methods.is_time ? "nanoseconds" : "count", total, sizeof total);
	monocle__terminal_row (&self->terminal, MONOCLE__STYLE_PLAIN, "%10s %5.1f%%  %10s %5.1f%%  %s", own,
	                       100 * (double) method->self / sum, total, 100 * (double) method->total / sum, name);
}

/* Rows that the search finds, in order, from the first one on that was scrolled to. */
static void
draw_rows (monocle__top_screen *self, size_t count, int (*compare) (const void *, const void *, void *),
           void (*draw) (monocle__top_screen *, size_t))
{
	size_t *order = calloc (count + 1, sizeof *order), found = 0;
	for (size_t i = 0; order && i < count; i++) {
		if (is_found (self,
		              self->view == MONOCLE__TOP_THREADS ? self->threads.rows[i].name : self->methods.rows[i].name))
			order[found++] = i;
	}
	if (order)
		qsort_r (order, found, sizeof *order, compare, self);
	self->first = found == 0 ? 0 : self->first < found ? self->first : found - 1;
	for (size_t i = self->first; i < found && self->terminal.row + 1 < self->terminal.rows; i++)
		draw (self, order[i]);
	free (order);
}

static void
draw_table (monocle__top_screen *self)
{
	if (self->view == MONOCLE__TOP_THREADS) {
		monocle__terminal_row (&self->terminal, MONOCLE__STYLE_REVERSE, " %%CPU%s   thread  state  name%s",
		                       self->by_name ? " " : "*", self->by_name ? "*" : "");
		draw_rows (self, self->threads.count, compare_threads, draw_thread);
	} else if (self->has_methods) {
		monocle__terminal_row (&self->terminal, MONOCLE__STYLE_REVERSE,
		                       "     self%s      %%       total%s      %%  method, last %.0f s",
		                       self->by_total ? " " : "*", self->by_total ? "*" : " ", self->methods.seconds);
		draw_rows (self, self->methods.count, compare_methods, draw_method);
	} else {
		monocle__terminal_row (&self->terminal, MONOCLE__STYLE_REVERSE, " methods");
		monocle__terminal_row (&self->terminal, MONOCLE__STYLE_PLAIN, "%s",
		                       self->sampler.child
		                           ? "Sampling begins."
		                           : "This process is not sampled. The key a samples it until top ends.");
	}
}

/* A line whose groups, three blanks between them, go on in the next row where they do not fit. */
static void
draw_groups (monocle__top_screen *self, const char *line)
{
	char row[MONOCLE__TOP_LINE_SIZE] = "";
	while (*line) {
		const char *end = strstr (line, "   ");
		size_t length = end ? (size_t) (end - line) : strlen (line), used = strlen (row);
		if (used && used + 3 + length > self->terminal.columns) {
			monocle__terminal_row (&self->terminal, MONOCLE__STYLE_PLAIN, "%s", row);
			row[0] = '\0';
			used = 0;
		}
		snprintf (row + used, sizeof row - used, "%s%.*s", used ? "   " : "", (int) length, line);
		line += length + (end ? 3 : 0);
	}
	monocle__terminal_row (&self->terminal, MONOCLE__STYLE_PLAIN, "%s", row);
}

static void
draw_head (monocle__top_screen *self, const monocle__live_watched *at)
{
	char lines[MONOCLE__TOP_LINES][MONOCLE__TOP_LINE_SIZE], several[48] = "";
	const char *silence = at->is_over ? "" : monocle__top_rates_silence (&self->rates[self->process]);
	uint64_t until = at->until ? at->until : monocle__nanoseconds (CLOCK_MONOTONIC);
	if (self->watch->count > 1)
		snprintf (several, sizeof several, "  %zu of %zu", self->process + 1, self->watch->count);
	monocle__terminal_row (&self->terminal, MONOCLE__STYLE_BOLD, "%s  pid %d  %s %s  %.0f s%s%s%s%s%s",
	                       at->process.program, (int) at->process.pid,
	                       monocle__live_process_kind_name (at->process.kind), at->process.version,
	                       (double) (until - at->since) / 1e9, several, at->is_over ? "  ended" : "",
	                       *silence ? "  " : "", silence, self->is_frozen ? "  frozen" : "");
	monocle__top_rates_lines (&self->rates[self->process], lines);
	for (size_t i = 0; i < MONOCLE__TOP_LINES; i++)
		draw_groups (self, lines[i]);
}

static void
draw_help (monocle__top_screen *self)
{
	static const char *const lines[] = {
		"",
		"t       threads, by CPU time",
		"m       methods of the last seconds, where the process is sampled",
		"Tab     the other one of these",
		"a       sample the process until top ends",
		"s       sort: CPU or name, self or total",
		"n       the next process",
		"/       search; Escape shows all again",
		"f       freeze, or go on",
		"w       write the profile until now to a file",
		"arrows  scroll, and so do page up, page down, j and k",
		"q       quit",
		"",
		"any key goes back",
	};
	for (size_t i = 0; i < sizeof lines / sizeof *lines && self->terminal.row + 1 < self->terminal.rows; i++)
		monocle__terminal_row (&self->terminal, MONOCLE__STYLE_PLAIN, "%s", lines[i]);
}

static void
draw_foot (monocle__top_screen *self)
{
	while (self->terminal.row + 1 < self->terminal.rows)
		monocle__terminal_row (&self->terminal, MONOCLE__STYLE_PLAIN, "%s", "");
	if (self->is_searching)
		monocle__terminal_row (&self->terminal, MONOCLE__STYLE_BOLD, "/%s_", self->search);
	else if (self->note[0])
		monocle__terminal_row (&self->terminal, MONOCLE__STYLE_BOLD, "%s", self->note);
	else
		monocle__terminal_row (&self->terminal, MONOCLE__STYLE_PLAIN, "%s%s%s",
		                       "t threads  m methods  s sort  / search  f freeze  ? help  q quit",
		                       self->search[0] ? "  /" : "", self->search);
}

void
monocle__top_screen_draw (monocle__top_screen *screen)
{
	const monocle__live_watched *at = shown_process (screen);
	monocle__terminal_begin (&screen->terminal);
	if (!at)
		monocle__terminal_row (&screen->terminal, MONOCLE__STYLE_PLAIN, "waiting for a .NET runtime");
	if (at)
		draw_head (screen, at);
	if (screen->has_help)
		draw_help (screen);
	else if (at)
		draw_table (screen);
	draw_foot (screen);
	monocle__terminal_end (&screen->terminal);
}

/* --- keys --------------------------------------------------------------------------------------------------------- */

static void
search_key (monocle__top_screen *self, int key)
{
	size_t length = strlen (self->search);
	if (key == MONOCLE__KEY_ESCAPE)
		self->search[0] = '\0';
	if (key == MONOCLE__KEY_ESCAPE || key == MONOCLE__KEY_ENTER || key == '\n')
		self->is_searching = false;
	else if ((key == MONOCLE__KEY_ERASE || key == '\b') && length > 0)
		self->search[length - 1] = '\0';
	else if (key < 0x80 && isprint (key) && length + 1 < sizeof self->search)
		snprintf (self->search + length, sizeof self->search - length, "%c", key);
	self->first = 0;
}

static void
show (monocle__top_screen *self, monocle__top_view view)
{
	self->view = view;
	self->first = 0;
	read_table (self);
}

static void
next_process (monocle__top_screen *self)
{
	if (self->watch->count == 0)
		return;
	self->process = (self->process + 1) % self->watch->count;
	self->first = 0;
	read_table (self);
}

static void
write_profile (monocle__top_screen *self)
{
	const monocle__live_watched *at = shown_process (self);
	char *path;
	if (!at || (!self->methods.spool && (read_methods (self, at->process.pid), !self->methods.spool))) {
		snprintf (self->note, sizeof self->note, "nothing to write: this process is not sampled");
		return;
	}
	path = monocle__top_methods_write (&self->methods, at->process.program, at->process.pid);
	if (path)
		snprintf (self->note, sizeof self->note, "wrote %s", path);
	else
		snprintf (self->note, sizeof self->note, "the profile could not be written here");
	free (path);
}

static void
sample (monocle__top_screen *self)
{
	const monocle__live_watched *at = shown_process (self);
	int error;
	show (self, MONOCLE__TOP_METHODS);
	if (!at || self->has_methods || self->sampler.child)
		return;
	error = monocle__top_sampler_begin (&self->sampler, at->process.pid);
	if (error)
		snprintf (self->note, sizeof self->note, "it cannot be sampled: %s", strerror (-error));
}

static void
scroll (monocle__top_screen *self, bool down, size_t rows)
{
	if (down)
		self->first += rows;
	else
		self->first -= self->first < rows ? self->first : rows;
}

static void
command_key (monocle__top_screen *self, int key)
{
	size_t page = self->terminal.rows > 10 ? self->terminal.rows - 8 : 2;
	switch (key) {
	case 't': show (self, MONOCLE__TOP_THREADS); break;
	case 'm': show (self, MONOCLE__TOP_METHODS); break;
	case MONOCLE__KEY_TAB: show (self, (self->view + 1) % MONOCLE__TOP_VIEWS); break;
	case 'a': sample (self); break;
	case 'n': next_process (self); break;
	case 's':
		if (self->view == MONOCLE__TOP_THREADS)
			self->by_name = !self->by_name;
		else
			self->by_total = !self->by_total;
		break;
	case '/': self->is_searching = true; break;
	case MONOCLE__KEY_ESCAPE: self->search[0] = '\0'; break;
	case 'f': self->is_frozen = !self->is_frozen; break;
	case 'w': write_profile (self); break;
	case '?': self->has_help = true; break;
	case 'j':
	case MONOCLE__KEY_DOWN: scroll (self, true, 1); break;
	case 'k':
	case MONOCLE__KEY_UP: scroll (self, false, 1); break;
	case MONOCLE__KEY_PAGE_DOWN: scroll (self, true, page); break;
	case MONOCLE__KEY_PAGE_UP: scroll (self, false, page); break;
	default: break;
	}
}

void
monocle__top_screen_key (monocle__top_screen *screen, int key)
{
	enum { SUSPEND = 26 };
	screen->note[0] = '\0';
	if (key == MONOCLE__KEY_INTERRUPT || (key == 'q' && !screen->is_searching)) {
		screen->quit (screen->context);
		return;
	}
	if (key == SUSPEND) {
		monocle__terminal_stop (&screen->terminal);
		return;
	}
	if (screen->has_help)
		screen->has_help = false;
	else if (screen->is_searching)
		search_key (screen, key);
	else
		command_key (screen, key);
	monocle__top_screen_draw (screen);
}

void
monocle__top_screen_done (monocle__top_screen *screen)
{
	monocle__top_sampler_end (&screen->sampler);
	threads_done (&screen->threads);
	monocle__top_methods_done (&screen->methods);
}
