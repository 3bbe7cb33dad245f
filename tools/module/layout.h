/*
 * SPDX-License-Identifier: MIT
 *
 * layout.h - where the libraries are, seen from the program file: in the build tree or installed.
 */
#ifndef MONOCLE_TOOLS_LAYOUT_H
#define MONOCLE_TOOLS_LAYOUT_H

#include <stdbool.h>

typedef struct {
	char *adapter;     /* libmonocle-clr.so, absolute; NULL: not there */
	char *umbrella;    /* libmono-profiler-monocle.so, absolute; NULL: not there */
	char *preload;     /* libmonocle-preload.so, absolute; NULL: not there */
	char *audit;       /* libmonocle-audit.so, absolute; NULL: not there */
	char *core;        /* libmonocle.so, absolute; NULL: not there */
	char *pkgconfig;   /* the folder that says where our headers are; NULL: not there */
	char *module_path; /* the folders that hold libmono-profiler-*.so, joined by colons; "" when there are none */
} monocle__layout;

void monocle__layout_find (monocle__layout *ret_layout);
void monocle__layout_done (monocle__layout *layout);

/*
 * Takes out what others can change, after a line about it: no runtime is told to load it. What only loads the umbrella
 * is no use without it. False: neither adapter nor umbrella is left.
 */
bool monocle__layout_refuse (monocle__layout *layout);

/* Calls `visit` for each libmono-profiler-NAME.so in `folder`, in the order of names. */
void monocle__layout_each_module (const char *folder, void (*visit) (const char *name, const char *path, void *context),
                                  void *context);

#endif
