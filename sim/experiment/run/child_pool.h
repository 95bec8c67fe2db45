/* SPDX-License-Identifier: GPL-3.0-or-later */
/* A pool of forked children: starts and watches them, and leaves none behind. While a pool is open,
 * SIGINT, SIGTERM and SIGHUP do not end the process; egc_child_pool_wait reports them.
 *
 * A child is a process group of its own, is killed when its parent dies, and has no input. Its
 * output is not shown; of it the reason of a crash is kept. */
#ifndef EGC_EXPERIMENT_RUN_CHILD_POOL_H
#define EGC_EXPERIMENT_RUN_CHILD_POOL_H

#include <signal.h>
#include <stdbool.h>
#include <stddef.h>
#include <sys/types.h>

#include "base/error.h"
#include "experiment/run/crash_reason.h"

typedef struct egc_child {
    pid_t pid; /* 0: the seat is free */
    size_t tag;
    int output; /* read end of the pipe from its stdout and stderr */
    double started_s;
    bool stopped; /* killed because it took longer than the limit */
    egc_crash_reason reason;
} egc_child;

typedef struct egc_child_pool {
    egc_child *seats;
    struct pollfd *watched; /* n_seats + 1 descriptors: outputs and signals */
    size_t n_seats;
    size_t n_running;
    double limit_s; /* a child that takes longer is killed; 0: no limit */
    int signals;    /* signalfd */
    sigset_t mask_before;
    struct sigaction on_child_before;
} egc_child_pool;

/* The end of a child. */
typedef struct egc_child_end {
    size_t tag;
    int wait_status; /* from waitpid */
    bool stopped;    /* by the pool's limit */
    double wall_s;
    egc_crash_reason reason;
} egc_child_end;

typedef enum egc_child_pool_event {
    EGC_CHILD_POOL_ENDED,  /* a child ended: *end is set */
    EGC_CHILD_POOL_TICK,   /* nothing happened for a second */
    EGC_CHILD_POOL_SIGNAL, /* *signal is set */
} egc_child_pool_event;

/* Opens a pool for n_seats children at a time. A zeroed pool is closed. IO, MEMORY. */
egc_status egc_child_pool_open(egc_child_pool *pool, size_t n_seats, double limit_s,
                               egc_error *err) EGC_MUST_CHECK;

/* Kills the children that run. Accepts a closed pool. */
void egc_child_pool_close(egc_child_pool *pool);

/* Runs job(arg) in a child, whose exit status is the value of job. A seat must be free. IO. */
egc_status egc_child_pool_start(egc_child_pool *pool, size_t tag, int (*job)(void *arg), void *arg,
                                egc_error *err) EGC_MUST_CHECK;

/* Waits for the next event. IO. */
egc_status egc_child_pool_wait(egc_child_pool *pool, egc_child_pool_event *out, egc_child_end *end,
                               int *signal, egc_error *err) EGC_MUST_CHECK;

#endif
