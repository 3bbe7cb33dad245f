/*
 * SPDX-License-Identifier: MIT
 *
 * glob.c - glob () of glibc 2.23. The newer one differs in one thing: it finds links that lead nowhere, too.
 */
#undef _FILE_OFFSET_BITS
#include <glob.h>

typedef int told_error (const char *path, int number);

extern int old_glob (const char *pattern, int flags, told_error *error, void *ret_paths)
    __attribute__ ((visibility ("default")));
__asm__(".symver old_glob, glob64@GLIBC_2.2.5");

int
glob64 (const char *pattern, int flags, told_error *error, glob64_t *ret_paths)
{
	return old_glob (pattern, flags, error, ret_paths);
}
