/* SPDX-License-Identifier: MIT */
/* dlsymonly.c - finds every Mono function by dlsym () in the global scope, as agents injected into games do. */
#include <dlfcn.h>
#define CALL(function) ((__typeof__ (&function)) dlsym (RTLD_DEFAULT, #function))
#include "guest.h"

MONO_API void mono_profiler_init_dlsymonly (const char *desc);

MONO_API void
mono_profiler_init_dlsymonly (const char *desc)
{
	guest_start (desc);
}
