/*
 * SPDX-License-Identifier: MIT
 *
 * quiet_handlers.c - preloaded: says on stderr, once, that something was allocated or freed in the handler of a real-
 * time signal. Mono's sampler uses one. With ALLOCATE_IN_HANDLERS in the environment it asks for memory there itself,
 * which shows that it sees the handlers. Nobody is given any then: the thread may have been hit inside malloc ().
 */
#include <malloc.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdlib.h>
#include <unistd.h>

extern void *__libc_malloc (size_t size);
extern void *__libc_calloc (size_t count, size_t size);
extern void *__libc_realloc (void *old, size_t size);
extern void *__libc_memalign (size_t alignment, size_t size);
extern void __libc_free (void *block);
extern int __sigaction (int number, const struct sigaction *action, struct sigaction *before);

enum { HANDLERS = 65 };

typedef void (*signal_handler) (int number, siginfo_t *info, void *context);

static signal_handler _Atomic handlers[HANDLERS];
static __thread int depth __attribute__ ((tls_model ("initial-exec")));

static bool allocates;

static __attribute__ ((constructor)) void
read_environment (void)
{
	allocates = getenv ("ALLOCATE_IN_HANDLERS");
}

static void
note (void)
{
	static const char text[] = "allocated in a signal handler\n";
	static atomic_bool is_said;
	if (depth && !atomic_exchange (&is_said, true))
		(void) !write (2, text, sizeof text - 1);
}

static void
on_signal (int number, siginfo_t *info, void *context)
{
	depth++;
	if (allocates)
		free (malloc (1));
	handlers[number](number, info, context);
	depth--;
}

#pragma GCC visibility push(default)

int
sigaction (int number, const struct sigaction *action, struct sigaction *before)
{
	struct sigaction ours;
	signal_handler was = number > 0 && number < HANDLERS ? handlers[number] : NULL;
	if (action && number >= SIGRTMIN && number < HANDLERS && action->sa_flags & SA_SIGINFO) {
		handlers[number] = action->sa_sigaction;
		ours = *action;
		ours.sa_sigaction = on_signal;
		action = &ours;
	}
	int result = __sigaction (number, action, before);
	if (!result && before && before->sa_flags & SA_SIGINFO && before->sa_sigaction == on_signal)
		before->sa_sigaction = was;
	return result;
}

void *
malloc (size_t size)
{
	note ();
	return depth && allocates ? NULL : __libc_malloc (size);
}

void *
calloc (size_t count, size_t size)
{
	note ();
	return __libc_calloc (count, size);
}

void *
realloc (void *old, size_t size)
{
	note ();
	return __libc_realloc (old, size);
}

void *
memalign (size_t alignment, size_t size)
{
	note ();
	return __libc_memalign (alignment, size);
}

void
free (void *block)
{
	note ();
	__libc_free (block);
}

#pragma GCC visibility pop
