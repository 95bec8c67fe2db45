/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Forked children, some at a time: started, watched, and none left behind. While a pool is open
 * SIGINT, SIGTERM and SIGHUP end no process by themselves but are reported by egc_children_wait.
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
    egc_last_words words;
} egc_child;

typedef struct egc_children {
    egc_child *seats;
    struct pollfd *watched; /* room for one descriptor a seat, and the signals' */
    size_t n_seats;
    size_t n_running;
    double limit_s; /* a child that takes longer is killed; 0: none is */
    int signals;    /* signalfd */
    sigset_t mask_before;
    struct sigaction on_child_before;
} egc_children;

/* How a child ended. */
typedef struct egc_child_end {
    size_t tag;
    int wait_status; /* as of waitpid */
    bool stopped;    /* by the pool's limit */
    double wall_s;
    egc_last_words words;
} egc_child_end;

typedef enum egc_children_event {
    EGC_CHILDREN_ENDED,  /* *end says which */
    EGC_CHILDREN_TICK,   /* nothing in the last second */
    EGC_CHILDREN_SIGNAL, /* *signal says which */
} egc_children_event;

/* A zeroed pool is closed. IO, MEMORY. */
egc_status egc_children_open(egc_children *pool, size_t n_seats, double limit_s,
                             egc_error *err) EGC_MUST_CHECK;

/* Kills what still runs. Accepts a closed pool. */
void egc_children_close(egc_children *pool);

/* Runs job(arg) in a child whose exit status is what job returns. There must be a free seat. IO. */
egc_status egc_children_start(egc_children *pool, size_t tag, int (*job)(void *arg), void *arg,
                              egc_error *err) EGC_MUST_CHECK;

/* Waits for the next event. */
egc_status egc_children_wait(egc_children *pool, egc_children_event *out, egc_child_end *end,
                             int *signal, egc_error *err) EGC_MUST_CHECK;

#endif
