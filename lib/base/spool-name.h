/*
 * SPDX-License-Identifier: MIT
 *
 * spool-name.h - how a spool is recognised: by its name in the folder of a run, and by its first bytes.
 */
#ifndef MONOCLE_BASE_SPOOL_NAME_H
#define MONOCLE_BASE_SPOOL_NAME_H

#include <stdint.h>

/*
 * A spool begins with this word, "MNCSPOOL"; no address has this value. One whose process was gone before it had begun
 * to count begins with 0.
 */
#define MONOCLE__SPOOL_MAGIC UINT64_C (0x4c4f4f5053434e4d)

/* Comments of the profile that a spool holds whose process is gone, or is there. */
#define MONOCLE__SPOOL_DIED "end: the process died; this was completed from its spool"
/* The comment of an image that lies beside the program but comes from a package: its file name is behind this. */
#define MONOCLE__SPOOL_PACKAGE "package: "
#define MONOCLE__SPOOL_RUNNING "end: the process is still running; this is what it had so far"

/* The frame between a caller and what found no room for a path of its own; nothing is counted of it. */
#define MONOCLE__SPOOL_OTHER "[other paths]"

/* The PID of MODULE.PID.N.spool; a module's name may have dots. 0: it is not such a name. */
long monocle__spool_name_pid (const char *name);

#endif
