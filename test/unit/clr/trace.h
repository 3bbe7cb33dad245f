/*
 * SPDX-License-Identifier: MIT
 *
 * trace.h - what happened, as one text that a test compares. In a child, so that its checks are the child's.
 */
#ifndef MONOCLE_TEST_CLR_TRACE_H
#define MONOCLE_TEST_CLR_TRACE_H

#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include "../core/child.h"

static char trace[4096];

static void
note (const char *format, ...)
{
	size_t length = strlen (trace);
	va_list arguments;
	va_start (arguments, format);
	vsnprintf (trace + length, sizeof trace - length, format, arguments);
	va_end (arguments);
}

static void
check_trace (const char *should)
{
	CHECK_STRING (trace, should);
	trace[0] = 0;
}

#endif
