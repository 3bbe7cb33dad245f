/*
 * SPDX-License-Identifier: MIT
 *
 * error.h - filling a MonoError.
 */
#ifndef MONOCLE_MODEL_ERROR_H
#define MONOCLE_MODEL_ERROR_H

#include <stdint.h>
#include <mono/utils/mono-error.h>

/* Fills an error that was initialised. `message` lives for ever. */
void monocle__error_set (MonoError *error, uint16_t code, const char *message);

#endif
