/* SPDX-License-Identifier: MIT */
/* bothways.c - has the entry points of Mono's old profiler API and of the new one. */
__attribute__ ((visibility ("default"))) void mono_profiler_startup (const char *desc);
__attribute__ ((visibility ("default"))) void mono_profiler_init_bothways (const char *desc);

void
mono_profiler_startup (const char *desc)
{
}

void
mono_profiler_init_bothways (const char *desc)
{
}
