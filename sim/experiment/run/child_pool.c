/* SPDX-License-Identifier: GPL-3.0-or-later */
/* One poll waits for everything: SIGCHLD and interrupts arrive through a signalfd, output through
 * pipes. A child is not waited for before its whole process group is killed, since its id could
 * otherwise belong to another group. */
#include "experiment/run/child_pool.h"

#include <errno.h>
#include <fcntl.h>
#include <math.h>
#include <poll.h>
#include <stdio.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/signalfd.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/mem.h"

enum { TICK_MS = 1000 };

static const int interrupts[] = {SIGINT, SIGTERM, SIGHUP};
enum { N_INTERRUPTS = sizeof interrupts / sizeof *interrupts };

/* ---- the pool -------------------------------------------------------------------------------- */

static void forget(egc_child_pool *pool)
{
    egc_free(pool->seats);
    egc_free(pool->watched);
    *pool = (egc_child_pool){0};
}

egc_status egc_child_pool_open(egc_child_pool *pool, size_t n_seats, double limit_s, egc_error *err)
{
    *pool = (egc_child_pool){.n_seats = n_seats, .limit_s = limit_s};
    pool->seats = egc_calloc(n_seats, sizeof *pool->seats);
    pool->watched = egc_calloc(n_seats + 1, sizeof *pool->watched);
    if (!pool->seats || !pool->watched) {
        forget(pool);
        return egc_fail_memory(err, n_seats * sizeof *pool->seats);
    }
    sigset_t watched;
    sigemptyset(&watched);
    sigaddset(&watched, SIGCHLD);
    for (int i = 0; i < N_INTERRUPTS; i++)
        sigaddset(&watched, interrupts[i]);
    pool->signals = signalfd(-1, &watched, SFD_CLOEXEC | SFD_NONBLOCK);
    if (pool->signals < 0) {
        egc_status status = egc_fail_errno(err, "watch", "signals");
        forget(pool);
        return status;
    }
    /* If SIGCHLD were ignored, waitpid would not find how children ended. */
    struct sigaction by_default = {.sa_handler = SIG_DFL};
    sigaction(SIGCHLD, &by_default, &pool->on_child_before);
    sigprocmask(SIG_BLOCK, &watched, &pool->mask_before);
    return EGC_OK;
}

static void release(egc_child_pool *pool, egc_child *child)
{
    if (child->output >= 0)
        close(child->output);
    *child = (egc_child){0};
    pool->n_running--;
}

/* Reads pending signals, so that they are not delivered when the mask is restored. */
static void drain_signals(const egc_child_pool *pool)
{
    struct signalfd_siginfo info;
    while (read(pool->signals, &info, sizeof info) == sizeof info)
        ;
}

void egc_child_pool_close(egc_child_pool *pool)
{
    if (!pool->seats)
        return;
    for (size_t i = 0; i < pool->n_seats; i++) {
        egc_child *child = &pool->seats[i];
        if (!child->pid)
            continue;
        kill(-child->pid, SIGKILL);
        waitpid(child->pid, NULL, 0);
        release(pool, child);
    }
    drain_signals(pool);
    close(pool->signals);
    sigaction(SIGCHLD, &pool->on_child_before, NULL);
    sigprocmask(SIG_SETMASK, &pool->mask_before, NULL);
    forget(pool);
}

/* ---- starting -------------------------------------------------------------------------------- */

/* The child's side of a fork: default signals, no input, output to the pool, killed when the parent
 * dies. */
static void become_child(const egc_child_pool *pool, pid_t parent, int output)
{
    setpgid(0, 0);
    prctl(PR_SET_PDEATHSIG, SIGKILL);
    if (getppid() != parent)
        _exit(1);
    for (int i = 0; i < N_INTERRUPTS; i++)
        signal(interrupts[i], SIG_DFL);
    sigprocmask(SIG_SETMASK, &pool->mask_before, NULL);
    close(pool->signals);
    int nothing = open("/dev/null", O_RDONLY);
    if (nothing < 0 || dup2(nothing, STDIN_FILENO) < 0 || dup2(output, STDOUT_FILENO) < 0 ||
        dup2(output, STDERR_FILENO) < 0)
        _exit(1);
}

egc_status egc_child_pool_start(egc_child_pool *pool, size_t tag, int (*job)(void *arg), void *arg,
                                egc_error *err)
{
    egc_child *child = pool->seats;
    while (child->pid)
        child++;
    int ends[2];
    if (pipe2(ends, O_CLOEXEC) != 0)
        return egc_fail_errno(err, "make", "a pipe");
    fcntl(ends[0], F_SETFL, O_NONBLOCK);
    fflush(NULL); /* or the child would print the parent's buffers again */
    pid_t parent = getpid();
    pid_t pid = fork();
    if (pid == 0) {
        become_child(pool, parent, ends[1]);
        int result = job(arg);
        fflush(NULL);
        _exit(result);
    }
    close(ends[1]);
    if (pid < 0) {
        close(ends[0]);
        return egc_fail_errno(err, "start", "a child process");
    }
    setpgid(pid, pid); /* on both sides, because either may run first */
    *child = (egc_child){.pid = pid, .tag = tag, .output = ends[0], .started_s = egc_clock_now()};
    pool->n_running++;
    return EGC_OK;
}

/* ---- watching -------------------------------------------------------------------------------- */

static void read_output(egc_child *child)
{
    char data[4096];
    ssize_t len = 0;
    while (child->output >= 0 && (len = read(child->output, data, sizeof data)) > 0)
        egc_crash_reason_add(&child->reason, data, (size_t)len);
    if (len == 0 && child->output >= 0) { /* its end is closed, but it may still run */
        close(child->output);
        child->output = -1;
    }
}

static bool has_ended(const egc_child *child)
{
    siginfo_t info = {0};
    return child->pid && waitid(P_PID, (id_t)child->pid, &info, WEXITED | WNOHANG | WNOWAIT) == 0 &&
           info.si_pid == child->pid;
}

static void reap(egc_child_pool *pool, egc_child *child, egc_child_end *end)
{
    kill(-child->pid, SIGKILL); /* processes that it started; see the head of the file */
    *end = (egc_child_end){
        .tag = child->tag, .stopped = child->stopped, .wall_s = egc_clock_now() - child->started_s};
    waitpid(child->pid, &end->wait_status, 0);
    read_output(child);
    egc_crash_reason_end(&child->reason);
    end->reason = child->reason;
    release(pool, child);
}

/* Kills children past their limit; their end is then reported like any other. */
static void stop_late(egc_child_pool *pool)
{
    for (size_t i = 0; i < pool->n_seats; i++) {
        egc_child *child = &pool->seats[i];
        if (child->pid && pool->limit_s > 0 && !child->stopped &&
            egc_clock_now() - child->started_s >= pool->limit_s) {
            child->stopped = true;
            kill(-child->pid, SIGKILL);
        }
    }
}

/* Milliseconds until the next child reaches its limit; at most a tick. */
static int timeout_ms(const egc_child_pool *pool)
{
    double wait_s = TICK_MS / 1000.0;
    for (size_t i = 0; i < pool->n_seats; i++)
        if (pool->seats[i].pid && pool->limit_s > 0 && !pool->seats[i].stopped)
            wait_s = fmin(wait_s, pool->seats[i].started_s + pool->limit_s - egc_clock_now());
    return (int)ceil(1000 * fmax(wait_s, 0));
}

/* True if an interrupt arrived; SIGCHLD only ends the poll. */
static bool take_signal(const egc_child_pool *pool, int *signal)
{
    struct signalfd_siginfo info;
    while (read(pool->signals, &info, sizeof info) == sizeof info)
        if (info.ssi_signo != SIGCHLD) {
            *signal = (int)info.ssi_signo;
            return true;
        }
    return false;
}

/* Sleeps until a signal, output of a child, or the timeout. */
static egc_status wait_for_events(egc_child_pool *pool, egc_error *err)
{
    nfds_t n = 0;
    pool->watched[n++] = (struct pollfd){.fd = pool->signals, .events = POLLIN};
    for (size_t i = 0; i < pool->n_seats; i++)
        if (pool->seats[i].pid && pool->seats[i].output >= 0)
            pool->watched[n++] = (struct pollfd){.fd = pool->seats[i].output, .events = POLLIN};
    if (poll(pool->watched, n, timeout_ms(pool)) < 0 && errno != EINTR)
        return egc_fail_errno(err, "wait for", "children");
    for (size_t i = 0; i < pool->n_seats; i++)
        if (pool->seats[i].pid)
            read_output(&pool->seats[i]);
    return EGC_OK;
}

egc_status egc_child_pool_wait(egc_child_pool *pool, egc_child_pool_event *out, egc_child_end *end,
                               int *signal, egc_error *err)
{
    double until_s = egc_clock_now() + TICK_MS / 1000.0;
    egc_status status = EGC_OK;
    while (!status) {
        *out = EGC_CHILD_POOL_SIGNAL;
        if (take_signal(pool, signal))
            return EGC_OK;
        *out = EGC_CHILD_POOL_ENDED;
        for (size_t i = 0; i < pool->n_seats; i++)
            if (has_ended(&pool->seats[i])) {
                reap(pool, &pool->seats[i], end);
                return EGC_OK;
            }
        *out = EGC_CHILD_POOL_TICK;
        if (egc_clock_now() >= until_s)
            return EGC_OK;
        stop_late(pool);
        status = wait_for_events(pool, err);
    }
    return status;
}
