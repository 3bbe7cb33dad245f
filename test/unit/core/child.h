/*
 * SPDX-License-Identifier: MIT
 *
 * child.h - the core lives once per process and never goes back, so each test has a process of its own.
 */
#ifndef MONOCLE_TEST_CHILD_H
#define MONOCLE_TEST_CHILD_H

#include <stdio.h>
#include <string.h>
#include <unistd.h>

/* cmocka's assertions jump back into the parent's test; in a child this one ends the process, and fails the test. */
#define CHECK(condition) \
	do { \
		if (!(condition)) { \
			fprintf (stderr, "%s:%d: %s\n", __FILE__, __LINE__, #condition); \
			_exit (99); \
		} \
	} while (0)

#define CHECK_STRING(is, should) \
	do { \
		const char *is_ = (is), *should_ = (should); \
		if (strcmp (is_, should_)) { \
			fprintf (stderr, "%s:%d: \"%s\" should be \"%s\"\n", __FILE__, __LINE__, is_, should_); \
			_exit (99); \
		} \
	} while (0)

/* Runs `body` in a child. Returns its wait status; `ret_output` gets what it wrote to stdout and stderr. */
int child_run (void (*body) (void), char *ret_output, size_t size);

/* Runs `body` in a child and fails the calling cmocka test unless the child ends well. */
void child_passes (void (*body) (void));

/* The same, and its output must be exactly `output`. */
void child_prints (void (*body) (void), const char *output);

/*
 * CHILD_TEST (sentence) { … } is a cmocka test whose body runs in a child; CHILD_PRINTS (sentence, output) { … } one
 * whose child must write exactly that.
 */
#define CHILD_TEST_BY(sentence, run) \
	static void sentence##_body (void); \
	static void sentence (void **state) \
	{ \
		(void) state; \
		run; \
	} \
	static void sentence##_body (void)

#define CHILD_TEST(sentence)           CHILD_TEST_BY (sentence, child_passes (sentence##_body))
#define CHILD_PRINTS(sentence, output) CHILD_TEST_BY (sentence, child_prints (sentence##_body, output))

#endif
