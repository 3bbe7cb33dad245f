/*
 * SPDX-License-Identifier: MIT
 *
 * loader.h - methods, and walking the stack.
 */
#ifndef MONO_METADATA_LOADER_H
#define MONO_METADATA_LOADER_H

#include <mono/utils/mono-forward.h>
#include <mono/utils/mono-error.h>
#include <mono/metadata/metadata.h>
#include <mono/metadata/image.h>

MONO_BEGIN_DECLS

/* --- what a method is --------------------------------------------------------------------------------------------- */

/* The bare name: "Main", ".ctor", "N.S.IFoo.Bar" for an explicit implementation. No arity. Borrowed. Any context. */
MONO_API const char *mono_method_get_name (MonoMethod *method);
/* The declaring class; for a method of a generic instance that instance. Borrowed. Any context. */
MONO_API MonoClass *mono_method_get_class (MonoMethod *method);
/* The MethodDef token (0x06......), of the definition for an instance; 0 for wrappers. Any context. */
MONO_API uint32_t mono_method_get_token (MonoMethod *method);
/* MethodAttributes; *iflags (may be NULL) gets MethodImplAttributes. Any context. ECMA-335 II.23.1.10, II.23.1.11. */
MONO_API uint32_t mono_method_get_flags (MonoMethod *method, uint32_t *iflags);
/* The row number of its token; without a token its place among the methods of its class. Normal context. */
MONO_API uint32_t mono_method_get_index (MonoMethod *method);

/*
 * The signature with type arguments filled in. Borrowed, NULL when it cannot be read. Mono parses it on first use:
 * normal context there; any context elsewhere.
 */
MONO_API MonoMethodSignature *mono_method_signature (MonoMethod *method);
/* Mono's spelling with a token, for methods that are referred to by a MemberRef. Normal context. */
MONO_API MonoMethodSignature *mono_method_get_signature (MonoMethod *method, MonoImage *image, uint32_t token);
MONO_API MonoMethodSignature *mono_method_get_signature_full (MonoMethod *method, MonoImage *image, uint32_t token,
                                                              MonoGenericContext *context);

/* Fills names[0 .. parameter count) with borrowed text, "" where metadata has no name. Normal context. */
MONO_API void mono_method_get_param_names (MonoMethod *method, const char **names);
/* Token of the Param row of parameter `idx` (-1: of what is returned), 0 when it has none. Normal context. */
MONO_API uint32_t mono_method_get_param_token (MonoMethod *method, int idx);
/* Does any of them say how it is marshalled? Normal context. */
MONO_API mono_bool mono_method_has_marshal_info (MonoMethod *method);
/*
 * Fills mspecs[0 .. parameter count] with how what is returned and the parameters are marshalled, NULL where nothing
 * says so. The caller frees each with mono_metadata_free_marshal_spec (). Normal context.
 */
MONO_API void mono_method_get_marshal_info (MonoMethod *method, MonoMarshalSpec **mspecs);

/*
 * The IL body. NULL for abstract, runtime-implemented, internal-call and native methods. Free with
 * mono_metadata_free_mh (). Normal context. ECMA-335 II.25.4.
 */
MONO_API MonoMethodHeader *mono_method_get_header (MonoMethod *method);
/* The same; `error` says why it failed. */
MONO_API MonoMethodHeader *mono_method_get_header_checked (MonoMethod *method, MonoError *error);

/*
 * The method of a MethodDef or MemberRef token; `klass` may be NULL. Borrowed, NULL when there is none. May load types:
 * normal context. The context of _full supplies type arguments and may be NULL.
 */
MONO_API MonoMethod *mono_get_method (MonoImage *image, uint32_t token, MonoClass *klass);
MONO_API MonoMethod *mono_get_method_full (MonoImage *image, uint32_t token, MonoClass *klass,
                                           MonoGenericContext *context);
/*
 * The method that `constrained.` and `callvirt token` run on a receiver of the class; *ret_method (may be NULL) gets
 * the one that the token names. Normal context. ECMA-335 III.2.1.
 */
MONO_API MonoMethod *mono_get_method_constrained (MonoImage *image, uint32_t token, MonoClass *constrained_class,
                                                  MonoGenericContext *context, MonoMethod **ret_method);

/* --- internal calls ----------------------------------------------------------------------------------------------- */

/*
 * Makes `method` the body of the extern method NAME ("Ns.Type::Method", or with "(args)"). The name is copied. Normal
 * context. Served by Mono only: elsewhere ignored.
 */
MONO_API void mono_add_internal_call (const char *name, const void *method);
/* The body that is registered for an internal call, NULL when none is. Normal context. */
MONO_API void *mono_lookup_internal_call (MonoMethod *method);

/* --- the stack ---------------------------------------------------------------------------------------------------- */

/*
 * One frame: `managed` is 0 for wrappers. Offsets are relative to the method's code and IL body, -1 when unknown.
 * Return nonzero to stop.
 */
typedef mono_bool (*MonoStackWalk) (MonoMethod *method, int32_t native_offset, int32_t il_offset, mono_bool managed,
                                    void *data);

/*
 * Calls `func` for each managed frame of the calling thread, innermost first. The second form reports il_offset -1 and
 * is much cheaper. Nothing happens on a thread that the runtime does not know. May raise further events. Normal
 * context, gc_allocation, where something is half loaded, and call probes: on Mono method_exception_leave alone shows
 * frames there.
 */
MONO_API void mono_stack_walk (MonoStackWalk func, void *user_data);
MONO_API void mono_stack_walk_no_il (MonoStackWalk func, void *user_data);

/*
 * One frame of the walk below. `method` is NULL when the code is not known yet; then `base_address` is where the code
 * begins and `offset` is -1: resolve it later, outside the handler, with mono_jit_info_table_find (). Return nonzero to
 * stop.
 */
typedef mono_bool (*MonoStackWalkAsyncSafe) (MonoMethod *method, MonoDomain *domain, void *base_address, int offset,
                                             void *data);

/*
 * Walks the managed frames of the interrupted thread, innermost first. Only inside sample_hit, with the context that
 * sample_hit got; async-safe there. No frame at all is a normal outcome (native threads, start-up code).
 */
MONO_API void mono_stack_walk_async_safe (MonoStackWalkAsyncSafe func, void *initial_sig_context, void *user_data);

/* The innermost managed method of the calling thread that is not a wrapper; NULL when there is none. Normal context. */
MONO_API MonoMethod *mono_method_get_last_managed (void);

MONO_END_DECLS

#endif
