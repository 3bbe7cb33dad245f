/*
 * SPDX-License-Identifier: MIT
 *
 * attribute-priv.h - what attribute-arguments.c needs of attribute.c and attribute-enum.c.
 */
#ifndef MONOCLE_ECMA_ATTRIBUTE_PRIV_H
#define MONOCLE_ECMA_ATTRIBUTE_PRIV_H

#include "attribute.h"

/* TypeDef or TypeRef that a TypeSpec makes an instance of; *ret_arguments, which may be NULL, reads its arguments. */
uint32_t monocle__attribute_generic_class (const monocle__ecma_image *image, uint32_t spec,
                                           monocle__ecma_cursor *ret_arguments);
/* Whether a TypeDef or TypeRef has these names. */
bool monocle__attribute_type_is (const monocle__ecma_image *image, uint32_t token, const char *name_space,
                                 const char *name);
/* Underlying type of an enum, by its token or by its name in a blob: an element type of an integer, or 0. */
uint8_t monocle__attribute_enum_of_token (const monocle__attribute_reader *reader, uint32_t token);
uint8_t monocle__attribute_enum_of_name (const monocle__attribute_reader *reader, const char *name, uint32_t size);

#endif
