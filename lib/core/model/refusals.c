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
typedef uint8_t u8;
typedef uint16_t u16;
typedef int32_t i32;
typedef uint32_t u32;
typedef intptr_t word;

enum { IMAGE_ERROR_ERRNO = 1 };

#define PUBLIC __attribute__ ((visibility ("default")))

/* As monocle/host.h declares it; that header brings Mono's with it. */
PUBLIC void monocle_log (const char *format, ...) __attribute__ ((format (printf, 1, 2)));

static void
say_once (_Atomic (bool) *said, const char *name, const char *result)
{
	if (!atomic_exchange_explicit (said, true, memory_order_relaxed))
		monocle_log ("%s is not served by this host; it %s", name, result);
}

/* --- what is done to an out argument, which may be NULL ----------------------------------------------------------- */

static void
clear (pointer out)
{
	if (out)
		*(pointer *) out = NULL;
}

static void
bad_image (pointer out)
{
	if (out)
		*(i32 *) out = IMAGE_ERROR_ERRNO;
}

/* A MonoError begins with a 16-bit code; 0: no error. */
static void
no_error (pointer out)
{
	if (out)
		*(u16 *) out = 0;
}

/* --- the functions ------------------------------------------------------------------------------------------------ */

/* clang-format off */

#define DECLARED(returns, name, arguments) \
	PUBLIC returns name arguments; \
	PUBLIC returns name arguments

#define SAY_ONCE(name, result) \
	static _Atomic (bool) said; \
	say_once (&said, #name, result)

#define MONOCLE__REFUSED_VOID(name, arguments, ...) \
	DECLARED (void, name, arguments) { SAY_ONCE (name, "did nothing"); __VA_ARGS__; }
#define MONOCLE__REFUSED_POINTER(name, arguments, ...) \
	DECLARED (pointer, name, arguments) { SAY_ONCE (name, "returned NULL"); __VA_ARGS__; return NULL; }
#define MONOCLE__REFUSED_NUMBER(name, arguments, type, value, ...) \
	DECLARED (type, name, arguments) { SAY_ONCE (name, "failed"); __VA_ARGS__; return value; }
#define MONOCLE__RELEASED(name, arguments) \
	DECLARED (void, name, arguments) { }
#define MONOCLE__SETTING(name, arguments) \
	DECLARED (void, name, arguments) { }
#include "refusals.def"
