/*
 * SPDX-License-Identifier: MIT
 *
 * field.h - fields by number.
 */
#ifndef MONOCLE_MODEL_FIELD_H
#define MONOCLE_MODEL_FIELD_H

#include <stdint.h>
#include <mono/metadata/class.h>

/* A field by its number in the host's counting; NULL: there is none. */
MonoClassField *monocle__field_at (MonoClass *klass, uint32_t index);

#endif
