/*
 * SPDX-License-Identifier: MIT
 *
 * error.c - MonoError as the core fills it: a code and a text that is never freed.
 */
#include "error.h"

#include <string.h>
#include <mono/utils/mono-error.h>

void
monocle__error_set (MonoError *error, uint16_t code, const char *message)
{
	error->error_code = code;
	error->hidden_1[0] = (void *) message;
}

void
mono_error_init (MonoError *error)
{
	memset (error, 0, sizeof *error);
}

void
mono_error_init_flags (MonoError *error, unsigned short flags)
{
	mono_error_init (error);
}

void
mono_error_cleanup (MonoError *error)
{
	error->error_code = MONO_ERROR_NONE;
}

mono_bool
mono_error_ok (MonoError *error)
{
	return error->error_code == MONO_ERROR_NONE;
}

unsigned short
mono_error_get_error_code (MonoError *error)
{
	return error->error_code;
}

const char *
mono_error_get_message (MonoError *error)
{
	if (mono_error_ok (error))
		return NULL;
	return error->hidden_1[0] ? error->hidden_1[0] : "unknown error";
}
