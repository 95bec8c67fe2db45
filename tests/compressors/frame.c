/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The fingerprint of a frame: a message is opened as that of one compressor, round and shape. */
#include "compressors/core/frame.h"
#include "support/method.h"

static egc_status open_as(const egc_frame *written, const egc_frame *read)
{
    egc_buf wire = {0};
    egc_error err = {0};
    size_t start;
    assert_ok(egc_frame_begin(written, &wire, &start, &err), err);
    assert_int_equal(start, 2);
    egc_reader reader = egc_reader_of(wire.data, wire.len);
    egc_status status = egc_frame_open(read, &reader, NULL, &err);
    egc_buf_fini(&wire);
    return status;
}

static void frame__tells_compressor_round_and_shape_apart(void **state)
{
    (void)state;
    const egc_unit units[] = {{.name = "a", .count = 5}, {.name = "b", .count = 6}};
    const egc_unit turned[] = {{.name = "a", .count = 6}, {.name = "b", .count = 5}};
    egc_method deft = method_of("deft", ""), topk = method_of("topk", "");
    egc_round_plan deft_plan = egc_round_plan_of(&deft), topk_plan = egc_round_plan_of(&topk);
    const egc_frame frames[] = {
        {&deft, &deft_plan, 0, units, 2},  {&deft, &deft_plan, 1, units, 2},
        {&topk, &topk_plan, 0, units, 2},  {&topk, &topk_plan, EGC_ROUND_MERGED, units, 2},
        {&topk, &topk_plan, 0, turned, 2}, {&topk, &topk_plan, 0, units, 1},
    };
    enum { N_FRAMES = sizeof frames / sizeof *frames };
    for (size_t a = 0; a < N_FRAMES; a++)
        for (size_t b = 0; b < N_FRAMES; b++)
            assert_int_equal(open_as(&frames[a], &frames[b]), a == b ? EGC_OK : EGC_ERROR_FORMAT);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(frame__tells_compressor_round_and_shape_apart),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
