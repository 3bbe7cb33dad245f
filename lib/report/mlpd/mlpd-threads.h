/*
 * SPDX-License-Identifier: MIT
 *
 * mlpd-threads.h - the threads of an mlpd file: what each of them has open while the file is read.
 */
#ifndef MONOCLE_REPORT_MLPD_THREADS_H
#define MONOCLE_REPORT_MLPD_THREADS_H

#include "mlpd-decode.h"
#include "mlpd-map.h"
#include "mlpd-paths.h"
#include "topics.h"

/* An open call. */
typedef struct {
	uint64_t method;
	uint64_t begin;                       /* its time */
	uint64_t inside;                      /* nanoseconds in calls that it made, and that ended */
	uint32_t paths[MONOCLE__TOPIC_COUNT]; /* of the stack up to here, by topic; 0: not asked for yet */
} monocle__mlpd_call;

typedef struct {
	uint64_t id;
	const char *name; /* in the file's bytes; NULL: none was told */
	uint64_t last;    /* time of its last event */
	monocle__mlpd_call *calls;
	size_t depth, capacity;
	uint32_t roots[MONOCLE__TOPIC_COUNT]; /* 0: not asked for yet */
	uint32_t contention;                  /* the path that waits for a lock; 0: none */
	uint64_t contention_begin;
	uint32_t collection[3]; /* by generation: the path of the one that runs; 0: none */
	uint64_t collection_begin[3];
	uint32_t shot; /* the path of the heap shot that is being told; 0: none */
} monocle__mlpd_thread;

/* Begins as zeros with the paths. */
typedef struct {
	monocle__mlpd_paths *paths;
	monocle__mlpd_map by_id; /* to an index of `items`, from 1 */
	monocle__mlpd_thread *items;
	size_t count, capacity;
	uint64_t unmatched; /* ends of calls that are not the innermost one */
} monocle__mlpd_threads;

void monocle__mlpd_threads_done (monocle__mlpd_threads *threads);

/* The thread, new if need be; good until the next one is asked for. NULL: out of memory. */
monocle__mlpd_thread *monocle__mlpd_threads_get (monocle__mlpd_threads *threads, uint64_t id);

/* The path of no frames, or of the calls that are open. 0: out of memory. */
uint32_t monocle__mlpd_threads_root (monocle__mlpd_threads *threads, monocle__mlpd_thread *thread,
                                     monocle__topic topic);
uint32_t monocle__mlpd_threads_stack (monocle__mlpd_threads *threads, monocle__mlpd_thread *thread,
                                      monocle__topic topic);

/* A call begins, or ends. An end of another call than the innermost one is counted, and ends nothing. */
bool monocle__mlpd_threads_enter (monocle__mlpd_threads *threads, monocle__mlpd_thread *thread, uint64_t method,
                                  uint64_t time);
void monocle__mlpd_threads_leave (monocle__mlpd_threads *threads, monocle__mlpd_thread *thread, uint64_t method,
                                  uint64_t time);
/* What is open ends with its thread's last event. */
void monocle__mlpd_threads_end (monocle__mlpd_threads *threads);

#endif
