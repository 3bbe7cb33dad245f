/*
 * SPDX-License-Identifier: MIT
 *
 * exception.h - making exceptions, and the last one.
 *
 * Served by hosts that run managed code; NULL elsewhere. Normal context.
 */
#ifndef MONO_METADATA_EXCEPTION_H
#define MONO_METADATA_EXCEPTION_H

#include <mono/metadata/object-forward.h>
#include <mono/metadata/object.h>
#include <mono/metadata/image.h>

MONO_BEGIN_DECLS

/* An exception of a class by name, without and with a message. Throw it with mono_raise_exception (). */
MONO_API MonoException *mono_exception_from_name (MonoImage *image, const char *name_space, const char *name);
MONO_API MonoException *mono_exception_from_name_msg (MonoImage *image, const char *name_space, const char *name,
                                                      const char *msg);

/* Common ones. */
MONO_API MonoException *mono_get_exception_argument (const char *arg, const char *msg);
MONO_API MonoException *mono_get_exception_argument_null (const char *arg);
MONO_API MonoException *mono_get_exception_invalid_operation (const char *msg);
MONO_API MonoException *mono_get_exception_not_supported (const char *msg);
MONO_API MonoException *mono_get_exception_null_reference (void);
MONO_API MonoException *mono_get_exception_out_of_memory (void);

/*
 * Called instead of Mono's own message when an exception is not handled; not expected to return. One hook, a later call
 * replaces it. Ignored outside Mono. Not async-safe.
 */
typedef void (*MonoUnhandledExceptionFunc) (MonoObject *exc, void *user_data);
MONO_API void mono_install_unhandled_exception_hook (MonoUnhandledExceptionFunc func, void *user_data);

MONO_END_DECLS

#endif
