/*
 * SPDX-License-Identifier: MIT
 *
 * fcntl.c - fcntl64 (), which glibc has since 2.28. On 64-bit CPUs it is fcntl ().
 */
#undef _FILE_OFFSET_BITS
#include <fcntl.h>
#include <stdarg.h>

/* Whatever the command takes, a number or an address, fits into a pointer and is passed on as one. */
int
fcntl64 (int descriptor, int command, ...)
{
	va_list arguments;
	va_start (arguments, command);
	void *argument = va_arg (arguments, void *);
	va_end (arguments);
	return fcntl (descriptor, command, argument);
}
