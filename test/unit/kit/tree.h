/*
 * SPDX-License-Identifier: MIT
 *
 * tree.h - what the tests of the call tree share: a folder, a tree in it, methods that are strings, and looking at
 * paths.
 *
 * A method is a string "NAME" or "NAME@IMAGE"; its address is its identity.
 */
#ifndef MONOCLE_TEST_TREE_H
#define MONOCLE_TEST_TREE_H

#include "calltree.h"
#include "call-paths.h"

/* A fresh folder, removed with what is in it by tree_teardown (). */
extern char tree_folder[64];

int tree_setup (void **state);
int tree_teardown (void **state);

/* Opens a tree with output FOLDER/p.pb.gz. */
monocle_kit_spool *tree_open (bool times, bool threads, uint32_t max_depth);
/* With times of the thread's CPU. */
monocle_kit_spool *tree_open_cpu (void);
monocle_kit_spool *tree_open_at (const char *output);

/* Path of a file in the folder; static text. */
const char *tree_file (const char *name);

size_t tree_name (void *method, char *buffer, size_t size);

/* What the spool says now of the path "main;f;g" (or "THREAD:main;f;g"); 0 when there is no such path. */
uint64_t tree_calls (monocle_kit_spool *spool, const char *path);
uint64_t tree_self_ns (monocle_kit_spool *spool, const char *path);
/* The same of a spool file of another process. */
uint64_t tree_file_calls (const char *spool_path, const char *path);
uint64_t tree_loss (monocle_kit_spool *spool, enum monocle__loss loss);

/* Everything written to stderr by `body`, as text to free. */
char *tree_messages (void (*body) (void *data), void *data);

#endif
