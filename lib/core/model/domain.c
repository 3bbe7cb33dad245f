/*
 * SPDX-License-Identifier: MIT
 *
 * domain.c - the one application domain, and what is asked of the runtime as a whole.
 *
 * Everything here may be called in any context but for the functions that allocate or call back.
 */
#include <stdlib.h>
#include <string.h>
#include <sys/utsname.h>
#include <mono/jit/jit.h>
#include <mono/metadata/appdomain.h>
#include <mono/metadata/environment.h>
#include <mono/metadata/mono-config.h>
#include <mono/metadata/mono-debug.h>
#include "arena.h"
#include "dispatch/host.h"
#include "records.h"

static MonoDomain root;

MonoDomain *
monocle_domain_root (void)
{
	return &root;
}

void
monocle_domain_set_name (MonoDomain *domain, const char *friendly_name)
{
	const char *copy = monocle__arena_string (friendly_name);
	if (domain && copy)
		atomic_store_explicit (&domain->friendly_name, copy, memory_order_release);
}

MonoDomain *
mono_domain_get (void)
{
	return &root;
}

MonoDomain *
mono_get_root_domain (void)
{
	return &root;
}

MonoDomain *
mono_domain_get_by_id (int32_t id)
{
	return id == root.id ? &root : NULL;
}

int32_t
mono_domain_get_id (MonoDomain *domain)
{
	return domain ? domain->id : -1;
}

const char *
mono_domain_get_friendly_name (MonoDomain *domain)
{
	return domain ? atomic_load_explicit (&domain->friendly_name, memory_order_acquire) : NULL;
}

mono_bool
mono_domain_set (MonoDomain *domain, mono_bool force)
{
	return domain == &root;
}

void
mono_domain_foreach (MonoDomainFunc func, void *user_data)
{
	func (&root, user_data);
}

/* The one domain goes with the process. */
mono_bool
mono_domain_is_unloading (MonoDomain *domain)
{
	return 0;
}

/* --- contexts: as on Mono a thread that does no remoting is in the default context of its domain ------------------ */

struct _MonoAppContext {
	int32_t id, domain_id;
};

static MonoAppContext default_context;

MonoAppContext *
mono_context_get (void)
{
	return &default_context;
}

int32_t
mono_context_get_id (MonoAppContext *context)
{
	return context ? context->id : -1;
}

int32_t
mono_context_get_domain_id (MonoAppContext *context)
{
	return context ? context->domain_id : -1;
}

/* --- the runtime as a whole --------------------------------------------------------------------------------------- */

mono_bool
mono_runtime_is_shutting_down (void)
{
	return monocle__host_shutting_down ();
}

char *
mono_get_runtime_build_info (void)
{
	const monocle_host_ops *ops = monocle__host_ops ();
	const char *version = ops->runtime_version ? ops->runtime_version : ops->name;
	return strdup (version ? version : "unknown");
}

mono_bool
mono_jit_aot_compiling (void)
{
	return 0;
}

/* What Mono's configuration files call the kernels and processors that uname () names. */
static const struct {
	const char *here, *mono;
} kernels[] = { { "Linux", "linux" }, { "Darwin", "osx" }, { NULL, "unknown" } },
  processors[] = { { "x86_64", "x86-64" }, { "aarch64", "arm64" }, { "arm64", "arm64" }, { NULL, "unknown" } };

const char *
mono_config_get_os (void)
{
	struct utsname name;
	int i = 0;
	if (uname (&name) == 0)
		while (kernels[i].here && strcmp (kernels[i].here, name.sysname))
			i++;
	return kernels[i].mono;
}

const char *
mono_config_get_cpu (void)
{
	struct utsname name;
	int i = 0;
	if (uname (&name) == 0)
		while (processors[i].here && strcmp (processors[i].here, name.machine))
			i++;
	return processors[i].mono;
}

const char *
mono_config_get_wordsize (void)
{
	return sizeof (void *) == 8 ? "64" : "32";
}

void
mono_free (void *data)
{
	free (data);
}
