/*
 * SPDX-License-Identifier: MIT
 *
 * failing-memory.c - see failing-memory.h.
 */
#include "failing-memory.h"

#include <stdbool.h>
#include <stddef.h>

void *__real_malloc (size_t size);
void *__real_calloc (size_t count, size_t size);
void *__real_realloc (void *memory, size_t size);
char *__real_strdup (const char *text);
char *__real_strndup (const char *text, size_t length);
void *__wrap_malloc (size_t size);
void *__wrap_calloc (size_t count, size_t size);
void *__wrap_realloc (void *memory, size_t size);
char *__wrap_strdup (const char *text);
char *__wrap_strndup (const char *text, size_t length);

long failing_memory_allowed = -1, failing_memory_count;

static bool
fails (void)
{
	failing_memory_count++;
	return failing_memory_allowed >= 0 && failing_memory_allowed-- == 0;
}

void *
__wrap_malloc (size_t size)
{
	return fails () ? NULL : __real_malloc (size);
}

void *
__wrap_calloc (size_t count, size_t size)
{
	return fails () ? NULL : __real_calloc (count, size);
}

void *
__wrap_realloc (void *memory, size_t size)
{
	return fails () ? NULL : __real_realloc (memory, size);
}

char *
__wrap_strdup (const char *text)
{
	return fails () ? NULL : __real_strdup (text);
}

char *
__wrap_strndup (const char *text, size_t length)
{
	return fails () ? NULL : __real_strndup (text, length);
}
