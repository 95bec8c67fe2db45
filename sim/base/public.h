/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The types of sim/base that users of libegc see. The installed <egc/egc.h> holds the text of this
 * file in place of its include (cmake/Install.cmake): users have one header, and every type is
 * defined once. */
#ifndef EGC_BASE_PUBLIC_H
#define EGC_BASE_PUBLIC_H

#include <stddef.h>

/* Marks the functions that the shared library exports: these and no others. */
#if defined(__GNUC__)
#define EGC_API __attribute__((visibility("default")))
#else
#define EGC_API
#endif

/* ---- errors ----------------------------------------------------------------------------------
 *
 * A function that can fail returns an egc_status and takes an egc_error as its last argument. The
 * caller owns the egc_error; it may be on the stack, and NULL if only the status is wanted. On
 * failure `message` is one line with the value that was given and the valid ones:
 *
 *     ratio: must be in (0, 1], got "1.5"
 *
 * On success the egc_error is left as it was. Bytes that came from elsewhere never lead to
 * undefined behaviour, only to EGC_ERROR_FORMAT. */
typedef enum egc_status {
    EGC_OK = 0,
    EGC_ERROR_RANGE,       /* a value is outside its valid range */
    EGC_ERROR_NAME,        /* an unknown name; the message lists the valid ones */
    EGC_ERROR_UNSUPPORTED, /* each part is valid, the combination or the order of calls is not */
    EGC_ERROR_FORMAT,      /* bytes or a file that do not have the expected form */
    EGC_ERROR_IO,          /* the operating system refused; the message carries its reason */
    EGC_ERROR_MEMORY,      /* an allocation failed */
    EGC_ERROR_NONFINITE,   /* NaN or Inf where a number is needed */
    EGC_ERROR_SIMULATION,  /* egc-sim: deadlock or a lost peer inside the simulated cluster */
    EGC_ERROR_TIMEOUT,     /* egc-sim: the simulated time limit was reached */
} egc_status;

#define EGC_ERROR_LENGTH 2048 /* bytes of the message, terminator included */

typedef struct egc_error {
    egc_status status;
    char message[EGC_ERROR_LENGTH]; /* always terminated; ends with "..." where it was cut */
} egc_error;

/* Compilers warn where the returned status is ignored. */
#if defined(__GNUC__)
#define EGC_MUST_CHECK __attribute__((warn_unused_result))
#else
#define EGC_MUST_CHECK
#endif

/* ---- exchanges -------------------------------------------------------------------------------
 *
 * An exchange moves the messages of P workers, ranks 0 to P - 1. The names are those of MPI. */
typedef enum egc_collective {
    EGC_COLLECTIVE_ALLREDUCE, /* all workers receive the element-wise sum of all messages */
    EGC_COLLECTIVE_ALLGATHER, /* all receive the messages of all, in the order of ranks */
    EGC_COLLECTIVE_BROADCAST, /* all receive the message of the leader, rank step mod P */
    EGC_COLLECTIVE_ALLTOALL,  /* rank r receives from every worker the message made for rank r */
} egc_collective;

/* The number format of a message that is a vector and can be summed element by element. */
typedef enum egc_element {
    EGC_ELEMENT_NONE, /* bytes that cannot be summed */
    EGC_ELEMENT_FP32, /* IEEE 754 binary32, 4 bytes */
    EGC_ELEMENT_FP16, /* IEEE 754 binary16, 2 bytes */
    EGC_ELEMENT_BF16, /* bfloat16, 2 bytes */
} egc_element;

/* The bytes of one element: 4, 2, 2; 0 for EGC_ELEMENT_NONE. */
EGC_API size_t egc_element_bytes(egc_element element);

/* sum[i] += addend[i] for n elements, each sum rounded to the element's own format, to nearest
 * even, as a device that adds in this format does: the operation of an all-reduce. fp16 sums beyond
 * 65504 become Inf. The vectors need no alignment and must not overlap. EGC_ELEMENT_NONE is not
 * valid. */
EGC_API void egc_element_add(egc_element element, void *sum, const void *addend, size_t n);

#endif
