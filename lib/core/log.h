/*
 * SPDX-License-Identifier: MIT
 *
 * log.h - what the core's own files need of the log, besides monocle_log ().
 */
#ifndef MONOCLE_CORE_LOG_H
#define MONOCLE_CORE_LOG_H

#include <stdatomic.h>
#include <stdbool.h>
#include <monocle/host.h>

/* Reads MONOCLE_LOG, the first time. The first message does so too. */
void monocle__log_init (void);

/* MONOCLE_LOG may say something else from now on. */
void monocle__log_reset (void);

/*
 * Logs why something that the user asked for is not there; with MONOCLE_STRICT=1 it is the program's last line. Normal
 * context.
 */
void monocle__log_failure (const char *format, ...) MONOCLE_PRINTF;

/* Logs the first time that this line of code is reached, in whichever thread. As async-safe as monocle_log (). */
#define MONOCLE__LOG_ONCE(...) \
	do { \
		static atomic_bool said_; \
		if (!atomic_exchange_explicit (&said_, true, memory_order_relaxed)) \
			monocle_log (__VA_ARGS__); \
	} while (0)

#endif
