/*
 * SPDX-License-Identifier: MIT
 *
 * file_members.c - prints what the core says of the members and relations in files: the questions of members.c.
 *
 *   file-members CORLIB PROGRAM OUT
 */
#define MEMBERS_NO_MODULE
#include "members.c"
#include "file-host.h"

int
main (int argc, char **argv)
{
	MonoImage *corlib, *program;
	if (argc != 4)
		return 2;
	file_host_start ();
	corlib = file_host_open (argv[1]);
	program = file_host_open (argv[2]);
	out = fopen (argv[3], "w");
	if (!corlib || !program || !out)
		return 1;
	begin ("corlib", argv[1]);
	end ();
	print_program (program);
	print_definitions (corlib);
	return fclose (out) != 0;
}
