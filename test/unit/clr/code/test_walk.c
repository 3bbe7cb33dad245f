/*
 * SPDX-License-Identifier: MIT
 *
 * test_walk.c - walks of this process: native code against libgcc's unwinder at random moments, and managed shapes in
 * code that is written to memory and executed one instruction at a time.
 *
 * The map of managed code, the thread's bounds and the service thread are stood in for.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <errno.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/time.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>
#include <unwind.h>
#include <cmocka.h>

#include "../../../seed.h"
#include "arch/arch.h"
#include "code/codemap.h"
#include "code/native.h"
#include "code/walk.h"
#include "service.h"
#include "thread-memory.h"

/* Rows in columns: clang-format leaves them alone. */
/* clang-format off */

enum { FRAMES_MAX = 512 };

/* --- stand-ins ---------------------------------------------------------------------------------------------------- */

static struct { monocle__code code; _Atomic(uint64_t) word; } pieces[8];
static unsigned piece_count;
static monocle__thread_stack bounds;
static bool has_bounds;

bool
monocle__codemap_find (uintptr_t ip, monocle__code *ret)
{
	for (unsigned i = 0; i < piece_count; i++)
		if (ip - pieces[i].code.start < pieces[i].code.size) {
			*ret = pieces[i].code;
			return true;
		}
	return false;
}

void
monocle__codemap_learn (uintptr_t ip)
{
}

const monocle__thread_stack *
monocle__thread_memory_stack (void)
{
	return has_bounds ? &bounds : NULL;
}

void
monocle__thread_memory_set_stack (uintptr_t low, uintptr_t high)
{
	bounds = (monocle__thread_stack) { low, high };
}

bool
monocle__service_run (void (*work) (void *data), void *data, size_t size, unsigned milliseconds)
{
	return false;
}

/* --- gathering ---------------------------------------------------------------------------------------------------- */

typedef struct {
	unsigned count, max;
	monocle_frame frames[FRAMES_MAX];
} gathering;

static int
gather (const monocle_frame *frame, void *data)
{
	gathering *g = data;
	g->frames[g->count++] = *frame;
	return g->count == g->max;
}

static int
walk_from (const void *context, gathering *g)
{
	g->count = 0;
	g->max = FRAMES_MAX;
	return monocle__walk (context, MONOCLE_WALK_NATIVE, gather, g);
}

/* libgcc begins with the handler; what it shows from the interrupted address on is compared. */
typedef struct {
	unsigned count;
	uintptr_t ips[FRAMES_MAX];
} unwinding;

static _Unwind_Reason_Code
take (struct _Unwind_Context *context, void *data)
{
	unwinding *u = data;
	uintptr_t ip = _Unwind_GetIP (context);
	if (!ip || u->count == FRAMES_MAX)
		return _URC_END_OF_STACK;
	u->ips[u->count++] = ip;
	return _URC_NO_REASON;
}

/* --- native code at random moments -------------------------------------------------------------------------------- */

/* What handlers write is volatile: compilers know which functions do not call back, but not which raise signals. */
static volatile unsigned compared, different, incomplete;
static char first_difference[4096];

static void
describe_difference (const gathering *g, const unwinding *u, unsigned skipped)
{
	size_t at = 0, size = sizeof first_difference;
	for (unsigned i = 0; i < 40 && at < size && (i < g->count || i + skipped < u->count); i++)
		at += (size_t) snprintf (first_difference + at, size - at, "%lx %lx\n", i < g->count ? g->frames[i].ip : 0,
		                         i + skipped < u->count ? u->ips[i + skipped] : 0);
}

static void
compare (int number, siginfo_t *info, void *context)
{
	static gathering g;
	static unwinding u;
	uintptr_t pc = (uintptr_t) ((ucontext_t *) context)->uc_mcontext.gregs[REG_RIP];
	unsigned skipped = 0;
	int result = walk_from (context, &g);
	u.count = 0;
	_Unwind_Backtrace (take, &u);
	while (skipped < u.count && u.ips[skipped] != pc)
		skipped++;
	bool same = g.count == u.count - skipped;
	for (unsigned i = 0; same && i < g.count; i++)
		same = g.frames[i].ip == u.ips[i + skipped];
	compared++;
	incomplete += result != 0;
	if (!same && !different++)
		describe_difference (&g, &u, skipped);
}

static int
order (const void *a, const void *b)
{
	return *(const int *) a - *(const int *) b;
}

static volatile unsigned sink;

static __attribute__ ((noinline)) unsigned
descend (unsigned depth)
{
	return depth ? descend (depth - 1) * 3 + 1 : (unsigned) rand ();
}

/* Library code of many shapes, for so long of this thread's CPU time. */
static void
work (unsigned milliseconds)
{
	static int items[500];
	char text[256];
	struct timespec start, t;
	clock_gettime (CLOCK_THREAD_CPUTIME_ID, &start);
	do {
		for (unsigned i = 0; i < 500; i++)
			items[i] = rand ();
		qsort (items, 500, sizeof *items, order);
		snprintf (text, sizeof text, "%f %s %d", (double) rand () / 3, "abc", items[3]);
		sink += (unsigned) strtod (text, NULL) + descend (50);
		free (malloc ((size_t) rand () % 100000));
		clock_gettime (CLOCK_THREAD_CPUTIME_ID, &t);
	} while ((t.tv_sec - start.tv_sec) * 1000 + (t.tv_nsec - start.tv_nsec) / 1000000 < (long) milliseconds);
}

static void
handle (int number, void (*handler) (int, siginfo_t *, void *), int flags)
{
	struct sigaction action = { .sa_sigaction = handler, .sa_flags = SA_SIGINFO | SA_RESTART | flags };
	sigemptyset (&action.sa_mask);
	assert_int_equal (sigaction (number, &action, NULL), 0);
}

static void
sample_work (unsigned milliseconds)
{
	struct itimerval fast = { { 0, 500 }, { 0, 500 } }, off = { { 0, 0 }, { 0, 0 } };
	unwinding u = { .count = 0 };
	_Unwind_Backtrace (take, &u); /* what it loads it loads now */
	compared = different = incomplete = 0;
	handle (SIGPROF, compare, 0);
	setitimer (ITIMER_PROF, &fast, NULL);
	work (milliseconds);
	setitimer (ITIMER_PROF, &off, NULL);
}

static void
assert_all_same (void)
{
	if (different)
		fail_msg ("%u of %u differ, the first one (ours, libgcc's):\n%s", different, compared, first_difference);
	assert_true (compared > 20);
	assert_int_equal (incomplete, 0);
}

static void
native_stacks_are_those_of_libgcc (void **state)
{
	assert_true (monocle__walk_prepare ());
	has_bounds = true;
	sample_work (1000);
	assert_all_same ();
}

static void
a_thread_without_known_bounds_is_walked_alike (void **state)
{
	has_bounds = false;
	sample_work (500);
	has_bounds = true;
	assert_all_same ();
}

static void *
sampled_thread (void *signals)
{
	pthread_sigmask (SIG_UNBLOCK, signals, NULL);
	sample_work (500);
	return NULL;
}

static void
a_thread_ends_at_its_root (void **state)
{
	pthread_t thread;
	sigset_t signals;
	sigemptyset (&signals);
	sigaddset (&signals, SIGPROF);
	pthread_sigmask (SIG_BLOCK, &signals, NULL);
	has_bounds = false;
	assert_int_equal (pthread_create (&thread, NULL, sampled_thread, &signals), 0);
	pthread_join (thread, NULL);
	pthread_sigmask (SIG_UNBLOCK, &signals, NULL);
	has_bounds = true;
	assert_all_same ();
}

/* As containers do it: the call says that it is not allowed, or that there is none. */
static void
forbid_vm_readv (int error)
{
	struct sock_filter code[] = {
		BPF_STMT (BPF_LD | BPF_W | BPF_ABS, offsetof (struct seccomp_data, nr)),
		BPF_JUMP (BPF_JMP | BPF_JEQ | BPF_K, SYS_process_vm_readv, 0, 1),
		BPF_STMT (BPF_RET | BPF_K, SECCOMP_RET_ERRNO | (unsigned) error),
		BPF_STMT (BPF_RET | BPF_K, SECCOMP_RET_ALLOW),
	};
	struct sock_fprog program = { sizeof code / sizeof *code, code };
	if (prctl (PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) || prctl (PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &program))
		_exit (77);
}

static void any_registers_do_no_harm (void **state);

/* Without process_vm_readv () memory is asked for in another way; in a child, for there is no way back. */
static void
a_system_that_forbids_reading_is_coped_with (void **state)
{
	static const int errors[] = { EPERM, ENOSYS };
	for (size_t i = 0; i < 2; i++) {
		int status;
		pid_t child = fork ();
		if (!child) {
			forbid_vm_readv (errors[i]);
			has_bounds = false;
			sample_work (300);
			if (different || incomplete || compared < 10)
				_exit (1);
			any_registers_do_no_harm (state);
			_exit (0);
		}
		assert_int_equal (waitpid (child, &status, 0), child);
		assert_true (WIFEXITED (status));
		assert_true (WEXITSTATUS (status) == 0 || WEXITSTATUS (status) == 77);
	}
}

static void
pass_on (int number, siginfo_t *info, void *context)
{
	raise (SIGUSR2);
}

/* A handler on an alternate stack, which is interrupted: through both signals' frames back to the thread's stack. */
static void
handlers_and_their_stacks_are_passed (void **state)
{
	static char memory[65536];
	stack_t alternate = { .ss_sp = memory, .ss_size = sizeof memory }, off = { .ss_flags = SS_DISABLE };
	compared = different = incomplete = 0;
	assert_int_equal (sigaltstack (&alternate, NULL), 0);
	handle (SIGUSR1, pass_on, SA_ONSTACK);
	handle (SIGUSR2, compare, 0);
	for (unsigned i = 0; i < 100; i++)
		raise (SIGUSR1);
	sigaltstack (&off, NULL);
	assert_int_equal (compared, 100);
	assert_all_same ();
}

/* --- a walk that goes wrong --------------------------------------------------------------------------------------- */

static ucontext_t
registers_of (uintptr_t pc, uintptr_t sp, uintptr_t fp)
{
	ucontext_t context;
	memset (&context, 0, sizeof context);
	context.uc_mcontext.gregs[REG_RIP] = (greg_t) pc;
	context.uc_mcontext.gregs[REG_RSP] = (greg_t) sp;
	context.uc_mcontext.gregs[REG_RBP] = (greg_t) fp;
	return context;
}

static void
any_registers_do_no_harm (void **state)
{
	static gathering g;
	uintptr_t here = (uintptr_t) __builtin_frame_address (0);
	uintptr_t interesting[] = { 0, 1, 8, 4096, here, here + 1, here + 4096, here - 64, bounds.high - 8, bounds.high,
		                        bounds.low, (uintptr_t) any_registers_do_no_harm, (uintptr_t) qsort + 20, UINTPTR_MAX,
		                        UINTPTR_MAX - 7, (uintptr_t) INTPTR_MAX, (uintptr_t) INTPTR_MAX - 7, 0x800000000000 };
	enum { COUNT = sizeof interesting / sizeof *interesting };
	for (unsigned i = 0; i < COUNT * COUNT * COUNT; i++) {
		ucontext_t context = registers_of (interesting[i % COUNT], interesting[i / COUNT % COUNT],
		                                   interesting[i / COUNT / COUNT]);
		int result = walk_from (&context, &g);
		assert_true (result <= 1);
		assert_true (g.count >= 1);
	}
}

/* A chain that leads back to itself, or nowhere. */
static void
a_chain_that_does_not_rise_is_lost (void **state)
{
	static gathering g;
	uintptr_t fake[4] = { 0, 0x1234, 0, 0 };
	fake[0] = (uintptr_t) fake;
	ucontext_t context = registers_of (0x1234, (uintptr_t) fake, (uintptr_t) fake);
	assert_true (walk_from (&context, &g) < 0);
	assert_true (g.count <= 2);
}

/* Keeps its frame by fp, and has zeros where its prologue alone would have the return address. */
static __attribute__ ((noinline)) void
walk_from_zeros (size_t size, gathering *g, int *ret)
{
	char *zeros = __builtin_alloca (size);
	memset (zeros, 0, size);
	__asm__ volatile ("" : : "r" (zeros) : "memory");
	uintptr_t pc, sp;
	__asm__ volatile ("leaq 0(%%rip), %0\n\tmovq %%rsp, %1" : "=r" (pc), "=r" (sp));
	ucontext_t context = registers_of (pc, sp, 0);
	*ret = walk_from (&context, g);
}

/* As of a thread that is looked at from outside. */
static void
what_a_function_has_allocated_is_not_a_root (void **state)
{
	static gathering g;
	int result = 0;
	walk_from_zeros (4096, &g, &result);
	assert_true (result < 0);
	assert_int_equal (g.count, 1);
}

static void
stop_at_once (int number, siginfo_t *info, void *context)
{
	static gathering g;
	g.count = 0;
	g.max = 1;
	compared = (unsigned) monocle__walk (context, MONOCLE_WALK_NATIVE, gather, &g) == 1 && g.count == 1;
}

static void
the_visitor_ends_the_walk (void **state)
{
	handle (SIGUSR2, stop_at_once, 0);
	compared = 0;
	raise (SIGUSR2);
	assert_int_equal (compared, 1);
}

/* The stack is the program's: who has little left is not walked, in the handler that would need it. */
static void
a_stack_that_is_nearly_used_up_is_left_alone (void **state)
{
	static gathering g;
	ucontext_t context;
	getcontext (&context);
	uintptr_t here = (uintptr_t) __builtin_frame_address (0);
	has_bounds = true;
	bounds = (monocle__thread_stack) { here - 2048, here + 65536 };
	assert_int_equal (walk_from (&context, &g), MONOCLE_E_UNKNOWN);
	assert_int_equal (g.count, 0);
	bounds.low = here - 65536;
	walk_from (&context, &g);
	assert_true (g.count > 1);
	has_bounds = false;
}

/* --- managed shapes, an instruction at a time --------------------------------------------------------------------- */

/* What the stack must be at every step, from the outermost piece of code in. */
extern const char after_call[];
static const uint8_t *written;   /* where the code lies */
static volatile unsigned steps, wrong;
extern volatile uintptr_t expected_fp;
volatile uintptr_t expected_fp;
static char first_wrong[1024];
static volatile bool is_stepping;
static bool (*is_right) (const gathering *g, int result);

/* Calls `code` with the processor's single-step flag set; the label is where it returns to. */
void step_code (const void *code);
__asm__ (".text\n"
         ".type step_code, @function\n"
         "step_code:\n"
         ".cfi_startproc\n"
         "	push %rbx\n"
         ".cfi_adjust_cfa_offset 8\n"
         "	mov %rbp, expected_fp(%rip)\n"
         "	pushfq\n"
         "	orq $0x100, (%rsp)\n"
         "	popfq\n"
         "	call *%rdi\n"
         "after_call:\n"
         "	pushfq\n"
         "	andq $~0x100, (%rsp)\n"
         "	popfq\n"
         "	pop %rbx\n"
         ".cfi_adjust_cfa_offset -8\n"
         "	ret\n"
         ".cfi_endproc\n"
         ".size step_code, . - step_code\n");

static void
step (int number, siginfo_t *info, void *context)
{
	static gathering g;
	uintptr_t pc = (uintptr_t) ((ucontext_t *) context)->uc_mcontext.gregs[REG_RIP];
	monocle__code code;
	if (!is_stepping || !monocle__codemap_find (pc, &code))
		return;
	steps++;
	int result = walk_from (context, &g);
	if (is_right (&g, result) || wrong++)
		return;
	size_t at = (size_t) snprintf (first_wrong, sizeof first_wrong, "at +%lx: result %d", pc - (uintptr_t) written,
	                               result);
	for (unsigned i = 0; i < g.count && i < 6; i++)
		at += (size_t) snprintf (first_wrong + at, sizeof first_wrong - at, " %u:%lx", g.frames[i].kind,
		                         g.frames[i].ip - (uintptr_t) written);
}

/* The caller of piece 0 is the label, with the fp that it has; the root is reached. */
static bool
is_called_by_us (const gathering *g, int result)
{
	unsigned last = 0;
	while (last < g->count && g->frames[last].kind == MONOCLE_FRAME_MANAGED)
		last++;
	return result == 0 && last < g->count && g->frames[last].ip == (uintptr_t) after_call
	       && g->frames[last].fp == expected_fp && (uintptr_t) g->frames[last - 1].start == pieces[0].code.start;
}

/* One piece runs at a time, whichever. */
static bool
has_one_frame (const gathering *g, int result)
{
	return result == 0 && g->count > 1 && g->frames[0].kind == MONOCLE_FRAME_MANAGED
	       && g->frames[1].ip == (uintptr_t) after_call && g->frames[1].fp == expected_fp;
}

static void
write_piece (uint8_t *memory, size_t at, const uint8_t *code, size_t size)
{
	memcpy (memory + at, code, size);
	pieces[piece_count].word = 0;
	pieces[piece_count].code = (monocle__code) {
		.start = (uintptr_t) memory + at, .size = (uint32_t) size, .frame = &pieces[piece_count].word };
	piece_count++;
}

static uint8_t *
code_memory (void)
{
	uint8_t *memory = mmap (NULL, 8192, PROT_READ | PROT_WRITE | PROT_EXEC, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	assert_ptr_not_equal (memory, MAP_FAILED);
	piece_count = 0;
	written = memory;
	return memory;
}

static void
step_through (bool (*check) (const gathering *, int), unsigned at_least)
{
	assert_true (monocle__walk_prepare ());
	has_bounds = true;
	steps = wrong = 0;
	is_right = check;
	handle (SIGTRAP, step, 0);
	is_stepping = true;
	step_code (written);
	is_stepping = false;
	signal (SIGTRAP, SIG_DFL);
	piece_count = 0;
	munmap ((void *) written, 8192);
	if (wrong)
		fail_msg ("%u of %u steps are wrong; the first: %s", wrong, steps, first_wrong);
	assert_true (steps >= at_least);
}

#define PIECE(memory, at, ...) \
	write_piece (memory, at, (const uint8_t[]) { __VA_ARGS__ }, sizeof (const uint8_t[]) { __VA_ARGS__ })

static void
every_step_of_a_frame_with_rbp (void **state)
{
	uint8_t *memory = code_memory ();
	PIECE (memory, 0, 0x55, 0x41, 0x57, 0x41, 0x56, 0x41, 0x55, 0x41, 0x54, 0x53, 0x48, 0x83, 0xEC, 0x18, 0x48, 0x8D,
	       0x6C, 0x24, 0x40, 0x31, 0xC0, 0xFF, 0xC0, 0x83, 0xF8, 0x05, 0x75, 0xF9, 0x48, 0x83, 0xC4, 0x18, 0x5B, 0x41,
	       0x5C, 0x41, 0x5D, 0x41, 0x5E, 0x41, 0x5F, 0x5D, 0xC3);
	step_through (is_called_by_us, 30);
}

static void
every_step_of_a_frame_without (void **state)
{
	uint8_t *memory = code_memory ();
	/* push r14; push rbp; push rbx; sub rsp, 0x10; xor ebp, ebp; loop; add rsp, 0x10; pop rbx; pop rbp; pop r14; ret */
	PIECE (memory, 0, 0x41, 0x56, 0x55, 0x53, 0x48, 0x83, 0xEC, 0x10, 0x31, 0xED, 0x31, 0xC0, 0xFF, 0xC0, 0x83, 0xF8,
	       0x03, 0x75, 0xF9, 0x48, 0x83, 0xC4, 0x10, 0x5B, 0x5D, 0x41, 0x5E, 0xC3);
	step_through (is_called_by_us, 15);
}

/* Three frames without rbp, one upon the other, the innermost has none at all. */
static void
every_step_of_thin_frames_in_a_row (void **state)
{
	uint8_t *memory = code_memory ();
	PIECE (memory, 0, 0x50, 0xE8, 0x1A, 0, 0, 0, 0xFF, 0xC0, 0x48, 0x83, 0xC4, 0x08, 0xC3);
	PIECE (memory, 0x20, 0x53, 0x55, 0x50, 0x31, 0xED, 0xE8, 0x16, 0, 0, 0, 0x48, 0x83, 0xC4, 0x08, 0x5D, 0x5B, 0xC3);
	PIECE (memory, 0x40, 0x8D, 0x04, 0x7F, 0xFF, 0xC0, 0xC3);
	step_through (is_called_by_us, 17);
}

/* add rsp, 8; jmp to a piece that returns to us. */
static void
every_step_of_a_tail_call (void **state)
{
	uint8_t *memory = code_memory ();
	PIECE (memory, 0, 0x50, 0x31, 0xC0, 0x48, 0x83, 0xC4, 0x08, 0xE9, 0x14, 0, 0, 0);
	PIECE (memory, 0x20, 0x55, 0x48, 0x8B, 0xEC, 0x48, 0x8D, 0x05, 0x15, 0, 0, 0, 0x5D, 0x48, 0xFF, 0xE0);
	PIECE (memory, 0x40, 0x31, 0xC0, 0xC3);
	step_through (has_one_frame, 10);
}

/*
 * A body with a frame of 0x50 bytes jumps to one that takes that frame over: push rax; mov rax, [rbp]; push rax; sub
 * rsp, 0x20; r15, r14 and rbx saved; lea rbp, [rsp+0x20]; a loop; add rsp, 0x68; pop rbx, r14, r15, rbp; ret. Only its
 * header, if it has one, says how large the taken frame is.
 */
static void
write_taken_frame (uint32_t functions)
{
	enum { BODY = 0x40, HEADER = 0x400, DATA = 0x480 };
	static const uint8_t unwind[] = { 0x19, 0x19, 0x0B, 0x00, 0x19, 0x34, 0x0D, 0x00, 0x14, 0xE4, 0x0E, 0x00, 0x0F,
		                              0xF4, 0x0F, 0x00, 0x0A, 0x32, 0x06, 0x02, 0x01, 0x02, 0x00, 0x92, 0x00, 0x50 };
	uint8_t *memory = code_memory ();
	uint8_t *header = memory + HEADER;
	PIECE (memory, 0, 0x55, 0x48, 0x83, 0xEC, 0x50, 0x48, 0x8D, 0x6C, 0x24, 0x50, 0x90, 0xE9, 0x30, 0, 0, 0);
	PIECE (memory, BODY, 0x50, 0x48, 0x8B, 0x45, 0x00, 0x50, 0x48, 0x83, 0xEC, 0x20, 0x4C, 0x89, 0x7C, 0x24, 0x78, 0x4C,
	       0x89, 0x74, 0x24, 0x70, 0x48, 0x89, 0x5C, 0x24, 0x68, 0x48, 0x8D, 0x6C, 0x24, 0x20, 0x31, 0xC0, 0xFF, 0xC0,
	       0x83, 0xF8, 0x05, 0x75, 0xF9, 0x48, 0x83, 0xC4, 0x68, 0x5B, 0x41, 0x5E, 0x41, 0x5F, 0x5D, 0xC3);
	const uint32_t rows[] = { functions, BODY, BODY + pieces[1].code.size, DATA };
	memcpy (memory + BODY - sizeof header, &header, sizeof header);
	memcpy (header + 32, rows, sizeof rows);
	memcpy (memory + DATA, unwind, sizeof unwind);
}

static void
every_step_of_a_frame_that_was_taken_over (void **state)
{
	write_taken_frame (1);
	step_through (has_one_frame, 30);
}

static volatile unsigned lost;

static bool
has_one_frame_or_is_lost (const gathering *g, int result)
{
	lost += result != 0;
	return result ? g->count == 1 : has_one_frame (g, result);
}

static void
a_taken_frame_of_unknown_size_is_not_guessed (void **state)
{
	write_taken_frame (0);
	lost = 0;
	step_through (has_one_frame_or_is_lost, 30);
	assert_true (lost > 10);
}

/* --- another thread's stack --------------------------------------------------------------------------------------- */

/* Three frames of 150 words, the inner one with fp not known; behind them the root. */
static uintptr_t
lay_foreign_stack (const uint8_t *code, uint8_t *memory)
{
	enum { WORDS = 150 };
	uintptr_t *words = (uintptr_t *) (void *) memory;
	words[WORDS] = (uintptr_t) code + 8;
	words[2 * WORDS + 1] = (uintptr_t) code + 8;
	words[3 * WORDS + 2] = 0;
	return (uintptr_t) memory;
}

/* sub rsp, 1200; nop... */
static const uint8_t foreign_code[] = { 0x48, 0x81, 0xEC, 0xB0, 0x04, 0, 0, 0x90, 0x90, 0x90, 0x90, 0x90 };

static uint8_t *
map_page (void)
{
	uint8_t *memory = mmap (NULL, 4096, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	assert_true (memory != MAP_FAILED);
	return memory;
}

typedef struct { uint8_t *stack; unsigned count; } leaver;

static int
take_stack_away (const monocle_frame *frame, void *data)
{
	leaver *l = data;
	if (l->count++ == 0)
		munmap (l->stack, 4096);
	return 0;
}

/* Its thread goes on, and ends: the pages that were there a moment ago are not. */
static int
walk_stack_that_goes (void)
{
	uint8_t *code = map_page ();
	write_piece (code, 0, foreign_code, sizeof foreign_code);
	leaver l = { .stack = map_page () };
	uintptr_t sp = lay_foreign_stack (code, l.stack);
	ucontext_t context = registers_of ((uintptr_t) code + 8, sp, 0);
	int result = monocle__walk (&context, 0, take_stack_away, &l);
	piece_count = 0;
	munmap (code, 4096);
	return l.count > 3 ? 1 : result;
}

static int
walk_stack_that_stays (void)
{
	static gathering g;
	uint8_t *code = map_page (), *stack = map_page ();
	write_piece (code, 0, foreign_code, sizeof foreign_code);
	ucontext_t context = registers_of ((uintptr_t) code + 8, lay_foreign_stack (code, stack), 0);
	int result = walk_from (&context, &g);
	piece_count = 0;
	munmap (code, 4096);
	munmap (stack, 4096);
	return g.count == 3 ? result : 1;
}

static void
another_threads_stack_may_go_at_any_moment (void **state)
{
	assert_int_equal (walk_stack_that_stays (), 0);
	assert_int_equal (walk_stack_that_goes (), MONOCLE_E_UNKNOWN);
}

/* A crash of the child is the failure that is looked for. */
static void
it_may_go_where_reading_is_forbidden (void **state)
{
	int status;
	pid_t child = fork ();
	if (!child) {
		forbid_vm_readv (EPERM);
		_exit (walk_stack_that_stays () != 0 || walk_stack_that_goes () != MONOCLE_E_UNKNOWN);
	}
	assert_int_equal (waitpid (child, &status, 0), child);
	assert_true (WIFEXITED (status));
	assert_true (WEXITSTATUS (status) == 0 || WEXITSTATUS (status) == 77);
}

int
main (void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test (native_stacks_are_those_of_libgcc),
		cmocka_unit_test (a_thread_without_known_bounds_is_walked_alike),
		cmocka_unit_test (a_thread_ends_at_its_root),
		cmocka_unit_test (a_system_that_forbids_reading_is_coped_with),
		cmocka_unit_test (handlers_and_their_stacks_are_passed),
		cmocka_unit_test (any_registers_do_no_harm),
		cmocka_unit_test (a_chain_that_does_not_rise_is_lost),
		cmocka_unit_test (another_threads_stack_may_go_at_any_moment),
		cmocka_unit_test (it_may_go_where_reading_is_forbidden),
		cmocka_unit_test (what_a_function_has_allocated_is_not_a_root),
		cmocka_unit_test (the_visitor_ends_the_walk),
		cmocka_unit_test (a_stack_that_is_nearly_used_up_is_left_alone),
		cmocka_unit_test (every_step_of_a_frame_with_rbp),
		cmocka_unit_test (every_step_of_a_frame_without),
		cmocka_unit_test (every_step_of_thin_frames_in_a_row),
		cmocka_unit_test (every_step_of_a_tail_call),
		cmocka_unit_test (every_step_of_a_frame_that_was_taken_over),
		cmocka_unit_test (a_taken_frame_of_unknown_size_is_not_guessed),
	};
	srand ((unsigned) seed_of (1));
	return cmocka_run_group_tests (tests, NULL, NULL);
}
