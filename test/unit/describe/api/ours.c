/*
 * SPDX-License-Identifier: MIT
 *
 * ours.c - asks the core, over a host that opens files, what answers.c asks Mono.
 *
 * usage: ours CORLIB PROGRAM ANSWERS
 */
#define OURS 1
#include "answers.c"
#include "file-host.h"

int
main (int argc, char **argv)
{
	if (argc != 4)
		return 2;
	file_host_start ();
	MonoImage *corlib = file_host_open (argv[1]), *program = file_host_open (argv[2]);
	out = fopen (argv[3], "w");
	if (!corlib || !program || !out)
		return 2;
	print_everything (program);
	return fclose (out) != 0;
}
