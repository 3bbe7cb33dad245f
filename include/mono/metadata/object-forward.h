/*
 * SPDX-License-Identifier: MIT
 *
 * object-forward.h - names of the opaque types that nearly every header needs.
 */
#ifndef MONO_METADATA_OBJECT_FORWARD_H
#define MONO_METADATA_OBJECT_FORWARD_H

#include <mono/utils/mono-publib.h>

/* Records of the runtime's metadata. Compare them by pointer: names repeat across instances and images. */
typedef struct _MonoClass  MonoClass;
typedef struct _MonoImage  MonoImage;
typedef struct _MonoMethod MonoMethod;

/* Managed objects. Such a pointer is good only during the callback that gave it: a collection may move the object. */
typedef struct _MonoObject                MonoObject;
typedef struct _MonoException             MonoException;
typedef struct _MonoReflectionAssembly    MonoReflectionAssembly;
typedef struct _MonoReflectionTypeBuilder MonoReflectionTypeBuilder;

#endif
