/*
 * SPDX-License-Identifier: MIT
 *
 * ecma-tables.h - the enumerators that the row files yield: tables, columns, coded indexes, element types.
 */
#ifndef MONOCLE_ECMA_TABLES_H
#define MONOCLE_ECMA_TABLES_H

/* clang-format off */

/* MONOCLE__TABLE_TypeDef = 0x02: also the top byte of a token. */
enum {
#define TABLE(number, name) MONOCLE__TABLE_##name = number,
#define COLUMN(table, name, kind, target)
#include "tables.def"
};

/* MONOCLE__COL_TypeDef_Name = 1: each table's row in tables.def sets the count back, so that its first column is 0. */
enum {
#define TABLE(number, name) MONOCLE__COL_BEFORE_##name = -1,
#define COLUMN(table, name, kind, target) MONOCLE__COL_##table##_##name,
#include "tables.def"
};

/* MONOCLE__CODED_TypeDefOrRef: the kinds that monocle__ecma_coded_token takes. */
enum {
#define CODED(kind, bits) MONOCLE__CODED_##kind,
#define TAG(kind, tag, table)
#include "coded.def"
	MONOCLE__CODED_COUNT
};

/* MONOCLE__ET_VOID = 0x01 */
enum {
#define ELEMENT(value, name, shape) MONOCLE__ET_##name = value,
#include "element_types.def"
};

/* First byte of a signature blob: what it is in the low four bits, flags above (II.23.2.1 to II.23.2.6, II.23.2.15). */
enum {
	MONOCLE__SIG_DEFAULT      = 0x00,
	MONOCLE__SIG_C            = 0x01,
	MONOCLE__SIG_STDCALL      = 0x02,
	MONOCLE__SIG_THISCALL     = 0x03,
	MONOCLE__SIG_FASTCALL     = 0x04,
	MONOCLE__SIG_VARARG       = 0x05,
	MONOCLE__SIG_FIELD        = 0x06,
	MONOCLE__SIG_LOCALS       = 0x07,
	MONOCLE__SIG_PROPERTY     = 0x08,
	MONOCLE__SIG_UNMANAGED    = 0x09, /* the convention is in modifiers of the result */
	MONOCLE__SIG_METHODSPEC   = 0x0A,
	MONOCLE__SIG_KIND_MASK    = 0x0F,
	MONOCLE__SIG_GENERIC      = 0x10,
	MONOCLE__SIG_HASTHIS      = 0x20,
	MONOCLE__SIG_EXPLICITTHIS = 0x40,
};
/* clang-format on */

#endif
