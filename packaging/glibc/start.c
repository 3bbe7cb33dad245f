/*
 * SPDX-License-Identifier: MIT
 *
 * start.c - how a program begins on glibc 2.23.
 *
 * Since 2.34 the C library runs a program's constructors; before that the program brought a function that does, in the
 * part of it that every program is linked with. That part is of this machine's glibc and brings none any more. Newer
 * glibcs call the function when there is one, and then run nothing by themselves.
 */
#include <stddef.h>

typedef int main_function (int, char **, char **);
typedef void initialiser (int, char **, char **);

int __libc_start_main (main_function *program, int count, char **words, initialiser *begin, void (*end) (void),
                       void (*linker_end) (void), void *stack_end);

extern int start_main (main_function *program, int count, char **words, initialiser *begin, void (*end) (void),
                       void (*linker_end) (void), void *stack_end) __attribute__ ((visibility ("default")));
__asm__(".symver start_main, __libc_start_main@GLIBC_2.2.5");

extern void _init (void);
extern initialiser *__init_array_start[], *__init_array_end[];

static void
run_constructors (int count, char **words, char **environment)
{
	_init ();
	for (initialiser **one = __init_array_start; one < __init_array_end; one++)
		(*one) (count, words, environment);
}

int
__libc_start_main (main_function *program, int count, char **words, initialiser *begin, void (*end) (void),
                   void (*linker_end) (void), void *stack_end)
{
	return start_main (program, count, words, run_constructors, NULL, linker_end, stack_end);
}
