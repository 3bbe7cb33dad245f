/*
 * SPDX-License-Identifier: MIT
 *
 * exceptions.h - what the module `exceptions` is made of.
 */
#ifndef MONOCLE_MODULES_EXCEPTIONS_H
#define MONOCLE_MODULES_EXCEPTIONS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <mono/metadata/image.h>
#include <mono/metadata/object.h>
#include <mono/metadata/profiler.h>
#include <monocle/kit.h>

/* --- type.c: what is thrown, by class ----------------------------------------------------------------------------- */

/* Lives for ever, also when its class has gone. Counts are written by throwing threads, read by all. */
struct type {
	_Atomic (MonoClass *) klass;    /* NULL: it has gone */
	char *name, *image;             /* "Namespace.Outer/Inner"; the file of its image, "" when there is none */
	bool is_wanted;                 /* filter= has nothing against it */
	_Atomic uint64_t thrown, again; /* as a new exception; once more, by `throw;` */
	_Atomic (char *) message;       /* the first one; NULL: none was seen */
};

/* `filter`: globs over names, with "+" between them; NULL: all. Init. */
void type_init (const char *filter);
/* The type of an exception; never NULL: what finds no room is "[other types]". Where the object may be looked at. */
struct type *type_of (MonoObject *exception);
/* Was it thrown before? Read from its stack trace, which a `throw;` keeps. In exception_throw. */
bool type_is_again (MonoObject *exception);
/*
 * The message that the exception was made with, on one line and cut to what fits, "" when it was made without one. No
 * getter is called. In exception_throw.
 */
void type_message (MonoObject *exception, char *text, size_t size);
/* Counts it, and keeps the first message. */
void type_count (struct type *type, MonoObject *exception, bool again);
/* Callback: a class pointer may mean another class from now on. */
void type_image_unloading (MonoProfiler *profiler, MonoImage *image);

/* The types by how often they were thrown, most often first: at most `room` of them. Returns how many there are. */
size_t type_list (struct type **types, size_t room);
/* This and the next two of the kind: all memory, when no thread is in the module any more. */
void type_free (void);
/* Writes the most frequent ones into the profile, as comments. */
void type_note (monocle_kit_stacks *stacks);

/* --- table.c: the sum, as text ------------------------------------------------------------------------------------ */

/* One throw at a stack, innermost method first. Normal context. */
void table_add (struct type *type, MonoObject *exception, bool again, MonoMethod *const *methods, uint32_t count,
                bool is_cut);
void table_free (void);
/* Writes it, sorted, line by line. */
void table_write (monocle_kit_text *text);

/* --- log.c: each exception on its way ----------------------------------------------------------------------------- */

/* Sets the callbacks that report the way. Init window. */
void log_install (MonoProfilerHandle handle, monocle_kit_text *text);
/* With the text. */
void log_leave (void);
void log_throw (struct type *type, MonoObject *exception, bool again);

#endif
