/*
 * SPDX-License-Identifier: MIT
 *
 * test_sampler_orders.c - the sampler's thread, threads that attach and are hit, who sets a mode and who leaves: in
 * every order. The sampler's thread sends nothing here, and its waits do not end by time: hits come where a test says.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <cmocka.h>
#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <string.h>
#include <sys/syscall.h>
#include <time.h>
#include <monocle/host.h>
#include <mono/metadata/loader.h>
#include <mono/metadata/profiler.h>
#include "model/thread.h"
#include "orders.h"
#include "sample/sampler.h"

static MonoProfilerHandle handle;
static atomic_bool has_left, is_attached, can_end;
static _Atomic (unsigned) hits;
static _Atomic (pid_t) thread_id;
static _Atomic (monocle__sampled *) sampled;

static int
grant (void *host, monocle_feature feature)
{
	return feature == MONOCLE_FEATURE_SAMPLING;
}

static const monocle_host_ops host = {
	.size = sizeof host,
	.api_version = MONOCLE_HOST_API_VERSION,
	.name = "orders",
	.enable = grant,
};

static void
on_hit (MonoProfiler *prof, const mono_byte *ip, const void *context)
{
	CHECK (!atomic_load (&has_left));
	MONOCLE__PAUSE (in_a_callback);
	CHECK (!atomic_load (&has_left));
	atomic_fetch_add (&hits, 1);
}

/* --- signals ------------------------------------------------------------------------------------------------------ */

static atomic_bool is_sent, is_timer_set;

int __real_monocle__sampler_signal_send (pid_t os_id, union sigval mark);
int __wrap_monocle__sampler_signal_send (pid_t os_id, union sigval mark);
int __wrap_timer_create (clockid_t clock, struct sigevent *event, timer_t *ret_timer);
int __wrap_timer_settime (timer_t timer, int flags, const struct itimerspec *times, struct itimerspec *ret_before);
int __wrap_timer_delete (timer_t timer);

/* It comes where the test says; the kernel keeps it back itself while the thread is inside the handler. */
int
__wrap_monocle__sampler_signal_send (pid_t os_id, union sigval mark)
{
	monocle__sampled *of = atomic_load (&sampled);
	if (of && atomic_load (&of->is_inside))
		return __real_monocle__sampler_signal_send (os_id, mark);
	atomic_store (&is_sent, true);
	return 0;
}

int
__wrap_timer_create (clockid_t clock, struct sigevent *event, timer_t *ret_timer)
{
	*ret_timer = NULL;
	return 0;
}

/* It is over as soon as the test says. */
int
__wrap_timer_settime (timer_t timer, int flags, const struct itimerspec *times, struct itimerspec *ret_before)
{
	atomic_store (&is_timer_set, true);
	MONOCLE__PAUSE (timer_set);
	return 0;
}

int
__wrap_timer_delete (timer_t timer)
{
	return 0;
}

static bool
has_been_sent (void)
{
	return atomic_load (&is_sent);
}

static bool
timer_runs (void)
{
	return atomic_load (&is_timer_set);
}

/* ThreadSanitizer keeps signals back until the thread calls something. */
static void
let_signal_come (void)
{
	pthread_kill (pthread_self (), 0);
}

static void
send_hit (void)
{
	atomic_store (&is_sent, false);
	__real_monocle__sampler_signal_send ((pid_t) syscall (SYS_gettid), monocle__sampler_signal_mark ());
	let_signal_come ();
}

static void
end_timer (void)
{
	siginfo_t info = { .si_signo = SIGURG, .si_code = SI_TIMER };
	info.si_value = monocle__sampler_signal_mark ();
	atomic_store (&is_timer_set, false);
	syscall (SYS_rt_tgsigqueueinfo, getpid (), syscall (SYS_gettid), SIGURG, &info);
	let_signal_come ();
}

/* --- the host ----------------------------------------------------------------------------------------------------- */

static void
host_is_there (void)
{
	setenv ("MONOCLE_SAMPLER", "paced", 0);
	atomic_store (&is_sent, false);
	atomic_store (&is_timer_set, false);
	atomic_store (&has_left, false);
	atomic_store (&is_attached, false);
	atomic_store (&can_end, false);
	CHECK (monocle_host_init (&host) == MONOCLE_OK);
	handle = mono_profiler_create (NULL);
	mono_profiler_set_sample_hit_callback (handle, on_hit);
	CHECK (mono_profiler_enable_sampling (handle));
	monocle_host_startup_done ();
}

static void
host_goes (void)
{
	atomic_store (&can_end, true);
	monocle_host_shutdown ();
	CHECK (monocle_host_leave () == MONOCLE_OK);
	monocle_thread_detach ((uintptr_t) pthread_self ());
}

static void
set_mode (void)
{
	CHECK (mono_profiler_set_sample_mode (handle, MONO_PROFILER_SAMPLE_MODE_PROCESS, 1));
}

static void
mode_is_wanted (void)
{
	host_is_there ();
	set_mode ();
}

/* --- threads that come -------------------------------------------------------------------------------------------- */

static void
attach (void)
{
	atomic_store (&thread_id, (pid_t) syscall (SYS_gettid));
	monocle_thread_attach ((uintptr_t) pthread_self ());
	atomic_store (&sampled, monocle__thread_sampled ());
}

/* A hit that was sent to it while nobody had attached it may meet it at any step of that. */
static void
a_hit_meets_a_thread_that_is_being_attached (void **state)
{
	orders_run (&(orders) {
	    .name = "hit_against_attach",
	    .prepare = mode_is_wanted,
	    .threads = { { "thread", attach },
	                 { "hit", .signal = SIGURG, .interrupts = "thread", .send = send_hit },
	                 { "sampler", .adopts = "sampler_serves" } },
	    .fresh = true,
	    .switches = 1,
	    .meets = "thread_attached sampler_thread_known sampler_thread_listed sampler_inside sampler_hit_due",
	});
}

/* What has ended is not sampled. */
static bool
may_end (void)
{
	return atomic_load (&can_end);
}

static void
attach_and_stay (void)
{
	attach ();
	orders_await (may_end);
	monocle_thread_detach ((uintptr_t) pthread_self ());
}

static void
timers_are_used (void)
{
	setenv ("MONOCLE_SAMPLER", "timer", 1);
	mode_is_wanted ();
}

static void
asks_for_more (void)
{
	CHECK (timer_runs ());
	CHECK (atomic_load (&atomic_load (&sampled)->engine) == &monocle__engine_timer);
}

/* An engine sends so much, and no more until the handler has asked for it. */
static void
a_hit_that_comes_while_its_engine_begins_asks_for_more (void **state)
{
	orders_run (&(orders) {
	    .name = "hit_against_engine",
	    .prepare = timers_are_used,
	    .check = asks_for_more,
	    .threads = { { "thread", attach_and_stay, .stays = true },
	                 { "hit", .signal = SIGURG, .interrupts = "thread", .send = end_timer, .may_come = timer_runs },
	                 { "sampler", .adopts = "sampler_serves" } },
	    .fresh = true,
	    .switches = 1,
	    .meets = "timer_set sampler_inside sampler_hit_due",
	});
}

static void
has_an_engine (void)
{
	CHECK (atomic_load (&atomic_load (&sampled)->engine) == &monocle__engine_paced);
}

static void
a_thread_that_attaches_while_a_mode_is_applied_is_sampled (void **state)
{
	orders_run (&(orders) {
	    .name = "attach_against_mode",
	    .prepare = host_is_there,
	    .check = has_an_engine,
	    .clean_up = host_goes,
	    .threads = { { "thread", attach_and_stay, .stays = true },
	                 { "sets", set_mode },
	                 { "sampler", .adopts = "sampler_looks" } },
	    .switches = 1,
	    .meets = "sampler_thread_listed sampler_armed",
	});
}

static void
take_in (void)
{
	pid_t os_id = atomic_load (&thread_id);
	if (os_id)
		monocle__sampler_take_in (os_id);
}

static void
is_sampled_once (void)
{
	unsigned count = 0;
	for (monocle__sampled *thread = monocle__sampler_first (); thread; thread = thread->next)
		count += atomic_load (&thread->os_id) == atomic_load (&thread_id) && atomic_load (&thread->engine);
	CHECK (count == 1);
	CHECK (!atomic_load (&sampled)->is_stranger);
}

static void
a_thread_that_attaches_while_it_is_taken_in_is_sampled_once (void **state)
{
	orders_run (&(orders) {
	    .name = "attach_against_take_in",
	    .prepare = mode_is_wanted,
	    .check = is_sampled_once,
	    .threads = { { "thread", attach_and_stay, .stays = true },
	                 { "takes", take_in },
	                 { "sampler", .adopts = "sampler_serves" } },
	    .fresh = true,
	    .switches = 1,
	    .meets = "sampler_thread_listed sampler_stranger_known",
	});
}

/* --- a look at all threads ---------------------------------------------------------------------------------------- */

static void
on_look (void *data, const mono_byte *ip, const void *context)
{
	CHECK (!atomic_load (&has_left));
	MONOCLE__PAUSE (in_a_look);
	CHECK (!atomic_load (&has_left));
	atomic_fetch_add (&hits, 1);
}

static void
on_asleep (void *data, uintptr_t tid, uint64_t os_id, const MonocleAsleep *asleep)
{
	CHECK (!atomic_load (&has_left));
}

static mono_bool
is_never_over (void)
{
	return 0;
}

static void
look_once (void)
{
	const MonocleLook look = { .size = sizeof look, .hit = on_look, .asleep = on_asleep };
	int missing = monocle__sampler_look (&look, 0, is_never_over);
	CHECK (missing >= 0 && missing <= 1);
	atomic_store (&has_left, true);
	MONOCLE__PAUSE (look_is_over);
}

/* The core looks at sleepers by a weak function, which comes along with this one. */
static void
nothing_is_sampled (void)
{
	host_is_there ();
	mono_stack_walk_async_safe (NULL, NULL, NULL);
	CHECK (monocle__sampler_signal_install ());
}

static void
send_look (void)
{
	atomic_store (&is_sent, false);
	__real_monocle__sampler_signal_send ((pid_t) syscall (SYS_gettid), monocle__sampler_look_mark ());
	let_signal_come ();
}

/* Its signal may come when the time of the look is over, and what it was to see is gone. */
static void
a_thread_that_comes_late_is_not_looked_at (void **state)
{
	orders_run (&(orders) {
	    .name = "hit_against_end_of_look",
	    .prepare = nothing_is_sampled,
	    .threads = { { "thread", attach_and_stay, .stays = true },
	                 { "hit", .signal = SIGURG, .interrupts = "thread", .send = send_look, .may_come = has_been_sent },
	                 { "looks", look_once },
	                 { "sampler", .adopts = "sampler_looks" } },
	    .fresh = true,
	    .switches = 2,
	    .meets = "sampler_look_hit sampler_look_inside sampler_look_ends in_a_look look_is_over",
	});
}

/* --- modes -------------------------------------------------------------------------------------------------------- */

static void
attach_and_host (void)
{
	host_is_there ();
	attach ();
}

static void
read_state (void)
{
	MonocleSampling state = { .size = sizeof state };
	CHECK (monocle_sampling_state (&state));
	CHECK (state.mode == MONO_PROFILER_SAMPLE_MODE_NONE || (state.threads == 1 && !strcmp (state.engine, "paced")));
}

/* A snapshot is complete when as many stacks came as there are threads. */
static void
a_mode_is_told_when_threads_have_their_engines (void **state)
{
	orders_run (&(orders) {
	    .name = "mode_against_state",
	    .prepare = attach_and_host,
	    .clean_up = host_goes,
	    .threads = { { "sets", set_mode }, { "reads", read_state }, { "sampler", .adopts = "sampler_looks" } },
	    .switches = 2,
	    .meets = "sampler_armed sampler_mode_told sampler_applied",
	});
}

static void
end_and_look (void)
{
	MonocleSampling state = { .size = sizeof state };
	set_mode ();
	monocle__sampler_end ();
	for (int i = 0; i < 2; i++) {
		CHECK (monocle_sampling_state (&state));
		CHECK (state.mode == MONO_PROFILER_SAMPLE_MODE_NONE && state.threads == 0);
		MONOCLE__PAUSE (end_is_back);
	}
}

static void
no_thread_has_an_engine_when_the_end_is_back (void **state)
{
	orders_run (&(orders) {
	    .name = "end_against_mode",
	    .prepare = attach_and_host,
	    .clean_up = host_goes,
	    .threads = { { "ends", end_and_look }, { "sampler", .adopts = "sampler_looks" } },
	    .meets = "sampler_mode_set sampler_armed sampler_mode_told sampler_applied end_is_back",
	});
}

static atomic_bool is_told;

void __wrap_monocle_log (const char *format, ...);

void
__wrap_monocle_log (const char *format, ...)
{
	if (strstr (format, "handles signal"))
		atomic_store (&is_told, true);
}

static void
take_signal_over_and_end (void)
{
	MonocleSampling state = { .size = sizeof state };
	CHECK (monocle_sampling_state (&state));
	sigaction (SIGURG, &(struct sigaction) { .sa_handler = SIG_IGN }, NULL);
	monocle__sampler_end ();
	CHECK (atomic_load (&is_told) || state.mode == MONO_PROFILER_SAMPLE_MODE_NONE);
}

static void
mode_is_wanted_by_attached (void)
{
	atomic_store (&is_told, false);
	attach_and_host ();
	set_mode ();
}

/* A program that ends after that has no other chance to hear of it. */
static void
what_is_to_be_said_was_said_when_the_end_is_back (void **state)
{
	orders_run (&(orders) {
	    .name = "end_against_news",
	    .prepare = mode_is_wanted_by_attached,
	    .threads = { { "ends", take_signal_over_and_end }, { "sampler", .adopts = "sampler_looks" } },
	    .fresh = true,
	    .switches = 2,
	    .meets = "sampler_serves sampler_news_due sampler_mode_set",
	});
}

/* --- the pacer ---------------------------------------------------------------------------------------------------- */

static bool
may_hit (void)
{
	return atomic_load (&is_attached);
}

static void
stay_attached (void)
{
	orders_pass (attach);
	atomic_store (&is_attached, true);
	orders_await (may_end);
	monocle_thread_detach ((uintptr_t) pthread_self ());
}

/* The thread is slow to take its signals at most; it blocks none by itself. */
static void
pace (void)
{
	orders_await (may_hit);
	for (int i = 0; i < 3; i++) {
		monocle__sampler_paced_all ();
		CHECK (!atomic_load (&atomic_load (&sampled)->is_closed));
		MONOCLE__PAUSE (tick_over);
	}
}

static void
a_thread_that_is_inside_the_handler_blocks_no_signal (void **state)
{
	orders_run (&(orders) {
	    .name = "pacer_against_hit",
	    .prepare = mode_is_wanted,
	    .clean_up = host_goes,
	    .threads = { { "thread", stay_attached, .stays = true },
	                 { "hit", .signal = SIGURG, .interrupts = "thread", .send = send_hit, .may_come = has_been_sent },
	                 { "paces", pace },
	                 { "sampler", .adopts = "sampler_serves" } },
	    .switches = 2,
	    .meets = "sampler_inside in_a_callback sampler_hit_over tick_over",
	});
}

/* --- leaving ------------------------------------------------------------------------------------------------------ */

static void
leave (void)
{
	orders_await (may_hit);
	CHECK (monocle__sampler_leave ());
	atomic_store (&has_left, true);
	MONOCLE__PAUSE (module_gone);
	atomic_store (&can_end, true);
}

/* Once it has left its module may be unmapped. */
static void
no_thread_is_in_a_callback_when_the_sampler_has_left (void **state)
{
	orders_run (&(orders) {
	    .name = "leave_against_hit",
	    .prepare = mode_is_wanted,
	    .clean_up = host_goes,
	    .threads = { { "thread", stay_attached },
	                 { "hit", .signal = SIGURG, .interrupts = "thread", .send = send_hit, .may_come = may_hit },
	                 { "leaves", leave },
	                 { "sampler", .adopts = "sampler_serves" } },
	    .switches = 1,
	    .meets = "sampler_inside sampler_hit_due in_a_callback sampler_hit_over sleep sampler_left module_gone",
	});
}

int
main (void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test (a_thread_that_comes_late_is_not_looked_at),
		cmocka_unit_test (a_hit_meets_a_thread_that_is_being_attached),
		cmocka_unit_test (a_hit_that_comes_while_its_engine_begins_asks_for_more),
		cmocka_unit_test (a_thread_that_attaches_while_a_mode_is_applied_is_sampled),
		cmocka_unit_test (a_thread_that_attaches_while_it_is_taken_in_is_sampled_once),
		cmocka_unit_test (a_mode_is_told_when_threads_have_their_engines),
		cmocka_unit_test (no_thread_has_an_engine_when_the_end_is_back),
		cmocka_unit_test (what_is_to_be_said_was_said_when_the_end_is_back),
		cmocka_unit_test (a_thread_that_is_inside_the_handler_blocks_no_signal),
		cmocka_unit_test (no_thread_is_in_a_callback_when_the_sampler_has_left),
	};
	return cmocka_run_group_tests (tests, NULL, NULL);
}
