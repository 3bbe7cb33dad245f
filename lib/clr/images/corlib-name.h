/*
 * SPDX-License-Identifier: MIT
 *
 * corlib-name.h - where this runtime's core library has what private-names.def names.
 */
#ifndef MONOCLE_CLR_CORLIB_NAME_H
#define MONOCLE_CLR_CORLIB_NAME_H

#include "image.h"
#include "private-name.h"

/* The token of a type, method or field; 0: there is none of that name. Any context. */
uint32_t monocle__corlib_name_token (const monocle__ecma_image *corlib, monocle__private_id id);
/* Which name of the feature this method of the core library has; MONOCLE__NAMES: none. Any context. */
monocle__private_id monocle__corlib_name_of (const monocle__ecma_image *corlib, mdToken method,
                                             monocle__private_feature feature);
/*
 * Was this version of the runtime looked at, and has the core library all names of the feature that belong to it? False
 * before there is a core library.
 */
bool monocle__corlib_name_has (monocle__private_feature feature);
/* The same, asked where the feature is wanted: the first that is told no has one message said. */
bool monocle__corlib_name_serves (monocle__private_feature feature);

#endif
