/*
 * SPDX-License-Identifier: MIT
 *
 * run-folder.h - the folder through which the profiled processes of one `monocle run` tell what became of them.
 *
 *   PID.loaded           a runtime loaded us: its name and version
 *   PID.declined         we were loaded and declined: why
 *   PID.told             something went wrong in there, and it was said
 *   PID.messages         what was said in there: lines for the command to say, since the process's stderr is its own
 *   PID.said             the same, of which the command has said all
 *   PID.WORD.lost        as many lines as the file has bytes found no room there
 *   PID.starting.NAME    the module NAME is starting; what is left over after a death names who was at it
 *   MODULE.PID.N.spool   raw data of a process that runs, or died without a clean end
 *   here                 a link to the folder in which the command was typed: default names are for files there
 *   parent               a link to "PID:START", the process that made the folder and when it was started
 *   PID.N.done           a profile was written: its absolute path
 *   output.PID.N.EXT     a profile that the parent shall put where -o says
 *   output.PID.N.mcov    coverage, which becomes one file for all processes
 *   any other name       a profile that could not be written where it was to go
 */
#ifndef MONOCLE_TOOLS_RUN_FOLDER_H
#define MONOCLE_TOOLS_RUN_FOLDER_H

#include "profile.h"

#include <stdbool.h>
#include <stddef.h>
#include <sys/types.h>
#include <time.h>

typedef struct {
	pid_t pid;
	char *runtime;          /* NULL: not loaded */
	char *declined;         /* the reason; NULL: not declined */
	char *starting;         /* the module whose start never ended; NULL: none */
	bool told;              /* said what went wrong */
	struct timespec loaded; /* when */
	bool early;             /* it was gone before it had begun to count */
} monocle__run_process;

typedef struct {
	pid_t pid;    /* 0: unknown */
	char *path;   /* absolute */
	bool is_held; /* it lies where another user may exchange it: it is read through `fd` */
	int fd;
	bool collected; /* lies in the folder and must be moved */
	bool rescued;   /* lies in the folder, because it could not be written where it was to go */
	bool is_coverage;
	bool is_named_by_id;       /* it was placed under a name with the process's id */
	monocle__profile *content; /* what a picture was made of; NULL: the file is the profile */
} monocle__run_profile;

typedef struct {
	char *path;
	char *seen_path; /* how its processes call it, where their files are others; else the same */
	int fd;          /* the folder itself, held from its making on: another user may exchange what its path names */
	uid_t user;      /* whose processes write into it: the caller, or the user of the one that is attached to */
	monocle__run_process *processes; /* in the order in which they loaded */
	size_t process_count;
	monocle__run_profile *profiles; /* in the order of their processes */
	size_t profile_count;
	size_t unfinished; /* spools that stay: their process still runs, or they are damaged */
	pid_t *left;       /* processes that outlive the command and may write here; those that declined are none */
	size_t left_count;
} monocle__run_folder;

/* The folders in one of which it is made: TMPDIR, /tmp and others. How many. */
enum { MONOCLE__RUN_FOLDER_PLACES = 4 };
size_t monocle__run_folder_places (const char *ret_places[MONOCLE__RUN_FOLDER_PLACES]);
/* Makes the folder in one of them, and opens it. 0, or -1 after one line on stderr. */
int monocle__run_folder_make (monocle__run_folder *ret_folder);
/*
 * Makes it in `place`, for a process that calls it `seen_place`; where that process does not see the folder in which
 * the command was typed, profiles without a name stay in it. 0 or an errno.
 */
int monocle__run_folder_make_in (const char *place, const char *seen_place, bool sees_here,
                                 monocle__run_folder *ret_folder);
/* Have its processes other files than the caller? */
bool monocle__run_folder_is_elsewhere (const monocle__run_folder *folder);
/*
 * The command has ended: finds the processes that it leaves behind, and waits for those that have just begun until they
 * have told something, or are old enough to have done so.
 */
void monocle__run_folder_await (monocle__run_folder *folder);
/* Does it live, and is one of those? */
bool monocle__run_folder_has_left (const monocle__run_folder *folder, pid_t pid);
/* Reads what is there; completes the spools of dead processes, says which could not be. */
void monocle__run_folder_read (monocle__run_folder *folder);
/* NULL: nothing is known of the process. */
const monocle__run_process *monocle__run_folder_process (const monocle__run_folder *folder, pid_t pid);
/*
 * Reads a profile back. What another user's process has written is not read when it is larger than any. 0, or -1 and
 * what is wrong, as monocle__profile_read () has it.
 */
int monocle__run_folder_read_back (const monocle__run_folder *folder, const monocle__run_profile *file,
                                   monocle__profile **ret_profile, char *error, size_t error_size);
/* Removes the folder unless something in it is still needed. What was read of it stays. */
void monocle__run_folder_remove (const monocle__run_folder *folder);
/* Removes the files of such a folder, which is open as `fd`, and then what `path` names, if that is an empty folder. */
void monocle__run_folder_delete (int fd, const char *path);
/* Closes the folder, and frees what was read. */
void monocle__run_folder_done (monocle__run_folder *folder);

#endif
