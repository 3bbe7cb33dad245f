/*
 * SPDX-License-Identifier: MIT
 *
 * terminal.h - a whole terminal to draw on: one picture after the other, keys one by one, and all as it was at the end.
 */
#ifndef MONOCLE_TOOLS_TERMINAL_H
#define MONOCLE_TOOLS_TERMINAL_H

#include <stdbool.h>
#include <stddef.h>
#include <uv.h>

/* Keys that are no characters. */
enum {
	MONOCLE__KEY_UP = 0x110000,
	MONOCLE__KEY_DOWN,
	MONOCLE__KEY_PAGE_UP,
	MONOCLE__KEY_PAGE_DOWN,
	MONOCLE__KEY_ESCAPE = 27,
	MONOCLE__KEY_ENTER = 13,
	MONOCLE__KEY_TAB = 9,
	MONOCLE__KEY_ERASE = 127,
	MONOCLE__KEY_INTERRUPT = 3,
};

typedef enum { MONOCLE__STYLE_PLAIN, MONOCLE__STYLE_BOLD, MONOCLE__STYLE_REVERSE } monocle__style;

typedef struct {
	size_t columns, rows;
	/* Its own. */
	uv_tty_t tty;
	uv_signal_t resized, continued;
	int in, out;
	size_t row;
	char *text;
	size_t size, room;
	bool has_styles, is_open;
	void (*key) (int key, void *context);
	void (*redraw) (void *context); /* the size has changed, or the terminal is ours again */
	void *context;
} monocle__terminal;

/* Are standard input and output a terminal that can be drawn on? */
bool monocle__terminal_is_there (void);
/* Takes the terminal. 0, or -1: it cannot be had. Both callbacks are called on the loop. */
int monocle__terminal_open (monocle__terminal *terminal, uv_loop_t *loop, void (*key) (int key, void *context),
                            void (*redraw) (void *context), void *context);
/* Gives it back as it was. May be called again, from any thread once the loop has ended. */
void monocle__terminal_close (monocle__terminal *terminal);
/* Gives it back and stops this process (Ctrl-Z); it is taken again when the process goes on. */
void monocle__terminal_stop (monocle__terminal *terminal);

/* A picture: rows from the top, each cut to the width. What is not drawn is empty. */
void monocle__terminal_begin (monocle__terminal *terminal);
void monocle__terminal_row (monocle__terminal *terminal, monocle__style style, const char *format, ...)
    __attribute__ ((format (printf, 3, 4)));
void monocle__terminal_end (monocle__terminal *terminal);

#endif
