/*
 * SPDX-License-Identifier: MIT
 *
 * environ.h - the environment that makes a runtime load us, for the command and everything it starts.
 */
#ifndef MONOCLE_TOOLS_ENVIRON_H
#define MONOCLE_TOOLS_ENVIRON_H

#include "module/layout.h"

#include <stdbool.h>
#include <stddef.h>

/* Which programs that embed Mono are reached: Mono 6.8 reads no variable in them. */
typedef enum {
	MONOCLE__EMBEDDED_NONE,
	MONOCLE__EMBEDDED_LINKED, /* those that are linked with Mono's library: by LD_PRELOAD */
	MONOCLE__EMBEDDED_ANY,    /* those that open it themselves, too: by LD_AUDIT */
} monocle__embedded;

typedef struct {
	const monocle__layout *layout;
	char *const *profiles; /* each NAME[:ARGS], for every runtime */
	size_t profile_count;
	const char *run_folder; /* NULL: nobody collects at the end */
	const char *process;    /* --process, or NULL */
	size_t delay, duration; /* of modules, milliseconds; 0: none */
	bool is_stopped;        /* modules wait for monocle ctl */
	bool all;
	monocle__embedded embedded;
} monocle__environ_wishes;

/* What the environment has already that decides whether CoreCLR will load us. */
typedef struct {
	char *foreign;        /* "NAME=VALUE" of another profiler, NULL: none. The finder's to free */
	bool is_joined;       /* we can be a notification profiler beside it */
	const char *disabled; /* the variable that switches profiling off, or NULL */
} monocle__environ_state;

/*
 * What the command needs, as its file tells: LINKED or NONE. Both variables change what every process in the run loads,
 * so neither is set without a need.
 */
monocle__embedded monocle__environ_embedded (const char *command);
/*
 * Why `wanted` cannot be had, as the rest of a sentence; NULL: it can, or nothing is wanted. What cannot be had is not
 * set.
 */
const char *monocle__environ_embedded_trouble (const monocle__layout *layout, monocle__embedded wanted);
/* Says that on stderr, if there is anything to say. */
void monocle__environ_say_embedded (monocle__embedded wanted, const monocle__layout *layout);

/*
 * Looks at the environment as it is; call before monocle__environ_set (). The adapter is the layout's, NULL when it was
 * not found.
 */
void monocle__environ_look (const char *adapter, monocle__environ_state *ret_state);
/* Says on stderr what a person must know of it. */
void monocle__environ_say (const monocle__environ_state *state, const monocle__layout *layout);
/*
 * Changes this process's environment. Where a foreign profiler is in it that stays the main one, and the adapter goes
 * to the end of the list of notification profilers, if a list can hold its path.
 */
void monocle__environ_set (const monocle__environ_wishes *wishes, const monocle__environ_state *state);
/* What MONOCLE_PROFILE is for these modules. The caller frees. */
char *monocle__environ_profiles (char *const *descs, size_t count);
/* What MONOCLE_MODULE_PATH is for a process that is told otherwise: the caller's folders first. The caller frees. */
char *monocle__environ_module_path (const monocle__layout *layout);

#endif
