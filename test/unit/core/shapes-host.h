/*
 * SPDX-License-Identifier: MIT
 *
 * shapes-host.h - a scripted host that describes oracle/shapes.cs, and as much of a corlib as it mentions.
 */
#ifndef SHAPES_HOST_H
#define SHAPES_HOST_H

#include <monocle/host.h>

enum { SHAPES_CLASSES = 17, SHAPES_METHODS = 61 };

/* Registers the host and makes both images. Once per process. */
void shapes_host_start (void);
extern MonoImage *shapes_image, *shapes_corlib;

/* A class by its metadata name without namespace ("Outer`1"), of either image. */
MonoClass *shapes_class (const char *name);
/* The first method of shapes with that name. */
MonoMethod *shapes_method (const char *name);
/*
 * A type by a letter script: v b c h a x X i j l m f d n p s o t (primitives), !N ?N (parameters of `klass`,
 * `method`), &T, *T, [T, 2[T (rank), Cname; (a class), Gname;Nargs (an instance), R!N R?N (the stand-ins of shared
 * code).
 */
MonoType *shapes_type (const char **script, MonoClass *klass, MonoMethod *method);

/* How often the host was asked to describe something; and whether it answers at all. */
extern _Atomic (int) shapes_asked;
extern _Atomic (int) shapes_silent;

#endif
