/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The entropy coder: any bytes come back from their code, and any code is FORMAT or that of what it
 * decodes to. */
#include "codec/range.h"

#include <stdlib.h>
#include <string.h>

#include "fuzz.h"
#include "support/inputs.h"

static void check_comes_back(const uint8_t *data, size_t len)
{
    egc_buf code = {0};
    fuzz_check(egc_range_encode(data, len, &code, NULL) == EGC_OK);
    fuzz_check(code.len <= len + 1);
    egc_reader reader = egc_reader_of(code.data, code.len);
    uint8_t *back = malloc(len ? len : 1);
    fuzz_check(back);
    fuzz_check(egc_range_decode(&reader, back, len, NULL) == EGC_OK);
    fuzz_check(memcmp(back, data, len) == 0 && egc_reader_left(&reader) == 0);
    free(back);
    egc_buf_fini(&code);
}

static void decode(egc_reader *input, size_t len)
{
    uint8_t *out = malloc(len);
    const uint8_t *code = input->next;
    fuzz_check(out);
    fuzz_allow_memory_for(len);
    egc_status status = egc_range_decode(input, out, len, NULL);
    fuzz_allow_all();
    fuzz_check(status == EGC_OK || status == EGC_ERROR_FORMAT);
    if (!status && *code) { /* not merely stored */
        egc_buf again = {0};
        fuzz_check(egc_range_encode(out, len, &again, NULL) == EGC_OK);
        fuzz_check(again.len == (size_t)(input->next - code) &&
                   memcmp(again.data, code, again.len) == 0);
        egc_buf_fini(&again);
    }
    free(out);
}

/* The first byte: 0 for bytes to encode, else the length of what follows is decoded to. */
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    egc_reader input = egc_reader_of(data, size);
    if (fuzz_byte(&input))
        decode(&input, fuzz_length(&input));
    else
        check_comes_back(input.next, egc_reader_left(&input));
    return 0;
}

void fuzz_seeds(void)
{
    for (size_t l = 0; l < FUZZ_N_SHORT; l++)
        for (int family = 0; family < N_FAMILIES; family++) {
            size_t n = fuzz_lengths[l];
            float x[1024];
            egc_buf plain = {0}, code = {0};
            fill_input(x, n, family, 4);
            fuzz_put_byte(&plain, 0);
            fuzz_check(egc_buf_append(&plain, x, n, NULL) == EGC_OK);
            fuzz_put_byte(&code, 1);
            fuzz_put_length(&code, n);
            fuzz_check(egc_range_encode(x, n, &code, NULL) == EGC_OK);
            fuzz_seed(&plain);
            fuzz_seed(&code);
        }
}
