/*
 * SPDX-License-Identifier: MIT
 *
 * attach.c - see attach.h.
 */
#include "attach.h"

#include "attach-block.h"
#include "attach-target.h"
#include "command/command.h"
#include "control-words.h"
#include "control.h"
#include "coreclr.h"
#include "file/left-over.h"
#include "file/messages.h"
#include "file/take-over.h"
#include "ipc.h"
#include "log-place.h"
#include "module/module-file.h"
#include "nanoseconds.h"
#include "run/environ.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

/* --- the settings ------------------------------------------------------------------------------------------------- */

enum { TEXTS = 5 };

/* Calls need probes in methods, and a runtime that was asked for those keeps us: only who names methods gets them. */
static bool
wants_calls (const monocle__desc_list *profiles)
{
	static const char calls[] = "calls";
	bool found = false;
	for (size_t i = 0; i < profiles->count && !found; i++) {
		const char *desc = profiles->descs[i];
		size_t name = strcspn (desc, ":");
		found = (name == sizeof calls - 1 && strncmp (desc, calls, name) == 0) || strstr (desc + name, "callspec=");
	}
	return found;
}

/* What stands for variables of Monocle; its texts are freed by free_settings (). */
static monocle__attach_block
make_settings (const monocle__attach_plan *plan, const char *folder, char *texts[TEXTS])
{
	char *profiles = monocle__environ_profiles (plan->profiles->descs, plan->profiles->count);
	char *folders = monocle__module_file_folders (plan->layout);
	monocle__attach_block block = { .milliseconds = plan->milliseconds, .count = TEXTS };
	texts[0] = monocle__format ("MONOCLE_PROFILE=%s", profiles);
	texts[1] = monocle__format ("MONOCLE_MODULE_PATH=%s", folders);
	texts[2] = monocle__format ("MONOCLE_RUN_DIR=%s", folder);
	texts[3] = monocle__format ("MONOCLE_LOG=%s/" MONOCLE__ATTACH_BLOCK_LOG, folder);
	texts[4] = monocle__format ("MONOCLE_ATTACH_CALLS=%d", wants_calls (plan->profiles));
	for (size_t i = 0; i < TEXTS; i++)
		block.texts[i] = texts[i];
	free (folders);
	free (profiles);
	return block;
}

static void
free_settings (char *texts[TEXTS])
{
	for (size_t i = 0; i < TEXTS; i++)
		free (texts[i]);
}

static int
refuse_length (void)
{
	monocle__say ("the arguments of the modules cannot be handed over: they are too long, or hold a line feed");
	return MONOCLE__EXIT_USAGE;
}

/* --- after -------------------------------------------------------------------------------------------------------- */

/* With the line that says that there are no more. */
enum { MESSAGES_MOST = MONOCLE__LOG_PLACE_MOST + 256 };

/* Up to `most` bytes; errors end it, too. */
static size_t
read_most (int fd, char *bytes, size_t most)
{
	size_t size = 0;
	ssize_t got = 1;
	while (size < most && got > 0) {
		got = read (fd, bytes + size, most - size);
		if (got < 0 && errno == EINTR)
			got = 1;
		else if (got > 0)
			size += (size_t) got;
	}
	return size;
}

/*
 * What was said in there was not said on the program's own stderr. The program may have written to the file, too, or
 * have put another one in its place, and its user may have exchanged the folder that is called so.
 */
static void
say_messages (const monocle__live_process *process, const monocle__run_folder *folder)
{
	int fd = monocle__take_over_open (folder->fd, MONOCLE__ATTACH_BLOCK_LOG, process->user);
	char *text = fd >= 0 ? malloc (MESSAGES_MOST + 1) : NULL;
	size_t size = text ? read_most (fd, text, MESSAGES_MOST + 1) : 0;
	if (text)
		monocle__messages_say (process->pid, text, size < MESSAGES_MOST ? size : MESSAGES_MOST);
	if (size > MESSAGES_MOST)
		monocle__say ("process %d has said more than a megabyte: the rest is left out", (int) process->pid);
	monocle__messages_say_lost (folder->fd, process->user);
	free (text);
	if (fd >= 0)
		close (fd);
	unlinkat (folder->fd, MONOCLE__ATTACH_BLOCK_LOG, 0);
}

static void
say_end (const monocle__live_process *process, monocle__attach_outcome end, const char *reason)
{
	int pid = (int) process->pid;
	if (end == MONOCLE__ATTACH_STANDING_BY && process->standby == MONOCLE__LIVE_STANDBY_NOT)
		monocle__say ("process %d runs on unprofiled; Monocle stays in it, idle, until the next attach", pid);
	else if (end == MONOCLE__ATTACH_ASLEEP)
		monocle__say ("process %d runs on unprofiled, but its runtime keeps Monocle: %s", pid, reason);
	else if (end == MONOCLE__ATTACH_ENDED)
		monocle__say ("process %d has ended", pid);
	else if (end == MONOCLE__ATTACH_DIED)
		monocle__say ("process %d was killed, or died", pid);
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
monocle__attach_folder_make (const monocle__live_process *process, monocle__run_folder *ret_folder)
{
	if (!monocle__attach_target_make_folder (process, ret_folder))
		return false;
	ret_folder->user = process->user;
	if (monocle__attach_target_give (process, ret_folder))
		return true;
	monocle__run_folder_remove (ret_folder);
	monocle__run_folder_done (ret_folder);
	return false;
}

/*
 * For how long a refusal may be none. Another profiler may be on its way out: of an attach that nobody waits for any
 * more. A runtime that begins answers on its socket before it can take one.
 */
static uint64_t
patience_with (int32_t hresult)
{
	enum { NOT_YET_AVAILABLE = 0x8013135b, RUNTIME_UNINITIALIZED = 0x80131371 };
	enum { PROFILER_DETACHING = 0x80131367, PROFILER_ALREADY_ACTIVE = 0x8013136a };
	const uint64_t start_ns = UINT64_C (5000000000);
	switch ((uint32_t) hresult) {
	case NOT_YET_AVAILABLE:
	case RUNTIME_UNINITIALIZED: return start_ns;
	case PROFILER_DETACHING:
	case PROFILER_ALREADY_ACTIVE: return MONOCLE__ATTACH_TARGET_PATIENCE_NS;
	default: return 0;
	}
}

static int
say_refused (const monocle__live_process *process, const monocle__run_folder *folder, const char *problem)
{
	say_messages (process, folder);
	monocle__say ("process %d %s", (int) process->pid, has_ended (process) ? "has ended" : problem);
	return MONOCLE__EXIT_FAILED;
}

/* CoreCLR: the runtime loads the adapter. The exit code. */
static int
load_adapter (const monocle__attach_plan *plan, const monocle__live_process *process, const monocle__run_folder *folder,
              const monocle__attach_block *settings)
{
	enum { COLLECTION_MS = 5000, LOOK_NS = 20000000 };
	static uint8_t block[MONOCLE__ATTACH_BLOCK_MOST];
	char problem[512];
	int32_t hresult;
	monocle__live_profiler profiler = { .clsid = MONOCLE__CLSID, .path = plan->layout->adapter, .data = block };
	profiler.gc_timeout = COLLECTION_MS;
	profiler.data_size = monocle__attach_block_write (settings, block, sizeof block);
	if (!profiler.data_size)
		return refuse_length ();
	uint64_t start = monocle__nanoseconds (CLOCK_MONOTONIC);
	while (monocle__live_ipc_attach_profiler (process, &profiler, COLLECTION_MS + MONOCLE__LIVE_IPC_LIMIT, &hresult,
	                                          problem, sizeof problem) != 0) {
		if (monocle__nanoseconds (CLOCK_MONOTONIC) - start >= patience_with (hresult))
			return say_refused (process, folder, problem);
		nanosleep (&(struct timespec) { 0, LOOK_NS }, NULL);
	}
	return MONOCLE__EXIT_OK;
}

static void
skip_line (void *data, const char *text)
{
}

/* 0, or -1 and the reason. */
static int
ask_once (const monocle__live_process *process, const char *words, char ret_reason[MONOCLE__LIVE_CONTROL_REASON])
{
	enum { PATIENCE = 60 }; /* seconds */
	bool is_absent;
	int fd = monocle__live_control_connect (process->pid, &is_absent, ret_reason);
	int result = fd < 0 ? -1 : monocle__live_control_ask (fd, words, PATIENCE, skip_line, NULL, ret_reason);
	if (fd >= 0)
		close (fd);
	return result;
}

/*
 * A process that stands by loads the modules itself. Another attach may have come first since it was looked at: that is
 * waited for as where the runtime says so. The exit code.
 */
static int
ask_standby (const monocle__live_process *process, const monocle__run_folder *folder,
             const monocle__attach_block *settings)
{
	enum { LOOK_NS = 20000000 };
	static const char busy[] = MONOCLE__CONTROL_BUSY;
	static char words[MONOCLE__CONTROL_LINE];
	char reason[MONOCLE__LIVE_CONTROL_REASON];
	if (!monocle__control_words_load (settings, words, sizeof words - sizeof "monocle 2 "))
		return refuse_length ();
	uint64_t end = monocle__nanoseconds (CLOCK_MONOTONIC) + MONOCLE__ATTACH_TARGET_PATIENCE_NS;
	int result = ask_once (process, words, reason);
	while (result != 0 && strstr (reason, busy) && monocle__nanoseconds (CLOCK_MONOTONIC) < end) {
		nanosleep (&(struct timespec) { 0, LOOK_NS }, NULL);
		result = ask_once (process, words, reason);
	}
	if (result == 0)
		return MONOCLE__EXIT_OK;
	say_messages (process, folder);
	if (has_ended (process))
		monocle__say ("process %d has ended", (int) process->pid);
	else
		monocle__say ("process %d: %s", (int) process->pid, reason);
	return MONOCLE__EXIT_FAILED;
}

int
monocle__attach_begin (const monocle__attach_plan *plan, const monocle__live_process *process,
                       const monocle__run_folder *folder)
{
	char *texts[TEXTS];
	monocle__attach_block settings = make_settings (plan, folder->seen_path, texts);
	int code = process->standby == MONOCLE__LIVE_STANDBY_IDLE ? ask_standby (process, folder, &settings)
	                                                          : load_adapter (plan, process, folder, &settings);
	free_settings (texts);
	return code;
}

/*
 * What the process left is the caller's from now on, unless it has something to say there yet. False: it could not be
 * had, which was said.
 */
static bool
take_back (const monocle__live_process *process, const monocle__run_folder *folder, monocle__attach_outcome end)
{
	bool is_at_work = end == MONOCLE__ATTACH_SILENT || end == MONOCLE__ATTACH_FOUND;
	bool is_ours = is_at_work || monocle__take_over (folder->fd, folder->path, process->user);
	if (is_ours)
		say_messages (process, folder);
	return is_ours;
}

void
monocle__attach_end (const monocle__live_process *process, const monocle__run_folder *folder)
{
	char reason[256];
	monocle__attach_wait_ask (folder->fd);
	monocle__attach_outcome end = monocle__attach_wait (process, folder->fd, 0, NULL, NULL, reason, sizeof reason);
	take_back (process, folder, end);
	if (end != MONOCLE__ATTACH_ENDED && end != MONOCLE__ATTACH_DIED)
		say_end (process, end, reason);
}

int
monocle__attach_run (const monocle__attach_plan *plan, const monocle__live_process *process,
                     monocle__run_folder *folder, bool *ret_died)
{
	char reason[256];
	*ret_died = false;
	monocle__attach_wait_begin (folder->fd);
	int code = monocle__attach_begin (plan, process, folder);
	monocle__attach_wait_begun (code == MONOCLE__EXIT_OK);
	if (code != MONOCLE__EXIT_OK)
		return code;
	if (plan->started)
		plan->started (plan, process);
	monocle__attach_outcome end =
	    monocle__attach_wait (process, folder->fd, plan->milliseconds, plan->look, plan->data, reason, sizeof reason);
	bool is_ours = take_back (process, folder, end);
	say_end (process, end, reason);
	*ret_died = end == MONOCLE__ATTACH_DIED;
	if (is_ours && end == MONOCLE__ATTACH_SILENT && process->user != geteuid ()) {
		monocle__say ("what it still writes stays in %s, which is its user's", folder->path);
		folder->unfinished++;
		is_ours = false;
	}
	return is_ours ? MONOCLE__EXIT_OK : MONOCLE__EXIT_FAILED;
}
