/* SPDX-License-Identifier: GPL-3.0-or-later */
/* A program of the user's, spoken to through its standard input and output.
 *
 * Both are one socket, because writing to a program that has died then is an error and not a
 * signal. The program is started by the shell in this process's group: whoever kills the group
 * kills it too. Each exchange (what is sent, and the answer) has a time limit. */
#ifndef EGC_WORKLOADS_PROCESS_PROGRAM_H
#define EGC_WORKLOADS_PROCESS_PROGRAM_H

#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#include "base/error.h"

typedef struct egc_program {
    const char *command; /* borrowed */
    pid_t pid;           /* 0 when it has ended and is known to have */
    int fd;
    double limit_s;
    int64_t deadline_ms; /* of the exchange that is going on */
} egc_program;

/* *out is to be given to egc_program_stop. IO. */
egc_status egc_program_start(const char *command, double limit_s, egc_program *out,
                             egc_error *err) EGC_MUST_CHECK;

/* An exchange begins: its time limit runs from now on. */
void egc_program_begin(egc_program *program);

/* All len bytes go out, or all come in; `what` says of what in messages ("its layers"). IO when the
 * time is up, or when the program has ended, which receive tells alone: what it said last is still
 * to be read. */
egc_status egc_program_send(egc_program *program, const void *bytes, size_t len, const char *what,
                            egc_error *err) EGC_MUST_CHECK;
egc_status egc_program_receive(egc_program *program, void *bytes, size_t len, const char *what,
                               egc_error *err) EGC_MUST_CHECK;

/* Ends its input, waits a moment for it to end, and kills it if it does not. */
void egc_program_stop(egc_program *program);

#endif
