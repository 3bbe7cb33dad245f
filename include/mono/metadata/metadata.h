/*
 * SPDX-License-Identifier: MIT
 *
 * metadata.h - types, signatures, method bodies, rows.
 */
#ifndef MONO_METADATA_METADATA_H
#define MONO_METADATA_METADATA_H

#include <mono/utils/mono-publib.h>
#include <mono/utils/mono-forward.h>
#include <mono/metadata/blob.h>
#include <mono/metadata/row-indexes.h>
#include <mono/metadata/image.h>
#include <mono/metadata/object-forward.h>

MONO_BEGIN_DECLS

typedef struct _MonoType             MonoType;
typedef struct _MonoGenericInst      MonoGenericInst;
typedef struct _MonoGenericClass     MonoGenericClass;
typedef struct _MonoGenericContext   MonoGenericContext;
typedef struct _MonoGenericContainer MonoGenericContainer;
typedef struct _MonoGenericParam     MonoGenericParam;
typedef struct _MonoArrayType        MonoArrayType;
typedef struct _MonoMethodSignature  MonoMethodSignature;
typedef struct _MonoMethodHeader     MonoMethodHeader;

/* Kinds of exception clauses; the `type` of exception_clause. 0 is a catch. ECMA-335 II.25.4.6. */
typedef enum {
	MONO_EXCEPTION_CLAUSE_NONE    = 0,
	MONO_EXCEPTION_CLAUSE_FILTER  = 1,
	MONO_EXCEPTION_CLAUSE_FINALLY = 2,
	MONO_EXCEPTION_CLAUSE_FAULT   = 4,
} MonoExceptionEnum;

/* Low nibble of a signature's first byte. ECMA-335 II.23.2.3. */
typedef enum {
	MONO_CALL_DEFAULT  = 0,
	MONO_CALL_C        = 1,
	MONO_CALL_STDCALL  = 2,
	MONO_CALL_THISCALL = 3,
	MONO_CALL_FASTCALL = 4,
	MONO_CALL_VARARG   = 5,
} MonoCallConvention;

/* Native types of marshalling descriptors. ECMA-335 II.23.4, and what Mono and the CLR added. */
typedef enum {
	MONO_NATIVE_BOOLEAN     = 0x02,
	MONO_NATIVE_I1          = 0x03,
	MONO_NATIVE_U1          = 0x04,
	MONO_NATIVE_I2          = 0x05,
	MONO_NATIVE_U2          = 0x06,
	MONO_NATIVE_I4          = 0x07,
	MONO_NATIVE_U4          = 0x08,
	MONO_NATIVE_I8          = 0x09,
	MONO_NATIVE_U8          = 0x0a,
	MONO_NATIVE_R4          = 0x0b,
	MONO_NATIVE_R8          = 0x0c,
	MONO_NATIVE_CURRENCY    = 0x0f,
	MONO_NATIVE_BSTR        = 0x13,
	MONO_NATIVE_LPSTR       = 0x14,
	MONO_NATIVE_LPWSTR      = 0x15,
	MONO_NATIVE_LPTSTR      = 0x16,
	MONO_NATIVE_BYVALTSTR   = 0x17,
	MONO_NATIVE_IUNKNOWN    = 0x19,
	MONO_NATIVE_IDISPATCH   = 0x1a,
	MONO_NATIVE_STRUCT      = 0x1b,
	MONO_NATIVE_INTERFACE   = 0x1c,
	MONO_NATIVE_SAFEARRAY   = 0x1d,
	MONO_NATIVE_BYVALARRAY  = 0x1e,
	MONO_NATIVE_INT         = 0x1f,
	MONO_NATIVE_UINT        = 0x20,
	MONO_NATIVE_VBBYREFSTR  = 0x22,
	MONO_NATIVE_ANSIBSTR    = 0x23,
	MONO_NATIVE_TBSTR       = 0x24,
	MONO_NATIVE_VARIANTBOOL = 0x25,
	MONO_NATIVE_FUNC        = 0x26,
	MONO_NATIVE_ASANY       = 0x28,
	MONO_NATIVE_LPARRAY     = 0x2a,
	MONO_NATIVE_LPSTRUCT    = 0x2b,
	MONO_NATIVE_CUSTOM      = 0x2c,
	MONO_NATIVE_ERROR       = 0x2d,
	MONO_NATIVE_UTF8STR     = 0x30,
	MONO_NATIVE_MAX         = 0x50, /* not said */
} MonoMarshalNative;

/* Element types of safe arrays, a COM notion: the VT_ constants of the platform. */
typedef enum {
	MONO_VARIANT_EMPTY           = 0x00,
	MONO_VARIANT_NULL            = 0x01,
	MONO_VARIANT_I2              = 0x02,
	MONO_VARIANT_I4              = 0x03,
	MONO_VARIANT_R4              = 0x04,
	MONO_VARIANT_R8              = 0x05,
	MONO_VARIANT_CY              = 0x06,
	MONO_VARIANT_DATE            = 0x07,
	MONO_VARIANT_BSTR            = 0x08,
	MONO_VARIANT_DISPATCH        = 0x09,
	MONO_VARIANT_ERROR           = 0x0a,
	MONO_VARIANT_BOOL            = 0x0b,
	MONO_VARIANT_VARIANT         = 0x0c,
	MONO_VARIANT_UNKNOWN         = 0x0d,
	MONO_VARIANT_DECIMAL         = 0x0e,
	MONO_VARIANT_I1              = 0x10,
	MONO_VARIANT_UI1             = 0x11,
	MONO_VARIANT_UI2             = 0x12,
	MONO_VARIANT_UI4             = 0x13,
	MONO_VARIANT_I8              = 0x14,
	MONO_VARIANT_UI8             = 0x15,
	MONO_VARIANT_INT             = 0x16,
	MONO_VARIANT_UINT            = 0x17,
	MONO_VARIANT_VOID            = 0x18,
	MONO_VARIANT_HRESULT         = 0x19,
	MONO_VARIANT_PTR             = 0x1a,
	MONO_VARIANT_SAFEARRAY       = 0x1b,
	MONO_VARIANT_CARRAY          = 0x1c,
	MONO_VARIANT_USERDEFINED     = 0x1d,
	MONO_VARIANT_LPSTR           = 0x1e,
	MONO_VARIANT_LPWSTR          = 0x1f,
	MONO_VARIANT_RECORD          = 0x24,
	MONO_VARIANT_FILETIME        = 0x40,
	MONO_VARIANT_BLOB            = 0x41,
	MONO_VARIANT_STREAM          = 0x42,
	MONO_VARIANT_STORAGE         = 0x43,
	MONO_VARIANT_STREAMED_OBJECT = 0x44,
	MONO_VARIANT_STORED_OBJECT   = 0x45,
	MONO_VARIANT_BLOB_OBJECT     = 0x46,
	MONO_VARIANT_CF              = 0x47,
	MONO_VARIANT_CLSID           = 0x48,
	MONO_VARIANT_VECTOR          = 0x1000,
	MONO_VARIANT_ARRAY           = 0x2000,
	MONO_VARIANT_BYREF           = 0x4000,
} MonoMarshalVariant;

/* A marshalling descriptor, decoded. Numbers that it does not give are -1 of an LPARRAY, 0 otherwise. */
typedef struct {
	MonoMarshalNative native;
	union {
		struct {
			MonoMarshalNative elem_type;
			int32_t num_elem;
			int16_t param_num;
			int16_t elem_mult;
		} array_data;
		struct {
			char *custom_name;
			char *cookie;
			MonoImage *image;
		} custom_data;
		struct {
			MonoMarshalVariant elem_type;
			int32_t num_elem;
		} safearray_data;
	} data;
} MonoMarshalSpec;

/* A custom modifier. ECMA-335 II.23.2.7. */
typedef struct {
	unsigned int required : 1;
	unsigned int token    : 31;
} MonoCustomMod;

/* What a type is read as; makes no difference outside Mono. */
typedef enum {
	MONO_PARSE_TYPE     = 0,
	MONO_PARSE_MOD_TYPE = 1,
	MONO_PARSE_LOCAL    = 2,
	MONO_PARSE_PARAM    = 3,
	MONO_PARSE_RET      = 4,
	MONO_PARSE_FIELD    = 5,
} MonoParseTypeMode;

/* One clause of a body. Offsets and lengths are in IL bytes. */
typedef struct {
	uint32_t flags; /* MonoExceptionEnum */
	uint32_t try_offset;
	uint32_t try_len;
	uint32_t handler_offset;
	uint32_t handler_len;
	union {
		uint32_t filter_offset;  /* MONO_EXCEPTION_CLAUSE_FILTER */
		MonoClass *catch_class;  /* MONO_EXCEPTION_CLAUSE_NONE */
	} data;
} MonoExceptionClause;

#define MONO_OFFSET_IN_CLAUSE(clause, offset) \
	((offset) >= (clause)->try_offset && (offset) - (clause)->try_offset < (clause)->try_len)
#define MONO_OFFSET_IN_HANDLER(clause, offset) \
	((offset) >= (clause)->handler_offset && (offset) - (clause)->handler_offset < (clause)->handler_len)
#define MONO_OFFSET_IN_FILTER(clause, offset) \
	((clause)->flags == MONO_EXCEPTION_CLAUSE_FILTER && (offset) >= (clause)->data.filter_offset && \
	 (offset) < (clause)->handler_offset)

/* Shape of a general array type. ECMA-335 II.23.2.13. */
struct _MonoArrayType {
	MonoClass *eklass;
	uint8_t rank;
	uint8_t numsizes;
	uint8_t numlobounds;
	int *sizes;
	int *lobounds;
};

/* --- types -------------------------------------------------------------------------------------------------------- */

/* Nonzero for T&. Any context. */
MONO_API mono_bool mono_type_is_byref (MonoType *type);
/* The MONO_TYPE_* of a type; a byref answers what it refers to. Any context. */
MONO_API int mono_type_get_type (MonoType *type);
/*
 * The class that a type by value refers to; not for generic instances, arrays, pointers, parameters. Borrowed. Any
 * context.
 */
MONO_API MonoClass *mono_type_get_class (MonoType *type);
/* Only for MONO_TYPE_ARRAY. Borrowed. Any context. */
MONO_API MonoArrayType *mono_type_get_array_type (MonoType *type);
/* Only for MONO_TYPE_PTR: what it points to. Borrowed. Any context. */
MONO_API MonoType *mono_type_get_ptr_type (MonoType *type);
/* Only for MONO_TYPE_FNPTR. Borrowed, NULL where it is not known. Any context. */
MONO_API MonoMethodSignature *mono_type_get_signature (MonoType *type);
/* Custom modifiers one by one; Mono 6.8 never lists any, and so NULL is always the answer. Any context. */
MONO_API MonoClass *mono_type_get_modifiers (MonoType *type, mono_bool *is_required, void **iter);
/* Is this MONO_TYPE_GENERICINST of a value type? Any context. */
MONO_API mono_bool mono_type_generic_inst_is_valuetype (MonoType *type);

/* A by-value struct or typed reference; enums and primitives are none. Any context. */
MONO_API mono_bool mono_type_is_struct (MonoType *type);
/* void, not by reference. Any context. */
MONO_API mono_bool mono_type_is_void (MonoType *type);
/* What is one address: a byref, a pointer, a native int, and every reference to an object. Any context. */
MONO_API mono_bool mono_type_is_pointer (MonoType *type);
/* What lives on the managed heap, not by reference. Any context. */
MONO_API mono_bool mono_type_is_reference (MonoType *type);
/* A type parameter, not by reference. Any context. */
MONO_API mono_bool mono_type_is_generic_parameter (MonoType *type);

#define MONO_TYPE_ISSTRUCT(t)     mono_type_is_struct (t)
#define MONO_TYPE_IS_VOID(t)      mono_type_is_void (t)
#define MONO_TYPE_IS_POINTER(t)   mono_type_is_pointer (t)
#define MONO_TYPE_IS_REFERENCE(t) mono_type_is_reference (t)

/*
 * Bytes a value of the type takes: the size of the buffers that the call context getters return. *alignment (not NULL)
 * gets its alignment. May lay out a class: normal context. 0 where the layout is not known.
 */
MONO_API int mono_type_size (MonoType *type, int *alignment);
/*
 * The same as an argument takes it: in whole words, so aligned. Of no type parameter and no open instance, nor of void,
 * where Mono ends the process.
 */
MONO_API int mono_type_stack_size (MonoType *type, int *alignment);

/* Equal types have equal hashes. Any context. */
MONO_API unsigned int mono_metadata_type_hash (MonoType *t1);
MONO_API mono_bool mono_metadata_type_equal (MonoType *t1, MonoType *t2);

/* --- signatures --------------------------------------------------------------------------------------------------- */

/* Number of declared parameters, `this` not counted. Any context. */
MONO_API uint32_t mono_signature_get_param_count (MonoMethodSignature *sig);
/* Parameters one by one: *iter is NULL at first, the result is NULL at the end. Borrowed. Any context. */
MONO_API MonoType *mono_signature_get_params (MonoMethodSignature *sig, void **iter);
/* Borrowed. Any context. */
MONO_API MonoType *mono_signature_get_return_type (MonoMethodSignature *sig);
/* MonoCallConvention. Any context. */
MONO_API uint32_t mono_signature_get_call_conv (MonoMethodSignature *sig);
/* Index of the first variable argument, -1 without. Any context. */
MONO_API int mono_signature_vararg_start (MonoMethodSignature *sig);
/* Nonzero when there is a `this`; when it is among the parameters. Any context. */
MONO_API mono_bool mono_signature_is_instance (MonoMethodSignature *sig);
MONO_API mono_bool mono_signature_explicit_this (MonoMethodSignature *sig);
/* Nonzero for `out` parameters. Any context. */
MONO_API mono_bool mono_signature_param_is_out (MonoMethodSignature *sig, int param_num);
/* Equal signatures have equal hashes. Any context. */
MONO_API unsigned int mono_signature_hash (MonoMethodSignature *sig);
MONO_API mono_bool mono_metadata_signature_equal (MonoMethodSignature *sig1, MonoMethodSignature *sig2);

/* --- method bodies ------------------------------------------------------------------------------------------------ */

/* Frees what mono_method_get_header () gave. Not async-safe. */
MONO_API void mono_metadata_free_mh (MonoMethodHeader *mh);
/* The IL bytes, borrowed from the header; each out parameter may be NULL. Any context. */
MONO_API const unsigned char *mono_method_header_get_code (MonoMethodHeader *header, uint32_t *code_size,
                                                           uint32_t *max_stack);
/* Types of the locals, borrowed; each out parameter may be NULL. Any context. */
MONO_API MonoType **mono_method_header_get_locals (MonoMethodHeader *header, uint32_t *num_locals,
                                                    mono_bool *init_locals);
MONO_API int mono_method_header_get_num_clauses (MonoMethodHeader *header);
/*
 * Clauses one by one into *clause: *iter is NULL at first, 0 is returned at the end. May load classes: normal context.
 */
MONO_API int mono_method_header_get_clauses (MonoMethodHeader *header, MonoMethod *method, void **iter,
                                             MonoExceptionClause *clause);

/*
 * The body at `ptr`, which is somewhere in the image (mono_image_rva_map ()); NULL: malformed. Free the same way.
 * Normal context.
 */
MONO_API MonoMethodHeader *mono_metadata_parse_mh (MonoImage *m, const char *ptr);

/* --- rows: ECMA-335 II.22 ------------------------------------------------------------------------------------------
 * What is not there (a row past the end, metadata that was unloaded) reads as 0. The searches rely on the order that
 * the standard prescribes. Any context throughout.
 */

#define mono_metadata_make_token(table, idx) (((table) << 24) | (idx))
#define mono_metadata_token_table(token)     ((token) >> 24)
#define mono_metadata_token_index(token)     ((token) & 0xffffff)
#define mono_metadata_token_code(token)      ((token) & 0xff000000)

/* Reads the first res_size columns of row `idx` (from 0). */
MONO_API void mono_metadata_decode_row (const MonoTableInfo *t, int idx, uint32_t *res, int res_size);
MONO_API void mono_metadata_decode_table_row (MonoImage *image, int table, int idx, uint32_t *res, int res_size);
/* Reads one column of row `idx` (from 0). */
MONO_API uint32_t mono_metadata_decode_row_col (const MonoTableInfo *t, int idx, unsigned int col);
MONO_API uint32_t mono_metadata_decode_table_row_col (MonoImage *image, int table, int idx, unsigned int col);
/* 1-based row that a 1-based index leads to: another one only in uncompressed metadata, which has pointer tables. */
MONO_API uint32_t mono_metadata_translate_token_index (MonoImage *image, int table, uint32_t idx);
/* A coded TypeDefOrRef as a token; 0: its tag means nothing. */
MONO_API uint32_t mono_metadata_token_from_dor (uint32_t dor_index);

/* 1-based row of the type that declares a method (field), given by its 1-based row or token; 0: none. */
MONO_API uint32_t mono_metadata_typedef_from_method (MonoImage *meta, uint32_t table_index);
MONO_API uint32_t mono_metadata_typedef_from_field (MonoImage *meta, uint32_t table_index);
/* Token of the type that encloses a type, given by row or token; 0: none. */
MONO_API uint32_t mono_metadata_nested_in_typedef (MonoImage *meta, uint32_t table_index);
/* The first row of NestedClass at or after `start_index` (both from 1) whose enclosing type it is; 0: none. */
MONO_API uint32_t mono_metadata_nesting_typedef (MonoImage *meta, uint32_t table_index, uint32_t start_index);
/*
 * The interfaces that a type (row or token) itself names, *count of them. Caller frees the array; NULL and 0: none.
 * May load types: normal context.
 */
MONO_API MonoClass **mono_metadata_interfaces_from_typedef (MonoImage *meta, uint32_t table_index,
                                                            unsigned int *count);
/* Runs of rows, [result, *end) from 0, of the type in row `table_index` (from 0); 0 and 0: none. */
MONO_API uint32_t mono_metadata_events_from_typedef (MonoImage *meta, uint32_t table_index, unsigned int *end_idx);
MONO_API uint32_t mono_metadata_properties_from_typedef (MonoImage *meta, uint32_t table_index, unsigned int *end);
/* The same in MethodSemantics, of the event (property) in row `table_index` (from 0). */
MONO_API uint32_t mono_metadata_methods_from_event (MonoImage *meta, uint32_t table_index, unsigned int *end);
MONO_API uint32_t mono_metadata_methods_from_property (MonoImage *meta, uint32_t table_index, unsigned int *end);
/* Row (from 1) of ClassLayout of a type (row or token); *packing and *size (may be NULL) are set when there is one. */
MONO_API uint32_t mono_metadata_packing_from_typedef (MonoImage *meta, uint32_t table_index, uint32_t *packing,
                                                      uint32_t *size);
/* The marshalling descriptor, after its length, of a field's (parameter's) row, from 0. NULL: none. Borrowed. */
MONO_API const char *mono_metadata_get_marshal_info (MonoImage *meta, uint32_t idx, mono_bool is_field);
/* First row (from 1) of CustomAttribute with that coded parent (MONO_CUSTOM_ATTR_*); 0: none. */
MONO_API uint32_t mono_metadata_custom_attrs_from_index (MonoImage *meta, uint32_t cattr_index);
/* First row (from 0) of DeclSecurity with that coded parent; (uint32_t) -1: none. */
MONO_API uint32_t mono_metadata_declsec_from_index (MonoImage *meta, uint32_t idx);
/* Row (from 1) of ImplMap of the method in row `method_idx` (from 0); 0: none. */
MONO_API uint32_t mono_metadata_implmap_from_method (MonoImage *meta, uint32_t method_idx);
/* Row (from 1) of Constant of a Field, Param or Property token; 0: none. The hint is not needed. */
MONO_API uint32_t mono_metadata_get_constant_index (MonoImage *meta, uint32_t token, uint32_t hint);
/*
 * Of the field in row `table_index` (from 0): its explicit offset ((uint32_t) -1: none), the RVA of its data (0:
 * none), its marshalling descriptor (NULL: none; free it as below: normal context). Any of them may be NULL.
 */
MONO_API void mono_metadata_field_info (MonoImage *meta, uint32_t table_index, uint32_t *offset, uint32_t *rva,
                                        MonoMarshalSpec **marshal_spec);

/* --- heaps: ECMA-335 II.24.2 ---------------------------------------------------------------------------------------
 * Answers are borrowed from the image; NULL: out of range. Any context.
 */

/* Text at an offset of the #Strings heap. */
MONO_API const char *mono_metadata_string_heap (MonoImage *meta, uint32_t table_index);
/* Bytes at an offset of the #Blob heap, beginning with their compressed length. */
MONO_API const char *mono_metadata_blob_heap (MonoImage *meta, uint32_t table_index);
/* The same for the #US heap (UTF-16). */
MONO_API const char *mono_metadata_user_string (MonoImage *meta, uint32_t table_index);
/* The 16 bytes of a 1-based index of the #GUID heap. */
MONO_API const char *mono_metadata_guid_heap (MonoImage *meta, uint32_t table_index);
/*
 * "XXXXXXXX-XXXX-XXXX-XXXX-XXXXXXXXXXXX", upper case; _minimal: lower case without dashes. Caller frees. Not
 * async-safe.
 */
MONO_API char *mono_guid_to_string (const uint8_t *guid);
MONO_API char *mono_guid_to_string_minimal (const uint8_t *guid);

/* --- blobs: ECMA-335 II.23.2 ---------------------------------------------------------------------------------------
 * `*rptr` (rptr may be NULL) gets where the thing ends. Blobs are believed to be whole, as in Mono: get them from the
 * heap of an image.
 */

/* A compressed unsigned integer; the length before a blob; a compressed signed integer. Any context. */
MONO_API uint32_t mono_metadata_decode_value (const char *ptr, const char **rptr);
MONO_API uint32_t mono_metadata_decode_blob_size (const char *ptr, const char **rptr);
MONO_API int32_t mono_metadata_decode_signed_value (const char *ptr, const char **rptr);
/*
 * Writes 1, 2 or 4 bytes; *endbuf (may be NULL) gets where they end. Values of 2^29 and more do not fit. Any
 * context.
 */
MONO_API void mono_metadata_encode_value (uint32_t value, char *bug, char **endbuf);
/* A compressed TypeDefOrRef as a token. Any context. */
MONO_API uint32_t mono_metadata_parse_typedef_or_ref (MonoImage *m, const char *ptr, const char **rptr);
/* A custom modifier into *dest (may be NULL); 0 and *rptr unmoved: there is none here. Any context. */
MONO_API int mono_metadata_parse_custom_mod (MonoImage *m, MonoCustomMod *dest, const char *ptr, const char **rptr);
/* The shape of an array, element type first (II.23.2.13). Free with mono_metadata_free_array (). Normal context. */
MONO_API MonoArrayType *mono_metadata_parse_array (MonoImage *m, const char *ptr, const char **rptr);
MONO_API void mono_metadata_free_array (MonoArrayType *array);
/*
 * A type; NULL: malformed. Generic parameters in it have no owner. Types outside Mono live for ever, so freeing one
 * does nothing. May load types: normal context.
 */
MONO_API MonoType *mono_metadata_parse_type (MonoImage *m, MonoParseTypeMode mode, short opt_attrs, const char *ptr,
                                             const char **rptr);
MONO_API MonoType *mono_metadata_parse_param (MonoImage *m, const char *ptr, const char **rptr);
MONO_API MonoType *mono_metadata_parse_field_type (MonoImage *m, short field_flags, const char *ptr,
                                                   const char **rptr);
MONO_API MonoType *mono_type_create_from_typespec (MonoImage *image, uint32_t type_spec);
MONO_API void mono_metadata_free_type (MonoType *type);

/*
 * A method signature: of a StandAloneSig token; at `ptr`, where `def` is the row of the method whose generic parameters
 * are meant, or 0; with room for `nparams` unset parameters; a copy. NULL: malformed. Free it with
 * mono_metadata_free_method_signature (), which leaves the signatures of methods alone. Normal context.
 */
MONO_API MonoMethodSignature *mono_metadata_parse_signature (MonoImage *image, uint32_t token);
MONO_API MonoMethodSignature *mono_metadata_parse_method_signature (MonoImage *m, int def, const char *ptr,
                                                                    const char **rptr);
MONO_API MonoMethodSignature *mono_metadata_signature_alloc (MonoImage *image, uint32_t nparams);
MONO_API MonoMethodSignature *mono_metadata_signature_dup (MonoMethodSignature *sig);
MONO_API void mono_metadata_free_method_signature (MonoMethodSignature *method);

/* A marshalling descriptor, after its length; free it as below. NULL: no memory. Normal context. ECMA-335 II.23.4. */
MONO_API MonoMarshalSpec *mono_metadata_parse_marshal_spec (MonoImage *image, const char *ptr);
MONO_API void mono_metadata_free_marshal_spec (MonoMarshalSpec *spec);

MONO_END_DECLS

#endif
