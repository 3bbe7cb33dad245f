/*
 * SPDX-License-Identifier: MIT
 *
 * aot.c - on Mono, no walk meets code that was compiled ahead of time before Mono has sorted the methods of its file.
 *
 * Mono's walk says that it is async-safe. But when it first comes to an address in such a file (mscorlib.dll.so, say),
 * it allocates two arrays and sorts the file's methods into them, in the signal handler (6.8: mono_aot_find_jit_info).
 * On a thread that was interrupted inside malloc that is for ever, or worse; and of two threads at once, one finds the
 * first array without the second.
 *
 * So the files are known: whatever is mapped when an assembly has been loaded, and has Mono's symbol. As long as one of
 * them has not been sorted, a thread's stack is searched for a return address in it before Mono may walk. When there is
 * one, Mono is asked about that address first, outside of any handler, which sorts the file. It is a method that is
 * running, so nothing is loaded for the question. A word that is no return address is never asked about: Mono ends the
 * process when it is asked about the padding in front of a file's first method.
 */
#include <monocle/kit.h>

#include <dlfcn.h>
#include <link.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <ucontext.h>

/* A file's code. Never freed, and stays mapped, because what is on a stack is compared with what is in it. */
struct aot_file {
	struct aot_file *next;
	uintptr_t start, end;
	atomic_bool is_prepared;
};

static struct aot_file *_Atomic files;
static atomic_uint unprepared;                         /* how many of them */
static _Atomic uintptr_t lowest = UINTPTR_MAX, beyond; /* all of them are between these */
static atomic_ullong additions;                        /* the loader's count at the last look */

/* --- which files there are ---------------------------------------------------------------------------------------- */

static struct aot_file *
find_file (uintptr_t address)
{
	struct aot_file *file = files;
	while (file && address - file->start >= file->end - file->start)
		file = file->next;
	return file;
}

/*
 * What is loaded, copied: while dl_iterate_phdr () holds the loader's lock nothing is asked of the loader. It takes its
 * locks in another order itself, and a thread that loads a library then would wait for us, and we for it.
 */
struct object {
	struct object *next;
	uintptr_t start, end; /* its code */
	char path[];
};

static int
see_object (struct dl_phdr_info *info, size_t size, void *data)
{
	struct object **objects = data;
	for (int i = 0; i < info->dlpi_phnum; i++) {
		const ElfW (Phdr) *part = &info->dlpi_phdr[i];
		uintptr_t start = info->dlpi_addr + part->p_vaddr;
		if (part->p_type != PT_LOAD || !(part->p_flags & PF_X) || !*info->dlpi_name || find_file (start))
			continue;
		size_t length = strlen (info->dlpi_name) + 1;
		struct object *object = malloc (sizeof *object + length);
		if (!object)
			return 1;
		*object = (struct object) { *objects, start, start + part->p_memsz };
		memcpy (object->path, info->dlpi_name, length);
		*objects = object;
	}
	return 0;
}

static int
see_additions (struct dl_phdr_info *info, size_t size, void *data)
{
	*(unsigned long long *) data = info->dlpi_adds;
	return 1;
}

/* Mono's symbol in this very object, and not in a library that it needs. It begins with a version: 147 in Mono 6.8. */
static bool
is_monos (void *handle, const struct object *object)
{
	enum { HIGHEST_VERSION = 0xffff };
	const void *info = dlsym (handle, "mono_aot_file_info");
	uint32_t version;
	Dl_info where, code;
	if (!info || !dladdr (info, &where) || !dladdr ((void *) object->start, &code) || where.dli_fbase != code.dli_fbase)
		return false;
	memcpy (&version, info, sizeof version); /* in a file that is not Mono's it may lie anywhere */
	return version && version <= HIGHEST_VERSION;
}

/* Of two threads that see the same file only one adds it. No lock: a child may be forked meanwhile. */
static bool
add_file (const struct object *object)
{
	struct aot_file *file = malloc (sizeof *file), *head = files;
	if (!file)
		return false;
	*file = (struct aot_file) { .start = object->start, .end = object->end };
	for (uintptr_t low = lowest; file->start < low && !atomic_compare_exchange_weak (&lowest, &low, file->start);)
		;
	for (uintptr_t high = beyond; file->end > high && !atomic_compare_exchange_weak (&beyond, &high, file->end);)
		;
	unprepared++;
	do {
		if (find_file (file->start)) {
			unprepared--;
			free (file);
			return false;
		}
		file->next = head;
	} while (!atomic_compare_exchange_weak (&files, &head, file));
	return true;
}

/* A file of Mono's keeps the handle, and so stays mapped: Mono itself closes those that it finds it cannot use. */
static void
look_at (const struct object *object)
{
	void *handle = dlopen (object->path, RTLD_LAZY | RTLD_NOLOAD);
	if (handle && !(is_monos (handle, object) && add_file (object)))
		dlclose (handle);
}

void
monocle_kit_aot_look (void)
{
	unsigned long long now = 0;
	struct object *objects = NULL;
	dl_iterate_phdr (see_additions, &now);
	if (now == additions)
		return;
	dl_iterate_phdr (see_object, &objects);
	while (objects) {
		struct object *object = objects;
		objects = object->next;
		look_at (object);
		free (object);
	}
	additions = now;
}

void
monocle_kit_aot_prepared (uintptr_t address)
{
	struct aot_file *file = find_file (address);
	if (file && !atomic_exchange (&file->is_prepared, true))
		unprepared--;
}

/* --- what is on a stack ------------------------------------------------------------------------------------------- */

/* Of living threads. A thread's own entry does not change while it runs; another's is not looked at beyond its name. */
static struct {
	_Atomic uintptr_t thread; /* pthread_self (); 0: free */
	uintptr_t start, end;
} stacks[1 << 12];

extern void *__libc_stack_end __attribute__ ((weak)); /* of the process's first thread */
static atomic_uint stacks_seen;                       /* entries beyond were never taken */

enum { STACKS = sizeof stacks / sizeof *stacks };

/* The entry's number; STACKS: there is none. */
static uint32_t
find_stack (uintptr_t thread)
{
	uint32_t end = stacks_seen;
	for (uint32_t i = 0; i < end; i++)
		if (stacks[i].thread == thread)
			return i;
	return STACKS;
}

/* A thread for which there is no room is not walked until all files are sorted. */
static uint32_t
take_stack (uintptr_t thread)
{
	for (uint32_t i = 0; i < STACKS; i++) {
		uintptr_t free = 0;
		if (stacks[i].thread || !atomic_compare_exchange_strong (&stacks[i].thread, &free, thread))
			continue;
		for (uint32_t seen = stacks_seen; seen <= i && !atomic_compare_exchange_weak (&stacks_seen, &seen, i + 1);)
			;
		return i;
	}
	return STACKS;
}

void
monocle_kit_aot_thread_begin (void)
{
	pthread_attr_t attributes;
	void *start = NULL;
	size_t size = 0;
	if (pthread_getattr_np (pthread_self (), &attributes))
		return;
	pthread_attr_getstack (&attributes, &start, &size);
	pthread_attr_destroy (&attributes);
	uint32_t entry = find_stack ((uintptr_t) pthread_self ());
	if (entry == STACKS && (entry = take_stack ((uintptr_t) pthread_self ())) == STACKS)
		return;
	stacks[entry].start = (uintptr_t) start;
	stacks[entry].end = (uintptr_t) start + size;
}

void
monocle_kit_aot_thread_end (uintptr_t tid)
{
	uint32_t entry = find_stack (tid);
	if (entry == STACKS)
		return;
	stacks[entry].start = stacks[entry].end = 0;
	stacks[entry].thread = 0;
}

void
monocle_kit_aot_threads_end (void)
{
	for (uint32_t i = 0; i < STACKS; i++) {
		stacks[i].start = stacks[i].end = 0;
		stacks[i].thread = 0;
	}
}

/*
 * Of a thread that began before anybody looked, in its signal handler: glibc has a thread's own data at the end of its
 * stack, and knows where the first one's ends. How far down a stack may go is not known: what is below the first hit
 * is believed for so far.
 */
static uint32_t
meet_thread (uintptr_t pointer)
{
	enum { BELIEVED = 1 << 18, LARGEST = 1 << 30 };
	uintptr_t self = (uintptr_t) pthread_self (), end = (uintptr_t) __libc_stack_end;
	if (self > pointer && self - pointer < LARGEST)
		end = self;
	if (pointer >= end || end - pointer >= LARGEST)
		return STACKS;
	uint32_t entry = take_stack (self);
	if (entry != STACKS) {
		stacks[entry].end = end;
		stacks[entry].start = end - pointer > BELIEVED ? pointer : end - BELIEVED;
	}
	return entry;
}

static bool
is_unprepared (uintptr_t address)
{
	if (address < lowest || address >= beyond)
		return false;
	struct aot_file *file = find_file (address);
	return file && !file->is_prepared;
}

bool
monocle_kit_aot_has (uintptr_t address)
{
	return address >= lowest && address < beyond && find_file (address);
}

#ifdef __x86_64__

/* Is there an instruction that calls before this address of code? Takes a little more for one than calls. */
static bool
follows_call (uintptr_t address)
{
	const uint8_t *code = (const uint8_t *) address;
	if (!find_file (address - 7))
		return false;
	if (code[-5] == 0xe8)
		return true;
	for (int size = 2; size <= 7; size++)
		if (code[-size] == 0xff && (code[1 - size] >> 3 & 7) == 2)
			return true;
	return false;
}

static uintptr_t
stack_pointer (const ucontext_t *context)
{
	return (uintptr_t) context->uc_mcontext.gregs[REG_RSP];
}

#else

static bool
follows_call (uintptr_t address)
{
	return false;
}

static uintptr_t
stack_pointer (const ucontext_t *context)
{
	return 0;
}

#endif

/*
 * Of a stack only so much is searched: 0.2 ms of each hit. Mono's walk would mostly end sooner, at the frames that are
 * kept, but where it would end cannot be known.
 */
enum { MOST_SEARCHED = 1 << 20 };

/* Words of other frames are read, which the sanitizer does not allow. */
__attribute__ ((no_sanitize ("address"))) uintptr_t
monocle_kit_aot_unprepared (uintptr_t ip, const void *context)
{
	if (!unprepared)
		return 0;
	uint32_t entry = find_stack ((uintptr_t) pthread_self ());
	uintptr_t pointer = stack_pointer (context) & ~(sizeof (uintptr_t) - 1);
	if (entry == STACKS)
		entry = meet_thread (pointer);
	if (is_unprepared (ip) || entry == STACKS || pointer < stacks[entry].start || pointer >= stacks[entry].end)
		return ip;
	bool is_deep = stacks[entry].end - pointer > MOST_SEARCHED;
	const uintptr_t *end = (const uintptr_t *) (is_deep ? pointer + MOST_SEARCHED : stacks[entry].end);
	for (const uintptr_t *word = (const uintptr_t *) pointer; word < end; word++)
		if (is_unprepared (*word) && follows_call (*word))
			return *word - 1; /* After a call may be the next function. */
	return is_deep ? ip : 0;
}
