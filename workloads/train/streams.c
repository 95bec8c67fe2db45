/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Cuts a text into streams and copies the words of one step. */
#include "workloads/train/streams.h"

egc_status egc_streams_init(egc_streams *streams, const uint32_t *words, size_t count,
                            size_t workers, size_t batch, size_t sequence, egc_error *err)
{
    size_t stretch = count / workers, length = stretch / batch;
    if (length <= sequence)
        return egc_fail(err, EGC_ERROR_RANGE,
                        "%zu streams of one step of %zu words for each of %zu workers need a text "
                        "of %zu words, got %zu",
                        batch, sequence, workers, workers * batch * (sequence + 1), count);
    *streams = (egc_streams){words, stretch, batch, sequence, length};
    return EGC_OK;
}

uint64_t egc_streams_steps(const egc_streams *streams)
{
    return (streams->length - 1) / streams->sequence;
}

size_t egc_streams_read(const egc_streams *streams, size_t worker, size_t first, float *inputs,
                        int *labels)
{
    const uint32_t *words = streams->words + worker * streams->stretch + first;
    size_t left = streams->length - 1 - first;
    size_t steps = left < streams->sequence ? left : streams->sequence;
    for (size_t t = 0; t < steps; t++)
        for (size_t s = 0; s < streams->batch; s++) {
            const uint32_t *word = words + s * streams->length + t;
            *inputs++ = (float)word[0];
            *labels++ = (int)word[1];
        }
    for (size_t i = steps * streams->batch; i < streams->sequence * streams->batch; i++)
        *inputs++ = 0;
    return steps * streams->batch;
}
