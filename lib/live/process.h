/*
 * SPDX-License-Identifier: MIT
 *
 * process.h - a running .NET or Mono process, as /proc shows it.
 *
 * Nothing here speaks to a process or changes it. Processes end while they are looked at, belong to others, and live in
 * other namespaces: what cannot be seen is empty, and no answer is about two processes that had one number.
 */
#ifndef MONOCLE_LIVE_PROCESS_H
#define MONOCLE_LIVE_PROCESS_H

#include "process-elf.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

typedef enum {
	MONOCLE__LIVE_FOREIGN,     /* neither .NET nor Mono, or it cannot be seen */
	MONOCLE__LIVE_CORECLR,     /* libcoreclr.so */
	MONOCLE__LIVE_SINGLE_FILE, /* CoreCLR inside the program's own file */
	MONOCLE__LIVE_NATIVE_AOT,
	MONOCLE__LIVE_MONO,
} monocle__live_kind;

/* What standby.h found out. */
typedef enum {
	MONOCLE__LIVE_STANDBY_NOT,
	MONOCLE__LIVE_STANDBY_IDLE,   /* it takes modules */
	MONOCLE__LIVE_STANDBY_LOADED, /* it has some that it took */
} monocle__live_standby;

typedef struct {
	pid_t pid;       /* as this process counts */
	pid_t inner_pid; /* as it counts itself: in the innermost of its PID namespaces */
	uint64_t start;  /* clock ticks since boot */
	uid_t user;
	monocle__live_kind kind;
	monocle__live_system system;
	bool is_visible;   /* its maps and its environment could be read */
	bool is_stopped;   /* by a signal or a debugger: it answers nothing */
	bool has_adapter;  /* CoreCLR was told of us, and has us loaded */
	bool is_at_work;   /* it was started with us, or an attach is under way; else what an attach left is all */
	bool has_umbrella; /* Mono was told of us, and has us loaded */
	monocle__live_standby standby;
	char program[64];        /* app.dll, prog.exe, or the name of its file */
	char version[48];        /* of the runtime; "" when the path of its library does not say */
	char container[32];      /* "" where it has our PID namespace; else the container's number, or the namespace's */
	char modules[128];       /* profiler modules in it, between commas */
	bool is_told;            /* its environment tells its runtime to load us */
	char profiler[128];      /* the profiler of another maker that it was started with: its file, or its class */
	char profiler_class[48]; /* its class, as the variable has it */
	char diagnostics[64];    /* the setting that turns the runtime's diagnostics off, "NAME=VALUE" */
	char profiling[64];      /* the setting that turns profiling off, "NAME=VALUE" */
	char *run;               /* the folder of the run of ours that it belongs to; NULL: none */
	char *folder;            /* where it makes its socket, as its own root folder has it */
	char *command;           /* its words, blanks between them; fit to be printed */
} monocle__live_process;

/* Reads one process. 0, -ESRCH: there is none, or -ENOMEM. What the result holds is freed by _done (). */
int monocle__live_process_read (pid_t pid, monocle__live_process *ret_process);
void monocle__live_process_done (monocle__live_process *process);

/* Is it still that process, and not another one with its number? */
bool monocle__live_process_is_there (const monocle__live_process *process);

/* "CoreCLR", "NativeAOT", ... */
const char *monocle__live_process_kind_name (monocle__live_kind kind);

/* All that are .NET or Mono, by pid. NULL: out of memory. The caller frees with _free (). */
monocle__live_process *monocle__live_processes_new (size_t *ret_count);
void monocle__live_processes_free (monocle__live_process *processes, size_t count);

/*
 * The process that `word` means: a number, or the name of a program ("app", "app.dll") that one .NET or Mono process
 * has. 0, or -1 and one line.
 */
int monocle__live_processes_find (const char *word, monocle__live_process *ret_process, char *ret_error, size_t size);

#endif
