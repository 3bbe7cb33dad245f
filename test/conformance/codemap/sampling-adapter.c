/*
 * SPDX-License-Identifier: MIT
 *
 * sampling-adapter.c - the adapter, and a thread that stops the runtime again and again to look at all stacks: is every
 * address found in the map of code, and is its method the one that the runtime names?
 *
 * Written to MONOCLE_TEST_CODEMAP, over and over, since a process may end at any time (empty: the map is kept, and
 * nobody looks): one line per kind of code, "KIND<tab>HITS<tab>ADDRESSES", how many hits were unnamed at first sight,
 * lines about what is wrong, and how long a look-up takes.
 */
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>
#include <mono/metadata/debug-helpers.h>
#include "code/codemap.h"
#include "images/resolve.h"
#include "service.h"
#include "state.h"

enum { FRAMES = 1 << 16, SEEN = 1 << 20, WRONG = 64 };

/* What an address turned out to be. */
enum { JIT, R2R, INSTANCE, STUB, UNNAMED, NAMELESS, KINDS };
static const char *const kind_names[KINDS] = { "jit", "r2r", "r2r-instance", "stub", "unnamed", "nameless" };

static struct {
	uintptr_t ip;
	FunctionID function;
} frames[FRAMES];
static unsigned frame_count;
static struct {
	uintptr_t ip;
	uint8_t kind;
} seen[SEEN];
static unsigned seen_count, hits[KINDS], addresses[KINDS], learnt, rounds, lost, vaguer;
static bool reuses;
static char wrong[WRONG][1024];
static unsigned wrong_count;

static void
complain (uintptr_t ip, const char *what, MonoMethod *map, MonoMethod *runtime)
{
	char *a = map ? mono_method_full_name (map, 1) : NULL, *b = runtime ? mono_method_full_name (runtime, 1) : NULL;
	if (wrong_count < WRONG)
		snprintf (wrong[wrong_count], sizeof *wrong, "wrong\t%#zx\t%s\t%s\t%s\n", (size_t) ip, what, a ? a : "-",
		          b ? b : "-");
	wrong_count++;
	free (a);
	free (b);
}

/*
 * Of an id without a frame the runtime does not tell the class when its code is shared: then all its arguments are
 * taken for references, where precompiled code knows which are not.
 */
static bool
is_vaguer (MonoMethod *runtime, MonoMethod *map)
{
	return monocle_method_definition (runtime) == monocle_method_definition (map) &&
	       strstr (mono_class_get_name (mono_method_get_class (map)), "`") && ++vaguer;
}

/* The runtime names what is asked first; only then may our own ways be used again. */
static int
classify (uintptr_t ip, FunctionID function)
{
	monocle__code code;
	bool found = monocle__codemap_find (ip, &code);
	MonoMethod *expected = monocle__resolve_method (function);
	if (!found || !code.method)
		monocle__codemap_learn (ip);
	if (!expected)
		return NAMELESS;
	if (found && code.kind == MONOCLE__CODE_STUB)
		return STUB;
	if (!found || !code.method) {
		complain (ip, found ? "unnamed" : "unknown", NULL, expected);
		return UNNAMED;
	}
	if (code.method != expected && !is_vaguer (expected, code.method))
		complain (ip, "another method", code.method, expected);
	if (ip - code.start >= code.size)
		complain (ip, "outside its piece", code.method, expected);
	if (mono_jit_info_get_method (mono_jit_info_table_find (NULL, (void *) ip)) != code.method)
		complain (ip, "another jit info", code.method, expected);
	return code.kind == MONOCLE__CODE_JIT ? JIT : code.kind == MONOCLE__CODE_R2R ? R2R : INSTANCE;
}

/* Where code is used again an address is looked at each time. */
static void
check (uintptr_t ip, FunctionID function)
{
	uint32_t i = (uint32_t) (ip * 0x9e3779b97f4a7c15u >> 44);
	while (seen[i].ip && seen[i].ip != ip)
		i = (i + 1) % SEEN;
	bool is_first = !seen[i].ip;
	if (is_first && seen_count++ > SEEN / 2) {
		lost++;
		return;
	}
	if (is_first || reuses)
		seen[i].kind = (uint8_t) classify (ip, function);
	seen[i].ip = ip;
	addresses[seen[i].kind] += is_first;
	monocle__code code;
	if (seen[i].kind != UNNAMED || is_first || !monocle__codemap_find (ip, &code) || !code.method)
		hits[seen[i].kind]++;
	else
		learnt++;
}

static HRESULT
frame_seen (FunctionID function, UINT_PTR ip, COR_PRF_FRAME_INFO frame, ULONG32 size, BYTE *context, void *data)
{
	if (!function || frame_count == FRAMES)
		return S_OK;
	frames[frame_count].ip = ip;
	frames[frame_count++].function = function;
	return S_OK;
}

/* What runs now is not freed before the runtime runs on. */
static void
look (ICorProfilerInfo15 *info)
{
	ICorProfilerThreadEnum *threads = NULL;
	ThreadID thread;
	ULONG fetched = 0;
	frame_count = 0;
	if (info->vtbl->SuspendRuntime (info) < 0)
		return;
	if (info->vtbl->EnumThreads (info, &threads) >= 0) {
		while (threads->vtbl->Next (threads, 1, &thread, &fetched) == S_OK && fetched)
			info->vtbl->DoStackSnapshot (info, thread, (void *) frame_seen, 0, NULL, NULL, 0);
		threads->vtbl->Release (threads);
	}
	for (unsigned i = 0; i < frame_count; i++)
		check (frames[i].ip, frames[i].function);
	info->vtbl->ResumeRuntime (info);
}

/* Nanoseconds of one look-up: the addresses of the last stacks, a few times. */
static double
lookup_time (void)
{
	struct timespec begin, end;
	monocle__code code;
	unsigned found = 0;
	clock_gettime (CLOCK_THREAD_CPUTIME_ID, &begin);
	for (int pass = 0; pass < 16; pass++)
		for (unsigned i = 0; i < frame_count; i++)
			found += monocle__codemap_find (frames[i].ip, &code);
	clock_gettime (CLOCK_THREAD_CPUTIME_ID, &end);
	double all = (double) (end.tv_sec - begin.tv_sec) * 1e9 + (double) (end.tv_nsec - begin.tv_nsec);
	return found ? all / found : 0;
}

static void
report (const char *path)
{
	static char text[WRONG * 1024 + 4096];
	monocle__codemap_counts counts;
	int length = 0, file;
	monocle__codemap_count (&counts);
	for (int i = 0; i < KINDS; i++)
		length += sprintf (text + length, "%s\t%u\t%u\n", kind_names[i], hits[i], addresses[i]);
	length += sprintf (text + length, "learnt\t%u\nrounds\t%u\nlost\t%u\nvaguer\t%u\nwrongs\t%u\nlookup\t%.1f\n",
	                   learnt, rounds, lost, vaguer, wrong_count, lookup_time ());
	length += sprintf (text + length, "asked\t%llu\nnamed\t%llu\nrefused\t%llu\ntables\t%llu\n",
	                   (unsigned long long) counts.asked, (unsigned long long) counts.named,
	                   (unsigned long long) counts.refused, (unsigned long long) counts.bytes);
	for (unsigned i = 0; i < wrong_count && i < WRONG; i++)
		length += sprintf (text + length, "%s", wrong[i]);
	if ((file = open (path, O_WRONLY | O_CREAT | O_CLOEXEC, 0644)) < 0)
		return;
	if (pwrite (file, text, (size_t) length, 0) == length && ftruncate (file, length))
		perror (path);
	close (file);
}

static void *
run (void *path)
{
	while (!atomic_load (&monocle__clr_state.initialized))
		usleep (200);
	ICorProfilerInfo15 *info = monocle__clr_state.info;
	DWORD low = 0, high = 0;
	if (info->vtbl->GetEventMask2 (info, &low, &high) >= 0)
		info->vtbl->SetEventMask2 (info, low | COR_PRF_ENABLE_STACK_SNAPSHOT, high);
	while (!monocle__service_is_over ()) {
		look (info);
		if (rounds++ % 8 == 0)
			report (path);
		usleep (1000);
	}
	report (path);
	return NULL;
}

static __attribute__ ((constructor)) void
begin (void)
{
	sigset_t all, before;
	pthread_t thread;
	char *path = getenv ("MONOCLE_TEST_CODEMAP");
	if (!path)
		return;
	reuses = getenv ("MONOCLE_TEST_CODEMAP_REUSES") != NULL;
	monocle__codemap_begin ();
	if (!*path)
		return;
	sigfillset (&all);
	pthread_sigmask (SIG_SETMASK, &all, &before);
	if (pthread_create (&thread, NULL, run, path) == 0)
		pthread_detach (thread);
	pthread_sigmask (SIG_SETMASK, &before, NULL);
}
