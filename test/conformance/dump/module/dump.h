/*
 * SPDX-License-Identifier: MIT
 *
 * dump.h - what the parts of the dump module share: the current subject, the forms of answers, the walkers.
 *
 * An answer is one line, SUBJECT <tab> KEY <tab> VALUE. Subject and key hold nothing that differs between two runs of
 * one program: tokens, names and numbers, never an address. The module runs on one thread, at the end of the program.
 */
#ifndef DUMP_H
#define DUMP_H

#include <stdint.h>
#include <mono/metadata/appdomain.h>
#include <mono/metadata/assembly.h>
#include <mono/metadata/attrdefs.h>
#include <mono/metadata/class.h>
#include <mono/metadata/debug-helpers.h>
#include <mono/metadata/image.h>
#include <mono/metadata/loader.h>
#include <mono/metadata/metadata.h>
#include <mono/metadata/reflection.h>

/* --- print.c: answers --------------------------------------------------------------------------------------------- */

int dump_open (const char *path);
void dump_close (void);
/* What the following answers are about, a format. */
void dump_subject (const char *format, ...) __attribute__ ((format (printf, 1, 2)));
/* Keys are put behind this, a format; "" ends it. */
void dump_prefix (const char *format, ...) __attribute__ ((format (printf, 1, 2)));

/* The forms of answers.def. Borrowed and owned text, numbers, truth values, records; NULL is an answer too. */
void dump_text (const char *key, const char *text);
void dump_owned (const char *key, char *text);
void dump_number (const char *key, int64_t value);
void dump_hex (const char *key, uint32_t value);
void dump_yes (const char *key, int value);
void dump_class (const char *key, MonoClass *klass);
void dump_method (const char *key, MonoMethod *method);
void dump_field (const char *key, MonoClassField *field);
void dump_named (const char *key, MonoType *type);
void dump_bytes (const char *key, const void *bytes, uint32_t size);

/* --- dump.c: what is the program's own ---------------------------------------------------------------------------- */

int dump_is_own (MonoImage *image);

/* --- type.c: types, and the classes that were met in signatures --------------------------------------------------- */

/* Every answer about a type as it stands in a signature; remembers its class. */
void dump_type (const char *what, int number, MonoType *type);
/* A class that deserves its own subject: an instance, an array, a class of the framework. */
void dump_meet (MonoClass *klass);
void dump_met_classes (void);
/* Nonzero when type parameters stand in it, so that it has no size. */
int dump_is_open (MonoType *type);
int dump_is_interface (MonoClass *klass);

/* --- the walkers -------------------------------------------------------------------------------------------------- */

void dump_image (MonoImage *image);                        /* image.c */
void dump_rows (MonoImage *image);                         /* row.c */
void dump_references (MonoImage *image);                   /* reference.c */
void dump_classes (MonoImage *image);                      /* class.c */
void dump_members (MonoClass *klass, const char *subject); /* member.c */
void dump_method_answers (MonoMethod *method);             /* method.c */
void dump_body (MonoMethod *method);                       /* method.c */
void dump_attributes (MonoCustomAttrInfo *attributes);     /* member.c */

#endif
