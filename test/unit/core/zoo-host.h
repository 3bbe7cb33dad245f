/*
 * SPDX-License-Identifier: MIT
 *
 * zoo-host.h - a scripted host that lists members: a few classes, honest and malformed.
 */
#ifndef ZOO_HOST_H
#define ZOO_HOST_H

#include <monocle/host.h>

enum {
	ZOO_BOX = 2, /* Box`1<T> { T value; T[] many; static int counter; const ...; data; a property, an event } */
	ZOO_OUT,     /* interface IOut`1<out T, T2> */
	ZOO_LOOP,    /* interface ILoop : ILoop, ILoop2 */
	ZOO_LOOP2,   /* interface ILoop2 : ILoop */
	ZOO_GROW,    /* interface IGrow`1<out T> : IGrow<IGrow<T>>, IGrow<T[]> */
	ZOO_COLOR,   /* enum Color : byte */
	ZOO_STRUCT,  /* struct */
	ZOO_BROKEN,  /* lists five fields and cannot describe the second and the last */
	ZOO_OUTER,   /* Outer { private class Inner { private class Innermost } } */
	ZOO_INNER,
	ZOO_INNERMOST,
	ZOO_CHILD,  /* : Box`1<string> */
	ZOO_ITSELF, /* struct Itself { Itself a, ... i; } */
	ZOO_CLASSES = ZOO_ITSELF
};

/* Rows of the zoo's methods. */
enum { ZOO_GET = 1, ZOO_SET, ZOO_ADD, ZOO_REMOVE, ZOO_USE, ZOO_HIDDEN, ZOO_METHODS = ZOO_HIDDEN };

/* Registers the host and makes corlib. Once per process. */
void zoo_host_start (void);
extern MonoImage *zoo_corlib;
/* A new copy of the zoo. */
MonoImage *zoo_open (void);
MonoClass *zoo_class (MonoImage *image, uint32_t row);
MonoMethod *zoo_method (MonoImage *image, uint32_t row);

/* How often the host was asked anything; how many fields Box has just now; which assembly is a friend, as a blob. */
extern _Atomic (int) zoo_asked;
extern _Atomic (uint32_t) zoo_box_fields;
extern const uint8_t *zoo_friend;
extern uint32_t zoo_friend_size;
/* What describe_layout answers: 0 fails. */
extern uint32_t zoo_instance_size;

#endif
