/*
 * SPDX-License-Identifier: MIT
 *
 * error.c - MonoError as the core fills it: never, so it always says that all is well.
 */
#include <string.h>
#include <mono/utils/mono-error.h>

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
	return mono_error_ok (error) ? NULL : "unknown error";
}
