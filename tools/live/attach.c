/*
 * SPDX-License-Identifier: MIT
 *
 * attach.c - see attach.h.
 */
#include "attach.h"

#include "attach-block.h"
#include "attach-target.h"
#include "command/command.h"
#include "coreclr.h"
#include "file/left-over.h"
#include "ipc.h"
#include "module/module-file.h"
#include "run/environ.h"

#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

/* --- the block ---------------------------------------------------------------------------------------------------- */

/* Its size; 0 after one line. */
static size_t
write_block (const monocle__attach_plan *plan, const char *folder, void *bytes, size_t room)
{
	char *profiles = monocle__environ_profiles (plan->profiles->descs, plan->profiles->count);
	char *folders = monocle__module_file_folders (plan->layout);
	char *texts[] = {
		monocle__format ("MONOCLE_PROFILE=%s", profiles),
		monocle__format ("MONOCLE_MODULE_PATH=%s", folders),
		monocle__format ("MONOCLE_RUN_DIR=%s", folder),
		monocle__format ("MONOCLE_LOG=%s/" MONOCLE__ATTACH_BLOCK_LOG, folder),
	};
	enum { TEXTS = sizeof texts / sizeof *texts };
	monocle__attach_block block = { .milliseconds = plan->milliseconds, .count = TEXTS };
	for (size_t i = 0; i < TEXTS; i++)
		block.texts[i] = texts[i];
	size_t size = monocle__attach_block_write (&block, bytes, room);
	for (size_t i = 0; i < TEXTS; i++)
		free (texts[i]);
	free (folders);
	free (profiles);
	if (!size)
		monocle__say ("the arguments of the modules are too long to be handed over");
	return size;
}

/* --- after -------------------------------------------------------------------------------------------------------- */

/* What was said in there was not said on the program's own stderr. */
static void
say_messages (const char *folder)
{
	char *path = monocle__format ("%s/" MONOCLE__ATTACH_BLOCK_LOG, folder), *line = NULL;
	FILE *file = fopen (path, "re");
	size_t room = 0;
	while (file && getline (&line, &room, file) > 0)
		fputs (line, stderr);
	if (file)
		fclose (file);
	free (line);
	unlink (path);
	free (path);
}

static void
say_end (const monocle__live_process *process, monocle__attach_end end, const char *reason)
{
	int pid = (int) process->pid;
	if (end == MONOCLE__ATTACH_ASLEEP)
		monocle__say ("process %d runs on unprofiled, but its runtime keeps Monocle: %s", pid, reason);
	else if (end == MONOCLE__ATTACH_ENDED)
		monocle__say ("process %d has ended", pid);
	else if (end == MONOCLE__ATTACH_SILENT)
		monocle__say ("process %d was asked to stop profiling and does not answer; it will when it can", pid);
}

/* A process that ends closes its sockets a moment before it is gone. */
static bool
has_ended (const monocle__live_process *process)
{
	enum { PAUSE_NS = 5000000, LOOKS = 10 };
	for (int i = 0; i < LOOKS && monocle__live_process_is_there (process); i++)
		nanosleep (&(struct timespec) { 0, PAUSE_NS }, NULL);
	return !monocle__live_process_is_there (process);
}

/* --- the attach --------------------------------------------------------------------------------------------------- */

bool
monocle__attach_layout_find (monocle__layout *ret_layout)
{
	monocle__left_over_clean ();
	monocle__layout_find (ret_layout);
	if (!ret_layout->adapter)
		monocle__say ("libmonocle-clr.so is not where this program expects it; monocle doctor says more");
	return ret_layout->adapter != NULL;
}

bool
monocle__attach_folder_make (const monocle__live_process *process, const monocle__layout *layout,
                             monocle__run_folder *ret_folder)
{
	if (!monocle__attach_target_sees (process, layout->adapter, "the library") ||
	    monocle__run_folder_make (ret_folder) != 0)
		return false;
	if (monocle__attach_target_sees (process, ret_folder->path, "the folder") &&
	    monocle__attach_target_give (process, ret_folder->path))
		return true;
	monocle__run_folder_remove (ret_folder);
	monocle__run_folder_done (ret_folder);
	return false;
}

int
monocle__attach_run (const monocle__attach_plan *plan, const monocle__live_process *process, const char *folder)
{
	enum { COLLECTION_MS = 5000 };
	static uint8_t block[MONOCLE__ATTACH_BLOCK_MOST];
	char problem[512], reason[256];
	int32_t hresult;
	monocle__live_profiler profiler = { .clsid = MONOCLE__CLSID, .path = plan->layout->adapter, .data = block };
	profiler.gc_timeout = COLLECTION_MS;
	profiler.data_size = write_block (plan, folder, block, sizeof block);
	if (!profiler.data_size)
		return MONOCLE__EXIT_USAGE;
	if (monocle__live_ipc_attach_profiler (process, &profiler, COLLECTION_MS + MONOCLE__LIVE_IPC_LIMIT, &hresult,
	                                       problem, sizeof problem) != 0) {
		say_messages (folder);
		monocle__say ("process %d %s", (int) process->pid, has_ended (process) ? "has ended" : problem);
		return MONOCLE__EXIT_FAILED;
	}
	if (plan->started)
		plan->started (plan, process);
	monocle__attach_end end =
	    monocle__attach_wait (process, folder, plan->milliseconds, plan->look, plan->data, reason, sizeof reason);
	say_messages (folder);
	say_end (process, end, reason);
	return MONOCLE__EXIT_OK;
}
