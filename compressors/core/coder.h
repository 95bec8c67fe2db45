/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The configuration that encoders, decoders and mergers of one run share. */
#ifndef EGC_COMPRESSORS_CORE_CODER_H
#define EGC_COMPRESSORS_CORE_CODER_H

#include "compressors/core/method.h"
#include "compressors/core/workspace.h"

/* Rule by which an exchange that sums sparse messages on the way drops elements: see merger.h. */
typedef enum egc_merge_rule {
    EGC_MERGE_NONE,    /* messages arrive as they were sent */
    EGC_MERGE_ALL,     /* the sum of all (SparCML) */
    EGC_MERGE_LARGEST, /* after every sum the k largest (gTop-k) */
    EGC_MERGE_ABOVE,   /* the elements of the complete sum above a threshold (Ok-Topk) */
} egc_merge_rule;

typedef struct egc_coder_config {
    const egc_method *method; /* copied */
    double momentum;          /* options.momentum resolved */
    size_t n_workers;
    uint64_t seed;         /* the seed of the run */
    const egc_unit *units; /* n_units, in the order of the flat vector, which they cover; copied */
    size_t n_units;
    egc_workspace *workspace; /* borrowed; room for the longest unit */
    egc_merge_rule merge;     /* the exchange's; egc_merger_check accepts it */
    uint64_t *support; /* NULL, or borrowed: a bit for each element of the flat vector, which the
                          encoders set for each element they chose */
} egc_coder_config;

#endif
