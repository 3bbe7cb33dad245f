/*
 * SPDX-License-Identifier: MIT
 *
 * diagnose.c - looks at the program file, the environment and what the processes left, and names the likeliest reason.
 *
 * Runtimes are silent when a profiler does not load, so this is where a person learns why. Each reason is a row: a test
 * and a sentence; the first that holds is said. What is not known is not claimed.
 */
#include "diagnose.h"

#include "command.h"
#include "path.h"

#include <elf.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

/* The program file, mapped. */
typedef struct {
	char path[PATH_MAX];
	const unsigned char *bytes;
	size_t size;
	mode_t mode;
	const Elf64_Ehdr *elf; /* NULL: not a 64-bit ELF file of this byte order */
} program_file;

typedef struct {
	char *const *argv;
	int exit_code;
	bool signalled;
	const monocle__run_folder *folder;
	const monocle__environ_state *state;
	const monocle__layout *layout;
	program_file file;
} facts;

/* --- the program file --------------------------------------------------------------------------------------------- */

/* Finds it as execvp () does. */
static bool
resolve (const char *name, char *ret_path)
{
	const char *path = getenv ("PATH");
	char candidate[PATH_MAX];
	if (strchr (name, '/'))
		return realpath (name, ret_path) != NULL;
	for (path = path ? path : "/bin:/usr/bin"; *path; path += *path == ':') {
		size_t length = strcspn (path, ":");
		snprintf (candidate, sizeof candidate, "%.*s/%s", (int) length, length ? path : ".", name);
		if (access (candidate, X_OK) == 0 && realpath (candidate, ret_path))
			return true;
		path += length;
	}
	return false;
}

static void
file_open (program_file *file, const char *name)
{
	struct stat status;
	void *bytes;
	int fd;
	*file = (program_file) { 0 };
	if (!resolve (name, file->path) || (fd = open (file->path, O_RDONLY | O_CLOEXEC)) < 0)
		return;
	if (fstat (fd, &status) == 0 && S_ISREG (status.st_mode) && status.st_size > 0) {
		file->mode = status.st_mode;
		bytes = mmap (NULL, (size_t) status.st_size, PROT_READ, MAP_PRIVATE, fd, 0);
		if (bytes != MAP_FAILED) {
			file->bytes = bytes;
			file->size = (size_t) status.st_size;
		}
	}
	close (fd);
	if (file->size >= sizeof (Elf64_Ehdr) && memcmp (file->bytes, ELFMAG, SELFMAG) == 0 &&
	    file->bytes[EI_CLASS] == ELFCLASS64 && file->bytes[EI_DATA] == ELFDATA2LSB)
		file->elf = (const Elf64_Ehdr *) (const void *) file->bytes;
}

static void
file_close (program_file *file)
{
	if (file->bytes)
		munmap ((void *) (uintptr_t) file->bytes, file->size);
}

static bool
file_contains (const program_file *file, const char *text)
{
	return file->bytes && memmem (file->bytes, file->size, text, strlen (text)) != NULL;
}

static bool
is_elf (const program_file *file)
{
	return file->size >= SELFMAG && memcmp (file->bytes, ELFMAG, SELFMAG) == 0;
}

/* A table of `count` rows inside the file, or NULL. */
static const void *
file_table (const program_file *file, uint64_t offset, uint64_t count, uint64_t row)
{
	return offset < file->size && count * row <= file->size - offset && offset % 8 == 0 ? file->bytes + offset : NULL;
}

static bool
has_interpreter (const program_file *file)
{
	const Elf64_Phdr *headers = file_table (file, file->elf->e_phoff, file->elf->e_phnum, sizeof *headers);
	for (size_t i = 0; headers && i < file->elf->e_phnum; i++) {
		if (headers[i].p_type == PT_INTERP)
			return true;
	}
	return false;
}

/* --- the reasons -------------------------------------------------------------------------------------------------- */

static bool
is_another_cpu (const facts *f)
{
#if defined(__x86_64__)
	const unsigned machine = EM_X86_64;
#elif defined(__aarch64__)
	const unsigned machine = EM_AARCH64;
#else
	const unsigned machine = EM_NONE;
#endif
	return is_elf (&f->file) && (!f->file.elf || f->file.elf->e_machine != machine);
}

static bool
is_privileged (const facts *f)
{
	return (f->file.mode & (S_ISUID | S_ISGID)) != 0;
}

static bool
is_native_aot (const facts *f)
{
	return f->file.elf && (file_contains (&f->file, "__managedcode") || file_contains (&f->file, "RhpReversePInvoke"));
}

static bool
is_static (const facts *f)
{
	return f->file.elf && f->file.elf->e_type != ET_DYN && !has_interpreter (&f->file);
}

static bool
is_mono (const facts *f)
{
	return strncmp (monocle__path_base_name (f->file.path), "mono", 4) == 0;
}

/* `dotnet`, or a program with the host that every .NET program starts with. */
static bool
is_dotnet (const facts *f)
{
	return strcmp (monocle__path_base_name (f->file.path), "dotnet") == 0 ||
	       (f->file.elf && file_contains (&f->file, "hostfxr"));
}

static bool
is_mono_without_umbrella (const facts *f)
{
	return is_mono (f) && !f->layout->umbrella;
}

static bool
is_dotnet_without_adapter (const facts *f)
{
	return is_dotnet (f) && !f->layout->adapter;
}

static bool
is_dotnet_disabled (const facts *f)
{
	return is_dotnet (f) && f->state->disabled;
}

static bool
is_dotnet_foreign (const facts *f)
{
	return is_dotnet (f) && f->state->foreign && !f->state->is_joined;
}

static bool
file_mentions (const char *path, const char *text)
{
	char buffer[65536];
	FILE *stream = fopen (path, "re");
	size_t length = stream ? fread (buffer, 1, sizeof buffer, stream) : 0;
	if (stream)
		fclose (stream);
	return memmem (buffer, length, text, strlen (text)) != NULL;
}

/* APP.runtimeconfig.json beside the assembly (or the host of the same name) may switch profilers off. */
static bool
is_disabled_by_config (const facts *f)
{
	for (size_t i = 0; f->argv[i] && i < 8 && is_dotnet (f); i++) {
		const char *dot = strrchr (monocle__path_base_name (f->argv[i]), '.');
		bool is_assembly = dot && (strcmp (dot, ".dll") == 0 || strcmp (dot, ".exe") == 0);
		int length = (int) (is_assembly ? (size_t) (dot - f->argv[i]) : strlen (f->argv[i]));
		char *config = monocle__format ("%.*s.runtimeconfig.json", length, f->argv[i]);
		bool disabled = file_mentions (config, "EnableDiagnostics");
		free (config);
		if (disabled)
			return true;
	}
	return false;
}

static bool
is_killed (const facts *f)
{
	return f->signalled && (is_dotnet (f) || is_mono (f));
}

static bool
is_script (const facts *f)
{
	return f->file.size > 2 && f->file.bytes[0] == '#' && f->file.bytes[1] == '!';
}

static bool
is_other_elf (const facts *f)
{
	return f->file.elf && !is_dotnet (f) && !is_mono (f);
}

static bool
is_failed_host (const facts *f)
{
	return (is_dotnet (f) || is_mono (f)) && f->exit_code != 0;
}

static bool
is_anything (const facts *f)
{
	return true;
}

static const struct {
	bool (*holds) (const facts *f);
	const char *sentence; /* %s: the program file; %d: its exit code */
} reasons[] = {
#define REASON(test, text) { test, text },
#include "reasons.def"
#undef REASON
};

static void
say_reason (const facts *f)
{
	const char *name = *f->file.path ? f->file.path : f->argv[0];
	for (size_t i = 0; i < sizeof reasons / sizeof *reasons; i++) {
		if (!reasons[i].holds (f))
			continue;
		char *sentence = monocle__format (reasons[i].sentence, name, f->exit_code);
		monocle__say ("no runtime loaded the profiler, so there is no profile: %s", sentence);
		free (sentence);
		return;
	}
}

/* Loaded and declined; or loaded, but nothing written; where the reason was not reported. */
static void
say_processes (const monocle__run_folder *folder, bool expected)
{
	for (size_t i = 0; i < folder->process_count; i++) {
		const monocle__run_process *process = &folder->processes[i];
		if (process->told || process->starting)
			continue;
		if (process->declined)
			monocle__say ("process %d was not profiled: %s", (int) process->pid, process->declined);
		else if (process->early)
			monocle__say ("process %d ended before there was anything to count", (int) process->pid);
		else if (expected && folder->unfinished == 0)
			monocle__say ("process %d (%s) loaded the profiler, but ended without leaving a profile",
			              (int) process->pid, process->runtime ? process->runtime : "unknown runtime");
	}
}

void
monocle__diagnose (char *const *argv, int exit_code, bool signalled, const monocle__run_folder *folder,
                   const monocle__environ_state *state, const monocle__layout *layout, bool expected)
{
	facts f = {
		.argv = argv, .exit_code = exit_code, .signalled = signalled, .folder = folder, .state = state, .layout = layout
	};
	if (folder->process_count > 0 || folder->unfinished > 0) {
		say_processes (folder, expected);
		return;
	}
	file_open (&f.file, argv[0]);
	say_reason (&f);
	file_close (&f.file);
}
