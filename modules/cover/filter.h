/*
 * SPDX-License-Identifier: MIT
 *
 * filter.h - which methods are counted.
 */
#ifndef MONOCLE_MODULES_COVER_FILTER_H
#define MONOCLE_MODULES_COVER_FILTER_H

#include <stdbool.h>

#include <mono/metadata/image.h>
#include <mono/metadata/object.h>

typedef struct {
	const char *include, *exclude; /* coverlet's, or NULL */
	const char *covfilter_file;    /* Mono's, or NULL */
	const char *attributes;
	bool skip_auto_properties;
	bool any_sources; /* images of which no source is here, too */
	bool generated;   /* what source generators wrote, too */
} filter_config;

/* False: something is wrong with it, and one line was logged. Init window. */
bool filter_init (const filter_config *config);
/* Could a method of this image be wanted? By its name alone: no table is read. Any thread. */
bool filter_may_want (MonoImage *image);
/* The same answer for the same method, as long as its image lives. Reads symbols. Any thread, normal context. */
bool filter_wants (MonoMethod *method);
/* Its address may mean another one from now on. */
void filter_forget (MonoImage *image);

#endif
