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
 * The class that a type by value stands for; not for generic instances, arrays, pointers, parameters. Borrowed. Any
 * context.
 */
MONO_API MonoClass *mono_type_get_class (MonoType *type);
/* Only for MONO_TYPE_ARRAY. Borrowed. Any context. */
MONO_API MonoArrayType *mono_type_get_array_type (MonoType *type);
/* Only for MONO_TYPE_PTR: what it points to. Borrowed. Any context. */
MONO_API MonoType *mono_type_get_ptr_type (MonoType *type);
/* Only for MONO_TYPE_FNPTR. Borrowed, NULL where it is not known. Any context. */
MONO_API MonoMethodSignature *mono_type_get_signature (MonoType *type);

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

/* Frees what mono_method_get_header () gave. Normal context. */
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

/* --- rows, heaps, tokens: ECMA-335 II.22, II.24 ------------------------------------------------------------------- */

#define mono_metadata_make_token(table, idx) (((table) << 24) | (idx))
#define mono_metadata_token_table(token)     ((token) >> 24)
#define mono_metadata_token_index(token)     ((token) & 0xffffff)
#define mono_metadata_token_code(token)      ((token) & 0xff000000)

/* Reads the first res_size columns of row `idx` (from 0). Any context. */
MONO_API void mono_metadata_decode_row (const MonoTableInfo *t, int idx, uint32_t *res, int res_size);
/* Reads one column of row `idx` (from 0). Any context. */
MONO_API uint32_t mono_metadata_decode_row_col (const MonoTableInfo *t, int idx, unsigned int col);
/* Text at an offset of the #Strings heap. Borrowed. Any context. */
MONO_API const char *mono_metadata_string_heap (MonoImage *meta, uint32_t table_index);
/* Bytes at an offset of the #Blob heap, beginning with their compressed length. Borrowed. Any context. */
MONO_API const char *mono_metadata_blob_heap (MonoImage *meta, uint32_t table_index);
/* The same for the #US heap (UTF-16). */
MONO_API const char *mono_metadata_user_string (MonoImage *meta, uint32_t table_index);
/* The 16 bytes of a 1-based index of the #GUID heap. Borrowed. Any context. */
MONO_API const char *mono_metadata_guid_heap (MonoImage *meta, uint32_t table_index);
/* Decodes a compressed unsigned integer; *rptr gets where it ends. Any context. ECMA-335 II.23.2. */
MONO_API uint32_t mono_metadata_decode_value (const char *ptr, const char **rptr);
/* The same for the length in front of a blob. */
MONO_API uint32_t mono_metadata_decode_blob_size (const char *ptr, const char **rptr);
/* 1-based row of the type that declares a method (field) row, 0 when none. Any context. */
MONO_API uint32_t mono_metadata_typedef_from_method (MonoImage *meta, uint32_t table_index);
MONO_API uint32_t mono_metadata_typedef_from_field (MonoImage *meta, uint32_t table_index);
/* Token of the type that encloses a TypeDef row, 0 when none. Any context. */
MONO_API uint32_t mono_metadata_nested_in_typedef (MonoImage *meta, uint32_t table_index);
/* "XXXXXXXX-XXXX-XXXX-XXXX-XXXXXXXXXXXX", upper case. Caller frees. Normal context. */
MONO_API char *mono_guid_to_string (const uint8_t *guid);

MONO_END_DECLS

#endif
