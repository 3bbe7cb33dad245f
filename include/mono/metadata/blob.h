/*
 * SPDX-License-Identifier: MIT
 *
 * blob.h - element types of signatures and numbers of metadata tables.
 */
#ifndef MONO_METADATA_BLOB_H
#define MONO_METADATA_BLOB_H

/*
 * The first byte of a type in a signature: ECMA-335 II.23.1.16. MONO_TYPE_INTERNAL and up are used in locals and
 * attributes.
 */
typedef enum {
	MONO_TYPE_END         = 0x00,
	MONO_TYPE_VOID        = 0x01,
	MONO_TYPE_BOOLEAN     = 0x02,
	MONO_TYPE_CHAR        = 0x03,
	MONO_TYPE_I1          = 0x04,
	MONO_TYPE_U1          = 0x05,
	MONO_TYPE_I2          = 0x06,
	MONO_TYPE_U2          = 0x07,
	MONO_TYPE_I4          = 0x08,
	MONO_TYPE_U4          = 0x09,
	MONO_TYPE_I8          = 0x0a,
	MONO_TYPE_U8          = 0x0b,
	MONO_TYPE_R4          = 0x0c,
	MONO_TYPE_R8          = 0x0d,
	MONO_TYPE_STRING      = 0x0e,
	MONO_TYPE_PTR         = 0x0f,
	MONO_TYPE_BYREF       = 0x10,
	MONO_TYPE_VALUETYPE   = 0x11,
	MONO_TYPE_CLASS       = 0x12,
	MONO_TYPE_VAR         = 0x13,
	MONO_TYPE_ARRAY       = 0x14,
	MONO_TYPE_GENERICINST = 0x15,
	MONO_TYPE_TYPEDBYREF  = 0x16,
	MONO_TYPE_I           = 0x18,
	MONO_TYPE_U           = 0x19,
	MONO_TYPE_FNPTR       = 0x1b,
	MONO_TYPE_OBJECT      = 0x1c,
	MONO_TYPE_SZARRAY     = 0x1d,
	MONO_TYPE_MVAR        = 0x1e,
	MONO_TYPE_CMOD_REQD   = 0x1f,
	MONO_TYPE_CMOD_OPT    = 0x20,
	MONO_TYPE_INTERNAL    = 0x21,
	MONO_TYPE_MODIFIER    = 0x40,
	MONO_TYPE_SENTINEL    = 0x41,
	MONO_TYPE_PINNED      = 0x45,
	MONO_TYPE_ENUM        = 0x55,
} MonoTypeEnum;

/* Tables of an image: ECMA-335 II.22. From 0x30 on they belong to portable PDBs. */
typedef enum {
	MONO_TABLE_MODULE                 = 0x00,
	MONO_TABLE_TYPEREF                = 0x01,
	MONO_TABLE_TYPEDEF                = 0x02,
	MONO_TABLE_FIELD_POINTER          = 0x03,
	MONO_TABLE_FIELD                  = 0x04,
	MONO_TABLE_METHOD_POINTER         = 0x05,
	MONO_TABLE_METHOD                 = 0x06,
	MONO_TABLE_PARAM_POINTER          = 0x07,
	MONO_TABLE_PARAM                  = 0x08,
	MONO_TABLE_INTERFACEIMPL          = 0x09,
	MONO_TABLE_MEMBERREF              = 0x0a,
	MONO_TABLE_CONSTANT               = 0x0b,
	MONO_TABLE_CUSTOMATTRIBUTE        = 0x0c,
	MONO_TABLE_FIELDMARSHAL           = 0x0d,
	MONO_TABLE_DECLSECURITY           = 0x0e,
	MONO_TABLE_CLASSLAYOUT            = 0x0f,
	MONO_TABLE_FIELDLAYOUT            = 0x10,
	MONO_TABLE_STANDALONESIG          = 0x11,
	MONO_TABLE_EVENTMAP               = 0x12,
	MONO_TABLE_EVENT_POINTER          = 0x13,
	MONO_TABLE_EVENT                  = 0x14,
	MONO_TABLE_PROPERTYMAP            = 0x15,
	MONO_TABLE_PROPERTY_POINTER       = 0x16,
	MONO_TABLE_PROPERTY               = 0x17,
	MONO_TABLE_METHODSEMANTICS        = 0x18,
	MONO_TABLE_METHODIMPL             = 0x19,
	MONO_TABLE_MODULEREF              = 0x1a,
	MONO_TABLE_TYPESPEC               = 0x1b,
	MONO_TABLE_IMPLMAP                = 0x1c,
	MONO_TABLE_FIELDRVA               = 0x1d,
	MONO_TABLE_UNUSED6                = 0x1e,
	MONO_TABLE_UNUSED7                = 0x1f,
	MONO_TABLE_ASSEMBLY               = 0x20,
	MONO_TABLE_ASSEMBLYPROCESSOR      = 0x21,
	MONO_TABLE_ASSEMBLYOS             = 0x22,
	MONO_TABLE_ASSEMBLYREF            = 0x23,
	MONO_TABLE_ASSEMBLYREFPROCESSOR   = 0x24,
	MONO_TABLE_ASSEMBLYREFOS          = 0x25,
	MONO_TABLE_FILE                   = 0x26,
	MONO_TABLE_EXPORTEDTYPE           = 0x27,
	MONO_TABLE_MANIFESTRESOURCE       = 0x28,
	MONO_TABLE_NESTEDCLASS            = 0x29,
	MONO_TABLE_GENERICPARAM           = 0x2a,
	MONO_TABLE_METHODSPEC             = 0x2b,
	MONO_TABLE_GENERICPARAMCONSTRAINT = 0x2c,
	MONO_TABLE_UNUSED8                = 0x2d,
	MONO_TABLE_UNUSED9                = 0x2e,
	MONO_TABLE_UNUSED10               = 0x2f,
	MONO_TABLE_DOCUMENT               = 0x30,
	MONO_TABLE_METHODBODY             = 0x31,
	MONO_TABLE_LOCALSCOPE             = 0x32,
	MONO_TABLE_LOCALVARIABLE          = 0x33,
	MONO_TABLE_LOCALCONSTANT          = 0x34,
	MONO_TABLE_IMPORTSCOPE            = 0x35,
	MONO_TABLE_STATEMACHINEMETHOD     = 0x36,
	MONO_TABLE_CUSTOMDEBUGINFORMATION = 0x37,
} MonoMetaTableEnum;

#define MONO_TABLE_LAST MONO_TABLE_CUSTOMDEBUGINFORMATION
#define MONO_TABLE_NUM  (MONO_TABLE_LAST + 1)

#endif
