/*
 * SPDX-License-Identifier: MIT
 *
 * print.c - the file of answers: one line each, and how every form of value is written.
 *
 * A record is written by its name and, where the token is the program's own, by its token: two runtimes must agree on
 * both. NULL stands without quotation marks, texts within.
 */
#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include "dump.h"

/* Longer runs of bytes are told by length and hash. */
#define BYTES_IN_FULL 96

static FILE *file;
static char subject[8192];
static char prefix[256];

int
dump_open (const char *path)
{
	file = fopen (path, "w");
	return file ? 0 : -1;
}

void
dump_close (void)
{
	/* What tells a whole file from one that ends where the program died. */
	fputs ("end\tof\tanswers\n", file);
	fclose (file);
}

void
dump_subject (const char *format, ...)
{
	va_list args;

	va_start (args, format);
	vsnprintf (subject, sizeof subject, format, args);
	va_end (args);
	prefix[0] = '\0';
}

void
dump_prefix (const char *format, ...)
{
	va_list args;

	va_start (args, format);
	vsnprintf (prefix, sizeof prefix, format, args);
	va_end (args);
}

static void
put_escaped (const char *text)
{
	for (const char *c = text; *c; c++) {
		if (*c == '\\' || (unsigned char) *c < ' ')
			fprintf (file, "\\x%02x", (unsigned char) *c);
		else
			fputc (*c, file);
	}
}

static void
put_key (const char *key)
{
	put_escaped (subject);
	fprintf (file, "\t%s%s\t", prefix, key);
}

void
dump_text (const char *key, const char *text)
{
	put_key (key);
	if (text) {
		fputc ('"', file);
		put_escaped (text);
		fputc ('"', file);
	} else {
		fputs ("NULL", file);
	}
	fputc ('\n', file);
}

void
dump_owned (const char *key, char *text)
{
	dump_text (key, text);
	mono_free (text);
}

void
dump_number (const char *key, int64_t value)
{
	put_key (key);
	fprintf (file, "%lld\n", (long long) value);
}

void
dump_hex (const char *key, uint32_t value)
{
	put_key (key);
	fprintf (file, "0x%08x\n", value);
}

void
dump_yes (const char *key, int value)
{
	put_key (key);
	fputs (value ? "yes\n" : "no\n", file);
}

/* NAME, and the token where it is one of ours; `name` is freed. */
static void
put_record (const char *key, char *name, uint32_t token, MonoImage *image)
{
	put_key (key);
	put_escaped (name ? name : "(no name)");
	if (token && image && dump_is_own (image))
		fprintf (file, " 0x%08x", token);
	fputc ('\n', file);
	mono_free (name);
}

void
dump_class (const char *key, MonoClass *klass)
{
	if (!klass) {
		put_key (key);
		fputs ("NULL\n", file);
		return;
	}
	put_record (key, mono_type_full_name (mono_class_get_type (klass)), mono_class_get_type_token (klass),
	            mono_class_get_image (klass));
}

void
dump_method (const char *key, MonoMethod *method)
{
	if (!method) {
		put_key (key);
		fputs ("NULL\n", file);
		return;
	}
	put_record (key, mono_method_full_name (method, 1), mono_method_get_token (method),
	            mono_class_get_image (mono_method_get_class (method)));
}

void
dump_field (const char *key, MonoClassField *field)
{
	if (!field) {
		put_key (key);
		fputs ("NULL\n", file);
		return;
	}
	put_record (key, mono_field_full_name (field), mono_class_get_field_token (field),
	            mono_class_get_image (mono_field_get_parent (field)));
}

void
dump_named (const char *key, MonoType *type)
{
	if (!type) {
		put_key (key);
		fputs ("NULL\n", file);
		return;
	}
	put_record (key, mono_type_full_name (type), 0, NULL);
}

void
dump_bytes (const char *key, const void *bytes, uint32_t size)
{
	const uint8_t *byte = bytes;
	uint64_t hash = UINT64_C (0xcbf29ce484222325);

	put_key (key);
	if (!bytes) {
		fputs ("NULL\n", file);
		return;
	}
	fprintf (file, "%u:", size);
	for (uint32_t i = 0; i < size; i++) {
		hash = (hash ^ byte[i]) * UINT64_C (0x100000001b3);
		if (i < BYTES_IN_FULL)
			fprintf (file, "%02x", byte[i]);
	}
	if (size > BYTES_IN_FULL)
		fprintf (file, "...%016llx", (unsigned long long) hash);
	fputc ('\n', file);
}
