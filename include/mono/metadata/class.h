/*
 * SPDX-License-Identifier: MIT
 *
 * class.h - classes, fields, properties, events.
 *
 * A MonoClass describes any kind of type: definitions, generic instances, arrays, pointers, type parameters.
 * Iterators are a void * that is NULL at first; the result is NULL at the end; there is nothing to free.
 */
#ifndef MONO_METADATA_CLASS_H
#define MONO_METADATA_CLASS_H

#include <mono/metadata/metadata.h>
#include <mono/metadata/image.h>
#include <mono/metadata/loader.h>
#include <mono/utils/mono-error.h>

MONO_BEGIN_DECLS

typedef struct MonoVTable      MonoVTable; /* a class in a domain */
typedef struct _MonoClassField MonoClassField;
typedef struct _MonoProperty   MonoProperty;
typedef struct _MonoEvent      MonoEvent;

/* --- what a class is ---------------------------------------------------------------------------------------------- */

/* With arity and rank: "Inner`1", "Int32[]". Borrowed. Any context. */
MONO_API const char *mono_class_get_name (MonoClass *klass);
/* "" for nested types. Borrowed. Any context. */
MONO_API const char *mono_class_get_namespace (MonoClass *klass);
/* Where its definition is; of an array that of its element. Borrowed. Any context. */
MONO_API MonoImage *mono_class_get_image (MonoClass *klass);
/* The type that is the class by value (by reference). As long as the class. Any context. */
MONO_API MonoType *mono_class_get_type (MonoClass *klass);
MONO_API MonoType *mono_class_get_byref_type (MonoClass *klass);
/* TypeDef token (0x02......), 0 for what has none. Any context. */
MONO_API uint32_t mono_class_get_type_token (MonoClass *klass);
/* TypeAttributes. Any context. ECMA-335 II.23.1.15. */
MONO_API uint32_t mono_class_get_flags (MonoClass *klass);
/* NULL for object, interfaces, type parameters, and inside class_loading. Borrowed. Any context after class_loaded. */
MONO_API MonoClass *mono_class_get_parent (MonoClass *klass);
/* The enclosing class, NULL when there is none. Borrowed. Any context. */
MONO_API MonoClass *mono_class_get_nesting_type (MonoClass *klass);
/*
 * Of an array its element, of a pointer its pointee, of an enum its underlying class; else the class itself. Any
 * context.
 */
MONO_API MonoClass *mono_class_get_element_class (MonoClass *klass);
/* 0 for what is not an array. Any context. */
MONO_API int mono_class_get_rank (MonoClass *klass);
MONO_API mono_bool mono_class_is_valuetype (MonoClass *klass);
MONO_API mono_bool mono_class_is_enum (MonoClass *klass);
MONO_API mono_bool mono_class_is_delegate (MonoClass *klass);
MONO_API mono_bool mono_class_is_nullable (MonoClass *klass);
/* The T of a Nullable<T>; only for what mono_class_is_nullable () says yes to. Borrowed. Any context. */
MONO_API MonoClass *mono_class_get_nullable_param (MonoClass *klass);
/*
 * Of an enum its underlying type; of an array, a pointer and Nullable<T> what they are made of; else NULL. Borrowed.
 * Normal context.
 */
MONO_API MonoType *mono_class_enum_basetype (MonoClass *klass);

#define MONO_CLASS_IS_INTERFACE(c) \
	((mono_class_get_flags (c) & TYPE_ATTRIBUTE_INTERFACE) || mono_type_is_generic_parameter (mono_class_get_type (c)))
#define MONO_CLASS_IS_IMPORT(c) (mono_class_get_flags (c) & TYPE_ATTRIBUTE_IMPORT)

/*
 * Is `klass` the class or below it (interfaces count if asked)? Can an `oklass` be stored where a `klass` is expected?
 * Does it implement the interface: the second question the other way round, so that any class does for `iface`. All may
 * initialise classes: normal context. ECMA-335 I.8.7.
 */
MONO_API mono_bool mono_class_is_subclass_of (MonoClass *klass, MonoClass *klassc, mono_bool check_interfaces);
MONO_API mono_bool mono_class_is_assignable_from (MonoClass *klass, MonoClass *oklass);
MONO_API mono_bool mono_class_implements_interface (MonoClass *klass, MonoClass *iface);

/* --- sizes: all may lay out the class: normal context; 0 where the runtime does not tell -------------------------- */

/* Bytes of an instance with its object header (16 on 64-bit Mono, 8 on 64-bit CoreCLR). */
MONO_API int32_t mono_class_instance_size (MonoClass *klass);
/* Bytes of a value, of an object's fields, without header; *align (may be NULL) gets the alignment. */
MONO_API int32_t mono_class_value_size (MonoClass *klass, uint32_t *align);
/* Bytes of its static fields. */
MONO_API int32_t mono_class_data_size (MonoClass *klass);
MONO_API int32_t mono_class_min_align (MonoClass *klass);
/* Bytes an element takes in an array of `klass`; in the array class `ac`. */
MONO_API int32_t mono_class_array_element_size (MonoClass *klass);
MONO_API int32_t mono_array_element_size (MonoClass *ac);

/* --- look-ups: all may load types, hence normal context; borrowed, NULL when there is none ------------------------ */

/* Nested types by "Outer/Inner" as `name`. The second takes a letter for its capital (outside Mono: A to Z only). */
MONO_API MonoClass *mono_class_from_name (MonoImage *image, const char *name_space, const char *name);
MONO_API MonoClass *mono_class_from_name_case (MonoImage *image, const char *name_space, const char *name);
/* By TypeDef, TypeRef or TypeSpec token. */
MONO_API MonoClass *mono_class_get (MonoImage *image, uint32_t type_token);
MONO_API MonoClass *mono_class_get_full (MonoImage *image, uint32_t type_token, MonoGenericContext *context);
/*
 * What ldtoken loads: the MonoType, MonoMethod or MonoClassField of a token, and in *retclass (may be NULL) the class
 * of its handle (System.RuntimeTypeHandle, ...). NULL: the token leads nowhere. Borrowed. Normal context. ECMA-335
 * III.4.17.
 */
MONO_API void *mono_ldtoken (MonoImage *image, uint32_t token, MonoClass **retclass, MonoGenericContext *context);
/* By TypeRef token; `error` says why there is none. */
MONO_API MonoClass *mono_class_from_typeref (MonoImage *image, uint32_t type_token);
MONO_API MonoClass *mono_class_from_typeref_checked (MonoImage *image, uint32_t type_token, MonoError *error);
/* The type, the method with parameters replaced as the context says; itself without a context. */
MONO_API MonoType *mono_class_inflate_generic_type (MonoType *type, MonoGenericContext *context);
MONO_API MonoMethod *mono_class_inflate_generic_method (MonoMethod *method, MonoGenericContext *context);
/* The method itself, made complete. */
MONO_API MonoMethod *mono_get_inflated_method (MonoMethod *method);
/* The class of a type: of int that of System.Int32, of T[] the array class. */
MONO_API MonoClass *mono_class_from_mono_type (MonoType *type);
/* The class of arrays with that element and rank; rank 1 is T[]. */
MONO_API MonoClass *mono_array_class_get (MonoClass *element_class, uint32_t rank);
/* With `bounded` rank 1 is T[*]. */
MONO_API MonoClass *mono_bounded_array_class_get (MonoClass *element_class, uint32_t rank, mono_bool bounded);
MONO_API MonoClass *mono_ptr_class_get (MonoType *type);
/*
 * The first method with that name and number of parameters, -1: any number. Base classes are not searched, unlike for
 * fields and properties.
 */
MONO_API MonoMethod *mono_class_get_method_from_name (MonoClass *klass, const char *name, int param_count);
/* The same, all `flags` (MethodAttributes) set. */
MONO_API MonoMethod *mono_class_get_method_from_name_flags (MonoClass *klass, const char *name, int param_count,
                                                            int flags);
MONO_API MonoClassField *mono_class_get_field_from_name (MonoClass *klass, const char *name);
/* By Field token, of the class or of a base class in the same image. */
MONO_API MonoClassField *mono_class_get_field (MonoClass *klass, uint32_t field_token);
/* By Field or MemberRef token; *ret_klass (may be NULL) gets the field's class. `context` may be NULL. */
MONO_API MonoClassField *mono_field_from_token (MonoImage *image, uint32_t token, MonoClass **ret_klass,
                                                MonoGenericContext *context);
MONO_API MonoProperty *mono_class_get_property_from_name (MonoClass *klass, const char *name);
/*
 * Does what is needed before an instance can be made, the static constructor excepted. 0: the class cannot be loaded.
 */
MONO_API mono_bool mono_class_init (MonoClass *klass);
/* The class in a domain. NULL where no host serves it. */
MONO_API MonoVTable *mono_class_vtable (MonoDomain *domain, MonoClass *klass);

/* --- members: walking makes the runtime set them up: normal context ----------------------------------------------- */

/*
 * What the class itself has, in the order of its metadata; a class names its own interfaces only, of which compilers
 * list the inherited ones as well. An instance shows no nested types.
 */
MONO_API int mono_class_num_fields (MonoClass *klass);
MONO_API int mono_class_num_methods (MonoClass *klass);
MONO_API int mono_class_num_properties (MonoClass *klass);
MONO_API int mono_class_num_events (MonoClass *klass);
MONO_API MonoClassField *mono_class_get_fields (MonoClass *klass, void **iter);
MONO_API MonoMethod *mono_class_get_methods (MonoClass *klass, void **iter);
MONO_API MonoProperty *mono_class_get_properties (MonoClass *klass, void **iter);
MONO_API MonoEvent *mono_class_get_events (MonoClass *klass, void **iter);
MONO_API MonoClass *mono_class_get_interfaces (MonoClass *klass, void **iter);
MONO_API MonoClass *mono_class_get_nested_types (MonoClass *klass, void **iter);

/* --- fields: borrowed; any context -------------------------------------------------------------------------------- */

MONO_API const char *mono_field_get_name (MonoClassField *field);
/* May parse the field's signature: normal context. */
MONO_API MonoType *mono_field_get_type (MonoClassField *field);
MONO_API MonoClass *mono_field_get_parent (MonoClassField *field);
/* FieldAttributes. ECMA-335 II.23.1.5. */
MONO_API uint32_t mono_field_get_flags (MonoClassField *field);
/*
 * From the start of the object, its header included, also for structs: what is added to an object's address on the
 * runtime that runs. For an unboxed value subtract instance size less value size. 0: static, or unknown. May lay out
 * the class: normal context.
 */
MONO_API uint32_t mono_field_get_offset (MonoClassField *field);
MONO_API uint32_t mono_class_get_field_token (MonoClassField *field);
/*
 * Of a constant its blob, after its compressed length (ECMA-335 II.22.9, II.24.2.4); of a field with an RVA its
 * initial bytes, as long as the image is loaded. NULL: neither.
 */
MONO_API const char *mono_field_get_data (MonoClassField *field);

/* --- properties and events: borrowed, NULL when there is none; any context ---------------------------------------- */

MONO_API const char *mono_property_get_name (MonoProperty *prop);
MONO_API MonoMethod *mono_property_get_set_method (MonoProperty *prop);
MONO_API MonoMethod *mono_property_get_get_method (MonoProperty *prop);
MONO_API MonoClass *mono_property_get_parent (MonoProperty *prop);
MONO_API uint32_t mono_property_get_flags (MonoProperty *prop);
MONO_API uint32_t mono_class_get_property_token (MonoProperty *prop);
MONO_API const char *mono_event_get_name (MonoEvent *event);
MONO_API MonoMethod *mono_event_get_add_method (MonoEvent *event);
MONO_API MonoMethod *mono_event_get_remove_method (MonoEvent *event);
MONO_API MonoMethod *mono_event_get_raise_method (MonoEvent *event);
MONO_API MonoClass *mono_event_get_parent (MonoEvent *event);
MONO_API uint32_t mono_event_get_flags (MonoEvent *event);
MONO_API uint32_t mono_class_get_event_token (MonoEvent *event);

/* --- may the code of `method` use the member? Of methods the class must be accessible too. Normal context. -------- */

MONO_API mono_bool mono_method_can_access_field (MonoMethod *method, MonoClassField *field);
MONO_API mono_bool mono_method_can_access_method (MonoMethod *method, MonoMethod *called);

/* --- names of types ----------------------------------------------------------------------------------------------- */

/*
 * "N.S.Outer.Inner<System.String,System.Int32>": dots for nesting, no arity, full names of primitives. Shared type
 * parameters are "!1", "!!0", "T_REF". Caller frees. Normal context.
 */
MONO_API char *mono_type_get_name (MonoType *type);
/*
 * Of an enum its base type, else the type itself; a byref stays one. NULL when it cannot be told. Borrowed. Normal
 * context.
 */
MONO_API MonoType *mono_type_get_underlying_type (MonoType *type);
/*
 * "Ns.Name" of a TypeDef or TypeRef row, without the types around it; "Typespec 0x1b......". Caller frees. Normal
 * context.
 */
MONO_API char *mono_class_name_from_token (MonoImage *image, uint32_t type_token);

MONO_END_DECLS

#endif
