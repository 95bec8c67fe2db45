/* SPDX-License-Identifier: GPL-3.0-or-later */
/* A program of the user's, and the exchange of bytes with it through its standard input and output.
 *
 * Both are one socket, because writing to the socket of a program that has died is an error and not
 * a signal. The program is started by the shell in a process group of its own, which is killed as a
 * whole. Each exchange (a request and its answer) has a time limit.
 *
 * Errors are sticky: the first failure of an exchange is kept in `status` and `err`; later calls
 * until the next egc_program_begin do nothing. */
#ifndef EGC_WORKLOADS_PROCESS_PROGRAM_H
#define EGC_WORKLOADS_PROCESS_PROGRAM_H

#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#include "base/error.h"

typedef struct egc_program {
    const char *command; /* borrowed */
    pid_t pid;           /* 0 when it has ended and its status was collected */
    int fd;
    double limit_s;
    int64_t deadline_ms; /* end of the current exchange, on the monotonic clock */
    egc_status status;   /* first failure of the current exchange, or EGC_OK */
    egc_error *err;      /* borrowed, from egc_program_begin */
} egc_program;

/* *out is to be given to egc_program_stop. IO. */
egc_status egc_program_start(const char *command, double limit_s, egc_program *out,
                             egc_error *err) EGC_MUST_CHECK;

/* Begins an exchange, whose time limit starts now and whose first error goes to err. */
void egc_program_begin(egc_program *program, egc_error *err);

/* Send or receive all len bytes. `name` names them in errors ("its layers"). IO when the time is up
 * or the program has ended; the latter is reported by receive only, after the program's last bytes.
 */
void egc_program_send(egc_program *program, const void *bytes, size_t len, const char *name);
void egc_program_receive(egc_program *program, void *bytes, size_t len, const char *name);

/* Records the error "\"COMMAND\": MESSAGE". */
void egc_program_fail(egc_program *program, egc_status status, const char *format, ...)
    EGC_PRINTF(3, 4);

/* Ends the program's input, waits two seconds for it to end, then kills it. */
void egc_program_stop(egc_program *program);

#endif
