/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Forked children, some at a time: started, watched, and none left behind. While a pool is open
 * SIGINT, SIGTERM and SIGHUP end no process by themselves but are reported by egc_child_pool_wait.
 *
 * A child is a process group of its own, dies with its parent, reads nothing, and what it prints
 * is not shown: the line is kept that tells the reason of a crash. */
#ifndef EGC_EXPERIMENT_RUN_CHILD_POOL_H
#define EGC_EXPERIMENT_RUN_CHILD_POOL_H

#include <signal.h>
#include <stdbool.h>
#include <stddef.h>
#include <sys/types.h>

#include "base/error.h"
#include "experiment/run/crash_reason.h"

typedef struct egc_child {
    pid_t pid; /* 0: a free seat */
    size_t tag;
    int output; /* read end of its stdout and stderr */
    double started_s;
    bool stopped; /* for taking longer than the limit */
    egc_crash_reason words;
} egc_child;

typedef struct egc_child_pool {
    egc_child *seats;
    struct pollfd *watched; /* room for one descriptor a seat, and the signals' */
    size_t n_seats;
    size_t n_running;
    double limit_s; /* a child that takes longer is killed; 0: none is */
    int signals;    /* signalfd */
    sigset_t mask_before;
    struct sigaction on_child_before;
} egc_child_pool;

/* How a child ended. */
typedef struct egc_child_end {
    size_t tag;
    int wait_status; /* as of waitpid */
    bool stopped;    /* by the pool's limit */
    double wall_s;
    egc_crash_reason words;
} egc_child_end;

typedef enum egc_child_pool_event {
    EGC_CHILD_POOL_ENDED,  /* *end says which */
    EGC_CHILD_POOL_TICK,   /* nothing in the last second */
    EGC_CHILD_POOL_SIGNAL, /* *signal says which */
} egc_child_pool_event;

/* A zeroed pool is closed. IO, MEMORY. */
egc_status egc_child_pool_open(egc_child_pool *pool, size_t n_seats, double limit_s,
                               egc_error *err) EGC_MUST_CHECK;

/* Kills what still runs. Accepts a closed pool. */
void egc_child_pool_close(egc_child_pool *pool);

/* Runs job(arg) in a child whose exit status is what job returns. There must be a free seat. IO. */
egc_status egc_child_pool_start(egc_child_pool *pool, size_t tag, int (*job)(void *arg), void *arg,
                                egc_error *err) EGC_MUST_CHECK;

/* Waits for the next event. */
egc_status egc_child_pool_wait(egc_child_pool *pool, egc_child_pool_event *out, egc_child_end *end,
                               int *signal, egc_error *err) EGC_MUST_CHECK;

#endif
