/*
 * SPDX-License-Identifier: MIT
 *
 * mono-error.h - the error object that the *_checked functions fill.
 *
 * A MonoError lives on the caller's stack: mono_error_init (), one call that takes it, then mono_error_cleanup ()
 * exactly once. Not async-safe.
 */
#ifndef MONO_UTILS_ERROR_H
#define MONO_UTILS_ERROR_H

#include <mono/utils/mono-publib.h>

/* Flags of an error; set by the runtime. */
enum {
	MONO_ERROR_FREE_STRINGS  = 0x0001, /* the error owns its strings */
	MONO_ERROR_INCOMPLETE    = 0x0002, /* the message could not be completed */
	MONO_ERROR_MEMPOOL_BOXED = 0x0004, /* the object is the runtime's, not the caller's */
};

/* What mono_error_get_error_code () answers. */
enum {
	MONO_ERROR_NONE                  = 0,
	MONO_ERROR_MISSING_METHOD        = 1,
	MONO_ERROR_MISSING_FIELD         = 2,
	MONO_ERROR_TYPE_LOAD             = 3,
	MONO_ERROR_FILE_NOT_FOUND        = 4,
	MONO_ERROR_BAD_IMAGE             = 5,
	MONO_ERROR_OUT_OF_MEMORY         = 6,
	MONO_ERROR_ARGUMENT              = 7,
	MONO_ERROR_NOT_VERIFIABLE        = 8,
	MONO_ERROR_GENERIC               = 9,
	MONO_ERROR_EXCEPTION_INSTANCE    = 10,
	MONO_ERROR_ARGUMENT_NULL         = 11,
	MONO_ERROR_INVALID_PROGRAM       = 12,
	MONO_ERROR_MEMBER_ACCESS         = 13,
	MONO_ERROR_ARGUMENT_OUT_OF_RANGE = 14,

	MONO_ERROR_CLEANUP_CALLED_SENTINEL = 0xffff, /* the code of an error that was cleaned up */
};

/* The size is part of the ABI; the content is not. */
typedef union _MonoError {
	uint32_t init;
	MONO_EXTENSION struct {
		uint16_t error_code;
		uint16_t private_flags;
		void *hidden_1[12];
	};
} MonoErrorExternal;

typedef MonoErrorExternal MonoError;
typedef struct _MonoErrorBoxed MonoErrorBoxed;

MONO_BEGIN_DECLS

/* Makes *error a fresh one that says MONO_ERROR_NONE. */
MONO_API void mono_error_init (MonoError *error);
MONO_API void mono_error_init_flags (MonoError *error, unsigned short flags);

/* Frees what the error owns, its message included. The object may be initialised again. */
MONO_API void mono_error_cleanup (MonoError *error);

/* Nonzero when nothing went wrong. Any context. */
MONO_API mono_bool mono_error_ok (MonoError *error);

MONO_API unsigned short mono_error_get_error_code (MonoError *error);

/* NULL when there is no error; else text that lives until mono_error_cleanup (). */
MONO_API const char *mono_error_get_message (MonoError *error);

MONO_END_DECLS

#endif
