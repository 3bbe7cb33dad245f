/*
 * SPDX-License-Identifier: MIT
 *
 * object.h - managed objects.
 *
 * A MonoObject * is a raw address in the managed heap: not pinned, not tracked. Use it during the callback that gave
 * it; keep objects through mono_gchandle_new (). The getters that only read may be called while the world is stopped.
 */
#ifndef MONO_METADATA_OBJECT_H
#define MONO_METADATA_OBJECT_H

#include <mono/utils/mono-forward.h>
#include <mono/metadata/object-forward.h>
#include <mono/metadata/class.h>
#include <mono/utils/mono-error.h>

MONO_BEGIN_DECLS

typedef struct _MonoString               MonoString;
typedef struct _MonoArray                MonoArray;
typedef struct _MonoReflectionMethod     MonoReflectionMethod;
typedef struct _MonoReflectionModule     MonoReflectionModule;
typedef struct _MonoReflectionField      MonoReflectionField;
typedef struct _MonoReflectionProperty   MonoReflectionProperty;
typedef struct _MonoReflectionEvent      MonoReflectionEvent;
typedef struct _MonoReflectionType       MonoReflectionType;
typedef struct _MonoReflectionMethodBody MonoReflectionMethodBody;
typedef struct _MonoDelegate             MonoDelegate;
typedef struct _MonoThreadsSync          MonoThreadsSync;
typedef struct _MonoThread               MonoThread;
typedef struct _MonoDynamicAssembly      MonoDynamicAssembly;
typedef struct _MonoDynamicImage         MonoDynamicImage;
typedef struct _MonoAppContext           MonoAppContext;

/*
 * The header of an object in Mono. Do not read it: on CoreCLR the header is one word, so the second field is the
 * object's data. mono_object_get_vtable () works everywhere.
 */
struct _MonoObject {
	MonoVTable *vtable;
	MonoThreadsSync *synchronisation;
};

typedef MonoObject *(*MonoInvokeFunc) (MonoMethod *method, void *obj, void **params, MonoObject **exc,
                                       MonoError *error);
typedef void *(*MonoCompileFunc) (MonoMethod *method);
typedef void (*MonoMainThreadFunc) (void *user_data);

/* --- plain reads: any context in which the object may be looked at ------------------------------------------------ */

MONO_API MonoClass *mono_object_get_class (MonoObject *obj);
MONO_API MonoVTable *mono_object_get_vtable (MonoObject *obj);
MONO_API MonoDomain *mono_object_get_domain (MonoObject *obj);
/* Exact bytes, header included, not rounded up to the alignment. 0 where the runtime does not tell. */
MONO_API unsigned int mono_object_get_size (MonoObject *o);
MONO_API MonoClass *mono_vtable_class (MonoVTable *vtable);
/* NULL for proxies of remote objects. */
MONO_API MonoDomain *mono_vtable_domain (MonoVTable *vtable);
/* Where the value inside a box begins; the object must be a box. Outside Mono NULL for one that is not. */
MONO_API void *mono_object_unbox (MonoObject *obj);

/* UTF-16 characters of a string, not necessarily ended by 0, and how many there are. Borrowed from the object. */
MONO_API mono_unichar2 *mono_string_chars (MonoString *s);
MONO_API int mono_string_length (MonoString *s);
/* Elements of all dimensions together. */
MONO_API uintptr_t mono_array_length (MonoArray *array);
/* Address of element `idx` where an element takes `size` bytes. No bounds check. */
MONO_API char *mono_array_addr_with_size (MonoArray *array, int size, uintptr_t idx);

#define mono_array_addr(array, type, index) ((type *) mono_array_addr_with_size ((array), sizeof (type), (index)))
#define mono_array_get(array, type, index)  (*mono_array_addr (array, type, index))
#define mono_array_set(array, type, index, value) \
	do { \
		type *mono_array_set_slot = mono_array_addr (array, type, index); \
		*mono_array_set_slot = (value); \
	} while (0)

/* --- strings: normal context -------------------------------------------------------------------------------------- */

/*
 * A copy in UTF-8, UTF-16 or code points, ended by 0. NULL for a NULL string, and of the first and the last for a
 * string that holds half a surrogate pair. Caller frees.
 */
MONO_API char *mono_string_to_utf8 (MonoString *string_obj);
MONO_API mono_unichar2 *mono_string_to_utf16 (MonoString *string_obj);
MONO_API mono_unichar4 *mono_string_to_utf32 (MonoString *string_obj);
/* The same; on failure NULL, and `error` says why. */
MONO_API char *mono_string_to_utf8_checked (MonoString *string_obj, MonoError *error);
/* The same characters? And a hash of them: 31 h + c over the UTF-16 units, modulo 2^32. Plain reads. */
MONO_API mono_bool mono_string_equal (MonoString *s1, MonoString *s2);
MONO_API unsigned int mono_string_hash (MonoString *s);
/* The identity hash; may inflate the object's lock word. 0 where the runtime does not tell. */
MONO_API int mono_object_hash (MonoObject *obj);

/* --- what an object is: normal context, where it may be looked at; may look classes up ---------------------------- */

/* The object when it is a `klass` (or has that interface), else NULL. */
MONO_API MonoObject *mono_object_isinst (MonoObject *obj, MonoClass *klass);
/* The same; Mono sees through the proxies of remote objects. */
MONO_API MonoObject *mono_object_isinst_mbyref (MonoObject *obj, MonoClass *klass);
/* The override of `method` that `obj` would run; `method` itself when it is not virtual. NULL: it has none. */
MONO_API MonoMethod *mono_object_get_virtual_method (MonoObject *obj, MonoMethod *method);

/* --- creating and running: served by hosts that run managed code; NULL (nothing) elsewhere; normal context -------- */

MONO_API MonoObject *mono_object_new (MonoDomain *domain, MonoClass *klass);
MONO_API MonoString *mono_string_new (MonoDomain *domain, const char *text);
MONO_API MonoString *mono_string_new_len (MonoDomain *domain, const char *text, unsigned int length);
MONO_API MonoArray *mono_array_new (MonoDomain *domain, MonoClass *eclass, uintptr_t n);
MONO_API MonoObject *mono_value_box (MonoDomain *domain, MonoClass *klass, void *val);
/* ToString (). *exc gets what it threw; without `exc` the exception goes on through the caller. */
MONO_API MonoString *mono_object_to_string (MonoObject *obj, MonoObject **exc);
/*
 * Runs a method. `obj` is NULL for static methods, the address of the value for structs; params[i] is the address of a
 * value or the reference itself. Returns the (boxed) result. *exc gets what it threw; without `exc` the exception goes
 * on.
 */
MONO_API MonoObject *mono_runtime_invoke (MonoMethod *method, void *obj, void **params, MonoObject **exc);
/* Runs the constructor without parameters; the static constructor. */
MONO_API void mono_runtime_object_init (MonoObject *this_obj);
MONO_API void mono_runtime_class_init (MonoVTable *vtable);
/* Compiles a method now and returns its code. */
MONO_API void *mono_compile_method (MonoMethod *method);
MONO_API void mono_raise_exception (MonoException *ex);

/* --- fields and properties ---------------------------------------------------------------------------------------- */

/* Copies the field's bytes into *value (a reference as its pointer). Normal context. */
MONO_API void mono_field_get_value (MonoObject *obj, MonoClassField *field, void *value);
/* The same for a static field; runs no static constructor. */
MONO_API void mono_field_static_get_value (MonoVTable *vt, MonoClassField *field, void *value);
/* `value` points to the bytes, but is the reference itself for fields of reference type. Normal context. */
MONO_API void mono_field_set_value (MonoObject *obj, MonoClassField *field, void *value);
MONO_API void mono_field_static_set_value (MonoVTable *vt, MonoClassField *field, void *value);
/* The value as an object, boxed if needed. Normal context. */
MONO_API MonoObject *mono_field_get_value_object (MonoDomain *domain, MonoClassField *field, MonoObject *obj);
/* Run the accessors, as mono_runtime_invoke (). Normal context. */
MONO_API MonoObject *mono_property_get_value (MonoProperty *prop, void *obj, void **params, MonoObject **exc);
MONO_API void mono_property_set_value (MonoProperty *prop, void *obj, void **params, MonoObject **exc);

/* --- handles: normal context; 0 and NULL where no host serves them ------------------------------------------------ */

/*
 * A handle that keeps the object alive, and in its place when `pinned`. Free it. 0: refused. Raises gc_handle_created.
 */
MONO_API uint32_t mono_gchandle_new (MonoObject *obj, mono_bool pinned);
/* One that does not. Its target turns NULL at the object's death (with the flag: after its finalizer). */
MONO_API uint32_t mono_gchandle_new_weakref (MonoObject *obj, mono_bool track_resurrection);
/* Also of handles that the program made, by the number that gc_handle_created told. */
MONO_API MonoObject *mono_gchandle_get_target (uint32_t gchandle);
/* 0 is ignored. Raises gc_handle_deleted. */
MONO_API void mono_gchandle_free (uint32_t gchandle);

/* --- storing references: what the collector must be told; normal context ------------------------------------------ */

MONO_API void mono_gc_wbarrier_set_field (MonoObject *obj, void *field_ptr, MonoObject *value);
MONO_API void mono_gc_wbarrier_set_arrayref (MonoArray *arr, void *slot_ptr, MonoObject *value);
MONO_API void mono_gc_wbarrier_generic_store (void *ptr, MonoObject *value);

#define mono_array_setref(array, index, value) \
	do { \
		void **mono_array_setref_slot = mono_array_addr (array, void *, index); \
		mono_gc_wbarrier_set_arrayref ((array), mono_array_setref_slot, (MonoObject *) (value)); \
	} while (0)
#define MONO_OBJECT_SETREF(obj, fieldname, value) \
	mono_gc_wbarrier_set_field ((MonoObject *) (obj), &((obj)->fieldname), (MonoObject *) (value))
#define MONO_STRUCT_SETREF(s, field, value) \
	mono_gc_wbarrier_generic_store (&((s)->field), (MonoObject *) (value))

MONO_END_DECLS

#endif
