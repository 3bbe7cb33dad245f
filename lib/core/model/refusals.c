/*
 * SPDX-License-Identifier: MIT
 *
 * refusals.c - defines the functions of refusals.def.
 *
 * Mono's headers are not included: every argument is a machine word here, and passing one is the same for the caller.
 * Any context in which monocle_log () may be called.
 */
#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

typedef void *pointer;
typedef int8_t i8;
typedef uint8_t u8;
typedef int16_t i16;
typedef uint16_t u16;
typedef int32_t i32;
typedef uint32_t u32;
typedef int64_t i64;
typedef uint64_t u64;
typedef intptr_t word;
typedef float f32;
typedef double f64;

/* What the one line says was returned. */
#define RESULT_void    "did nothing"
#define RESULT_pointer "returned NULL"
#define RESULT_i32     "failed"
#define RESULT_u32     "failed"
#define RESULT_i64     "failed"
#define RESULT_u64     "failed"
#define RESULT_i16     "failed"
#define RESULT_u16     "failed"
#define RESULT_u8      "failed"
#define RESULT_word    "failed"
#define RESULT_f32     "failed"
#define RESULT_f64     "failed"

#define NO_VALUE
#define NOTHING (void) 0
#define CLEAR(out) \
	do { \
		if (out) \
			*(pointer *) (out) = NULL; \
	} while (0)
#define IMAGE_ERROR_ERRNO 1
#define STATUS(out) \
	do { \
		if (out) \
			*(i32 *) (out) = IMAGE_ERROR_ERRNO; \
	} while (0)
/* A MonoError begins with a 16-bit code; 0: no error. */
#define ERROR(out) \
	do { \
		if (out) \
			*(u16 *) (out) = 0; \
	} while (0)

#define PUBLIC __attribute__ ((visibility ("default")))

/* As monocle/host.h declares it; that header brings Mono's with it. */
PUBLIC void monocle_log (const char *format, ...) __attribute__ ((format (printf, 1, 2)));

static void
say_once (_Atomic (bool) *said, const char *name, const char *result)
{
	if (!atomic_exchange_explicit (said, true, memory_order_relaxed))
		monocle_log ("%s is not served by this host; it %s", name, result);
}

#define MONOCLE__REFUSED(returns, name, arguments, value, out) \
	PUBLIC returns name arguments; \
	PUBLIC returns name arguments \
	{ \
		static _Atomic (bool) said; \
		say_once (&said, #name, RESULT_##returns); \
		out; \
		return value; \
	}
#define MONOCLE__RELEASED(name, arguments) \
	PUBLIC void name arguments; \
	PUBLIC void name arguments \
	{ \
	}
#include "refusals.def"
