/*
 * SPDX-License-Identifier: MIT
 *
 * test_control.c - the control socket of a process: where it is, who is served, and what the process sees of it.
 */
#include <dirent.h>
#include <fcntl.h>
#include <limits.h>
#include <poll.h>
#include <pthread.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include <cmocka.h>

#include "control/control.h"

static char folder[] = "/tmp/test-control-XXXXXX";
static atomic_int loads;
static atomic_bool is_now_loaded;

static const char *
load (const monocle__attach_block *settings)
{
	loads++;
	return strcmp (settings->texts[0], "MONOCLE_PROFILE=good:a b") || settings->milliseconds ? "it is bad" : NULL;
}

static bool
is_loaded (void)
{
	return is_now_loaded;
}

static void *
hold_for_a_moment (void *data)
{
	monocle__control_hold (true);
	monocle__control_hold (false);
	return data;
}

/* As a host does it: modules end on a thread of its own. */
static const char *
unload (void)
{
	pthread_t thread;
	if (pthread_create (&thread, NULL, hold_for_a_moment, NULL) || pthread_join (thread, NULL))
		return "no thread";
	return loads ? NULL : "nothing is loaded";
}

static const monocle__control_host host = {
	.runtime = "1.2 (Test)", .load = load, .is_loaded = is_loaded, .unload = unload
};

/* The socket's path when there is one; static text. */
static const char *
find_socket (void)
{
	static char path[PATH_MAX];
	DIR *directory = opendir (folder);
	struct dirent *entry;
	*path = '\0';
	while ((entry = readdir (directory)))
		if (!strncmp (entry->d_name, "monocle-ctl-", 12))
			snprintf (path, sizeof path, "%s/%s/socket", folder, entry->d_name);
	closedir (directory);
	return *path && access (path, F_OK) == 0 ? path : NULL;
}

static int
connect_to (const char *path)
{
	struct sockaddr_un address = { .sun_family = AF_UNIX };
	int fd = socket (AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
	snprintf (address.sun_path, sizeof address.sun_path, "%s", path);
	if (connect (fd, (struct sockaddr *) &address, sizeof address) == 0)
		return fd;
	close (fd);
	return -1;
}

static void
wait_a_little (void)
{
	nanosleep (&(struct timespec) { .tv_nsec = 1000000 }, NULL);
}

/* Made by the thread: a moment after begin. */
static char *
await_socket (void)
{
	for (int i = 0; i < 20000; i++, wait_a_little ()) {
		const char *path = find_socket ();
		int fd = path ? connect_to (path) : -1;
		if (fd >= 0) {
			close (fd);
			return strdup (path);
		}
	}
	return NULL;
}

static char *
ask (const char *path, const char *request)
{
	char *answer = calloc (1, 4096);
	size_t length = 0;
	ssize_t got;
	int fd = connect_to (path);
	assert_true (fd >= 0);
	assert_int_equal (send (fd, request, strlen (request), MSG_NOSIGNAL), strlen (request));
	while (!strstr (answer, "ok\n") && !strstr (answer, "error ") &&
	       (got = recv (fd, answer + length, 4095 - length, 0)) > 0)
		length += (size_t) got;
	close (fd);
	return answer;
}

static unsigned
count_descriptors (void)
{
	unsigned count = 0;
	DIR *directory = opendir ("/proc/self/fd");
	while (readdir (directory))
		count++;
	closedir (directory);
	return count;
}

/* --- tests -------------------------------------------------------------------------------------------------------- */

static void
only_this_user_can_enter_and_no_descriptor_is_seen (void **state)
{
	unsigned before = count_descriptors ();
	struct stat status;
	monocle__control_begin (&host);
	char *path = await_socket ();
	assert_non_null (path);
	assert_int_equal (count_descriptors (), before);
	*strrchr (path, '/') = '\0';
	assert_int_equal (lstat (path, &status), 0);
	assert_int_equal (status.st_mode & 07777, 0700);
	assert_int_equal (strlen (strrchr (path, '/') + 1), 12 + 16);
	free (path);
}

static void
it_says_what_the_process_is_and_refuses_in_words (void **state)
{
	static const struct {
		const char *request, *answer;
	} rows[] = {
		{ "monocle 1 stop\n", "error no module in the process can do that\n" },
		{ "monocle 1 stop it\n", "error there is no such module in the process\n" },
		{ "monocle 1 status it\n", NULL },
		{ "monocle 4 stop\n", "error versions 1, 2 and 3 are spoken here\n" },
		{ "GET / HTTP/1.1\n", "error a request begins with \"monocle 1\"\n" },
		{ "monocle 2 load 0 MONOCLE_PROFILE=good:a\\ b\n", "ok\n" },
		{ "monocle 2 load 0 MONOCLE_PROFILE=bad\n", "error it is bad\n" },
		{ "monocle 2 load bad\n", "error load begins with a number of milliseconds, or 0\n" },
		{ "monocle 2 unload\n", "ok\n" },
		{ "monocle 1 unload\n", NULL },
	};
	char *path = await_socket (), wanted[128];
	for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
		char *answer = ask (path, rows[i].request);
		if (rows[i].answer)
			assert_string_equal (answer, rows[i].answer);
		else
			assert_non_null (strstr (answer, "error "));
		free (answer);
	}
	assert_int_equal (loads, 2);
	char *answer = ask (path, "monocle 1 status\n");
	snprintf (wanted, sizeof wanted, "process %d\nruntime 1.2 (Test)\nstandby idle\nok\n", (int) getpid ());
	assert_string_equal (answer, wanted);
	free (answer);
	is_now_loaded = true;
	answer = ask (path, "monocle 2 status\n");
	assert_non_null (strstr (answer, "standby loaded\n"));
	is_now_loaded = false;
	free (answer);
	free (path);
}

static void
a_line_may_come_byte_by_byte_and_several_on_one_connection (void **state)
{
	static const char request[] = "monocle 2 load 0 MONOCLE_PROFILE=good:a\\ b\n";
	char *path = await_socket (), answer[64];
	int fd = connect_to (path);
	for (int round = 0; round < 3; round++) {
		for (const char *at = request; *at; at++, wait_a_little ())
			assert_int_equal (send (fd, at, 1, MSG_NOSIGNAL), 1);
		ssize_t got = recv (fd, answer, sizeof answer, 0);
		assert_int_equal (got, 3);
		assert_memory_equal (answer, "ok\n", 3);
	}
	close (fd);
	free (path);
}

static void *
ask_often (void *data)
{
	for (int i = 0; i < 10; i++) {
		char *answer = ask (data, "monocle 2 load 0 MONOCLE_PROFILE=good:a\\ b\n");
		if (strcmp (answer, "ok\n"))
			return answer;
		free (answer);
	}
	return NULL;
}

static void
eight_clients_at_once_are_all_answered (void **state)
{
	pthread_t threads[8];
	char *path = await_socket ();
	void *wrong;
	loads = 0;
	for (int i = 0; i < 8; i++)
		assert_int_equal (pthread_create (&threads[i], NULL, ask_often, path), 0);
	for (int i = 0; i < 8; i++) {
		pthread_join (threads[i], &wrong);
		assert_null (wrong);
	}
	assert_int_equal (loads, 80);
	free (path);
}

static void
who_says_nothing_makes_room_for_who_does (void **state)
{
	char *path = await_socket ();
	int silent[32];
	for (int i = 0; i < 32; i++)
		silent[i] = connect_to (path);
	char *answer = ask (path, "monocle 2 load 0 MONOCLE_PROFILE=good:a\\ b\n");
	assert_string_equal (answer, "ok\n");
	for (int i = 0; i < 32; i++)
		close (silent[i]);
	free (answer);
	free (path);
}

static void
what_is_asked_while_modules_end_waits (void **state)
{
	static const char request[] = "monocle 1 status\n";
	char *path = await_socket (), byte;
	int fd = connect_to (path);
	monocle__control_hold (true);
	monocle__control_hold (true); /* once more is no more */
	assert_int_equal (send (fd, request, strlen (request), MSG_NOSIGNAL), strlen (request));
	assert_int_equal (poll (&(struct pollfd) { .fd = fd, .events = POLLIN }, 1, 100), 0);
	monocle__control_hold (false);
	assert_int_equal (recv (fd, &byte, 1, 0), 1);
	assert_int_equal (byte, 'p');
	close (fd);
	char *answer = ask (path, "monocle 2 unload\n"); /* which waits for a thread that holds */
	assert_string_equal (answer, "ok\n");
	free (answer);
	free (path);
}

static void
a_forked_child_neither_listens_nor_removes (void **state)
{
	int status;
	char *path = await_socket ();
	pid_t child = fork ();
	if (child == 0) {
		monocle__control_end ();
		_exit (find_socket () ? 0 : 1);
	}
	assert_int_equal (waitpid (child, &status, 0), child);
	assert_int_equal (status, 0);
	free (path);
}

static char *
ask_good (void)
{
	char *at = await_socket (), *answer = ask (at, "monocle 2 load 0 MONOCLE_PROFILE=good:a\\ b\n");
	assert_string_equal (answer, "ok\n");
	free (at);
	return answer;
}

static unsigned threads_before; /* a sanitizer may have one of its own */

static unsigned
count_threads (void)
{
	unsigned count = 0;
	DIR *directory = opendir ("/proc/self/task");
	struct dirent *entry;
	while ((entry = readdir (directory)))
		count += *entry->d_name != '.';
	closedir (directory);
	return count;
}

static void
await_threads (void)
{
	for (int i = 0; i < 20000 && count_threads () > threads_before; i++)
		wait_a_little ();
	assert_int_equal (count_threads (), threads_before);
}

static atomic_bool is_ending;
static atomic_uint polls, accepts, polls_at_accept; /* of the socket's thread */

int __real_ppoll (struct pollfd *polled, nfds_t count, const struct timespec *timeout, const sigset_t *mask);
int __wrap_ppoll (struct pollfd *polled, nfds_t count, const struct timespec *timeout, const sigset_t *mask);

int
__wrap_ppoll (struct pollfd *polled, nfds_t count, const struct timespec *timeout, const sigset_t *mask)
{
	polls++;
	return __real_ppoll (polled, count, timeout, mask);
}

int __real_accept4 (int fd, struct sockaddr *address, socklen_t *size, int flags);
int __wrap_accept4 (int fd, struct sockaddr *address, socklen_t *size, int flags);

int
__wrap_accept4 (int fd, struct sockaddr *address, socklen_t *size, int flags)
{
	int accepted = __real_accept4 (fd, address, size, flags);
	polls_at_accept = polls;
	accepts++;
	return accepted;
}

int __real_connect (int fd, const struct sockaddr *address, socklen_t size);
int __wrap_connect (int fd, const struct sockaddr *address, socklen_t size);

/* The end knocks at the door. It goes on when the thread has let it in and waits again, or is no more. */
int
__wrap_connect (int fd, const struct sockaddr *address, socklen_t size)
{
	unsigned before = accepts;
	int result = __real_connect (fd, address, size);
	while (is_ending && count_threads () > threads_before && (accepts == before || polls == polls_at_accept))
		wait_a_little ();
	return result;
}

static void
a_thread_that_is_quicker_than_the_end_ends_too (void **state)
{
	char *path = await_socket ();
	free (ask (path, "monocle 1 status\n")); /* all who came before have been let in */
	is_ending = true;
	monocle__control_end ();
	is_ending = false;
	await_threads ();
	monocle__control_begin (&host);
	free (path);
}

static void
at_the_end_nothing_is_left_and_it_can_begin_again (void **state)
{
	char *path = await_socket ();
	monocle__control_end ();
	assert_null (find_socket ());
	assert_int_not_equal (access (path, F_OK), 0);
	monocle__control_begin (&host);
	char *other = await_socket ();
	assert_non_null (other);
	assert_string_not_equal (path, other);
	monocle__control_end ();
	assert_null (find_socket ());
	for (int i = 0; i < 50; i++) { /* With or without time for the threads to do anything. */
		monocle__control_begin (&host);
		if (i % 5 == 0)
			free (ask_good ());
		monocle__control_end ();
	}
	assert_int_equal (rmdir (folder), 0);
	await_threads ();
	free (path);
	free (other);
}

/* With the first thread a sanitizer may start one of its own. */
static void *
end_at_once (void *data)
{
	return data;
}

/* The thread of the socket has descriptors of its own: the same number is another one, which TSan cannot know. */
__attribute__ ((visibility ("default"))) const char *__tsan_default_suppressions (void);

const char *
__tsan_default_suppressions (void)
{
	return "race:closedir\nrace:socket\nrace:accept4\nrace:connect_to\nrace:find_socket\n";
}

int
main (void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test (only_this_user_can_enter_and_no_descriptor_is_seen),
		cmocka_unit_test (it_says_what_the_process_is_and_refuses_in_words),
		cmocka_unit_test (a_line_may_come_byte_by_byte_and_several_on_one_connection),
		cmocka_unit_test (eight_clients_at_once_are_all_answered),
		cmocka_unit_test (who_says_nothing_makes_room_for_who_does),
		cmocka_unit_test (what_is_asked_while_modules_end_waits),
		cmocka_unit_test (a_forked_child_neither_listens_nor_removes),
		cmocka_unit_test (a_thread_that_is_quicker_than_the_end_ends_too),
		cmocka_unit_test (at_the_end_nothing_is_left_and_it_can_begin_again),
	};
	pthread_t first;
	if (!mkdtemp (folder))
		return 1;
	setenv ("XDG_RUNTIME_DIR", folder, 1);
	unsetenv ("MONOCLE_CONTROL");
	unsetenv ("MONOCLE_START");
	unsetenv ("MONOCLE_DURATION");
	if (pthread_create (&first, NULL, end_at_once, NULL) || pthread_join (first, NULL))
		return 1;
	threads_before = count_threads ();
	return cmocka_run_group_tests (tests, NULL, NULL);
}
