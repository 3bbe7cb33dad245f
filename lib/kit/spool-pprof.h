/*
 * SPDX-License-Identifier: MIT
 *
 * spool-pprof.h - a spool as a pprof profile.
 */
#ifndef MONOCLE_KIT_SPOOL_PPROF_H
#define MONOCLE_KIT_SPOOL_PPROF_H

#include "call-paths.h"

/*
 * The gzip-compressed profile; *ret_data is the caller's to free. The same spool gives the same bytes.
 * 0 or -ENOMEM.
 */
int monocle__spool_pprof_write (const struct monocle__spool_view *view, void **ret_data, size_t *ret_length);

#endif
