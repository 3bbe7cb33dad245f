/*
 * SPDX-License-Identifier: MIT
 *
 * appdomain.h - domains, remoting contexts, jit infos, well-known classes.
 */
#ifndef MONO_METADATA_APPDOMAIN_H
#define MONO_METADATA_APPDOMAIN_H

#include <mono/utils/mono-publib.h>
#include <mono/utils/mono-forward.h>
#include <mono/metadata/object.h>
#include <mono/metadata/reflection.h>

MONO_BEGIN_DECLS

typedef void (*MonoThreadStartCB) (intptr_t tid, void *stack_start, void *func);
typedef void (*MonoThreadAttachCB) (intptr_t tid, void *stack_start);
typedef struct _MonoAppDomain MonoAppDomain;
typedef void (*MonoDomainFunc) (MonoDomain *domain, void *user_data);

/* --- domains ------------------------------------------------------------------------------------------------------ */

/* The first domain; NULL before it exists. Borrowed. Any context. */
MONO_API MonoDomain *mono_get_root_domain (void);
/* The calling thread's domain; NULL on threads the runtime does not know, and in thread_exited. Any context. */
MONO_API MonoDomain *mono_domain_get (void);
/* Makes it the calling thread's; nonzero when that was possible (force: also while it unloads). Normal context. */
MONO_API mono_bool mono_domain_set (MonoDomain *domain, mono_bool force);
/* The root's is 0; not assigned yet inside domain_loading. Any context. */
MONO_API int32_t mono_domain_get_id (MonoDomain *domain);
/* NULL when there is none with that id. Normal context. */
MONO_API MonoDomain *mono_domain_get_by_id (int32_t domainid);
/* NULL before domain_name. Borrowed. Any context. */
MONO_API const char *mono_domain_get_friendly_name (MonoDomain *domain);
/* Calls `func` for each domain. Normal context. */
MONO_API void mono_domain_foreach (MonoDomainFunc func, void *user_data);
/* Nonzero while the domain is taken down. Any context. */
MONO_API mono_bool mono_domain_is_unloading (MonoDomain *domain);
/* Loads an assembly file into the domain; NULL on failure. Served by hosts that run managed code. Normal context. */
MONO_API MonoAssembly *mono_domain_assembly_open (MonoDomain *domain, const char *name);
/* Nonzero once the runtime began to shut down. Any context. */
MONO_API mono_bool mono_runtime_is_shutting_down (void);
/*
 * At the end of the runtime `func` is called with the root domain and NULL. There is one such function, a later call
 * replaces it; NULL: none. Outside Mono it runs before the callbacks of runtime_shutdown_end. On Mono it runs instead
 * of the runtime's own cleanup, at Environment.Exit only. Not async-safe.
 */
MONO_API void mono_install_runtime_cleanup (MonoDomainFunc func);

/* --- remoting contexts: any context ------------------------------------------------------------------------------- */

MONO_API MonoAppContext *mono_context_get (void);
MONO_API int32_t mono_context_get_id (MonoAppContext *context);
MONO_API int32_t mono_context_get_domain_id (MonoAppContext *context);

/* --- jit infos ---------------------------------------------------------------------------------------------------- */

/*
 * Whose code holds that address; any address inside counts. NULL when it is no method's code. Borrowed. Any context,
 * but in a signal handler Mono cannot resolve ahead-of-time code that it has not looked at yet: resolve later.
 */
MONO_API MonoJitInfo *mono_jit_info_table_find (MonoDomain *domain, void *addr);
/* Any context. For code that generic instances share the method is the shared one. */
MONO_API void *mono_jit_info_get_code_start (MonoJitInfo *ji);
MONO_API int mono_jit_info_get_code_size (MonoJitInfo *ji);
MONO_API MonoMethod *mono_jit_info_get_method (MonoJitInfo *ji);

/* --- well-known things: borrowed; NULL until the core library is loaded; any context ------------------------------ */

MONO_API MonoImage *mono_get_corlib (void);
MONO_API MonoClass *mono_get_object_class (void);
MONO_API MonoClass *mono_get_byte_class (void);
MONO_API MonoClass *mono_get_void_class (void);
MONO_API MonoClass *mono_get_boolean_class (void);
MONO_API MonoClass *mono_get_sbyte_class (void);
MONO_API MonoClass *mono_get_int16_class (void);
MONO_API MonoClass *mono_get_uint16_class (void);
MONO_API MonoClass *mono_get_int32_class (void);
MONO_API MonoClass *mono_get_uint32_class (void);
MONO_API MonoClass *mono_get_intptr_class (void);
MONO_API MonoClass *mono_get_uintptr_class (void);
MONO_API MonoClass *mono_get_int64_class (void);
MONO_API MonoClass *mono_get_uint64_class (void);
MONO_API MonoClass *mono_get_single_class (void);
MONO_API MonoClass *mono_get_double_class (void);
MONO_API MonoClass *mono_get_char_class (void);
MONO_API MonoClass *mono_get_string_class (void);
MONO_API MonoClass *mono_get_enum_class (void);
MONO_API MonoClass *mono_get_array_class (void);
MONO_API MonoClass *mono_get_thread_class (void);
MONO_API MonoClass *mono_get_exception_class (void);

MONO_END_DECLS

#endif
