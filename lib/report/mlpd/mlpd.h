/*
 * SPDX-License-Identifier: MIT
 *
 * mlpd.h - what the files of Mono's log profiler begin with. Reader and writer share it.
 *
 *   header, then buffers until the end. Numbers of fixed size have their lowest byte first.
 *   header: magic, profiler version (2 bytes), format, pointer size, start (ms since 1970), from profiler 3.0 on start
 *           (ns, the events' clock), overhead of the timer, flags, process, port (2 bytes), arguments, CPU, system
 *   buffer: magic, bytes that follow, then what its numbers count from: time, pointers, objects, its thread, methods
 */
#ifndef MONOCLE_REPORT_MLPD_H
#define MONOCLE_REPORT_MLPD_H

enum {
	MONOCLE__MLPD_MAGIC = 0x4d505a01,
	MONOCLE__MLPD_BUFFER_MAGIC = 0x4d504c01,
	MONOCLE__MLPD_BUFFER_SIZE = 48, /* of a buffer's header */
	MONOCLE__MLPD_FIRST = 14,       /* formats that are read */
	MONOCLE__MLPD_LAST = 17,        /* the one that is written, too */
};

#endif
