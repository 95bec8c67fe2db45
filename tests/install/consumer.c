/* SPDX-License-Identifier: GPL-3.0-or-later */
/* A stranger's program: compresses one gradient of 1000 elements with egc and decodes it. */
#include <egc.h>
#include <stdio.h>

int main(void)
{
    const egc_unit unit = {.name = "layer", .first = 0, .count = 1000};
    float gradient[1000], decoded[1000] = {0};
    for (int i = 0; i < 1000; i++)
        gradient[i] = (float)(i * i % 997) * 1e-5f * (i % 2 ? -1 : 1);

    egc_error err = {0};
    egc_method method;
    egc_workspace *workspace = NULL;
    egc_encoder *encoder = NULL;
    egc_decoder *decoder = NULL;
    egc_gradient_check check;
    egc_encoding encoding;
    egc_buf message = {0};
    if (egc_method_init(&method, "egc", &err) || egc_workspace_new(unit.count, &workspace, &err) ||
        egc_encoder_new(&method, 0.9, 1, &unit, 1, 1, workspace, &encoder, &err) ||
        egc_decoder_new(&method, 0.9, &unit, 1, workspace, &decoder, &err) ||
        egc_encoder_step(encoder, 0, gradient, &check, &err) ||
        egc_encoder_begin(encoder, 0, 1, &message, &err) ||
        egc_encoder_encode(encoder, 0, &message, &encoding, &err) ||
        egc_decoder_add(decoder, 0, 1, message.data, message.len, 1, decoded, &err)) {
        fprintf(stderr, "%s\n", err.message);
        return 1;
    }
    int carried = 0;
    for (int i = 0; i < 1000; i++)
        carried += decoded[i] != 0;
    printf("%zu bytes carry %d of 1000 elements\n", message.len, carried);
    egc_buf_fini(&message);
    egc_encoder_free(encoder);
    egc_decoder_free(decoder);
    egc_workspace_free(workspace);
    return carried == 0 || (size_t)carried != encoding.sent;
}
