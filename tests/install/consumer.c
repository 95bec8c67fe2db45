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
    egc_buf message = {0};
    if (egc_method_init(&method, "egc", &err) || egc_workspace_new(unit.count, &workspace, &err)) {
        fprintf(stderr, "%s\n", err.message);
        return 1;
    }
    const egc_coder_config config = {.method = &method,
                                     .momentum = 0.9,
                                     .n_workers = 1,
                                     .seed = 1,
                                     .units = &unit,
                                     .n_units = 1,
                                     .workspace = workspace};
    const egc_step_input step = {.gradient = gradient};
    egc_reader reader;
    const egc_decoder_input delivery = {.count = 1, .messages = &reader, .n_messages = 1};
    if (egc_decoder_new(&config, &decoder, &err) ||
        egc_encoder_new(&config, 0, decoder, &encoder, &err) ||
        egc_encoder_step(encoder, &step, &check, &err) ||
        egc_encoder_message(encoder, 0, 0, 1, 0, &message, &err) ||
        (reader = egc_reader_of(message.data, message.len),
         egc_decoder_decode(decoder, &delivery, decoded, &err)) ||
        egc_encoder_finish(encoder, 0, 1, &err)) {
        fprintf(stderr, "%s\n", err.message);
        return 1;
    }
    int carried = 0;
    for (int i = 0; i < 1000; i++)
        carried += decoded[i] != 0;
    printf("%zu bytes carry %d of 1000 elements\n", message.len, carried);
    egc_buf_fini(&message);
    size_t sent = egc_encoder_encoding(encoder, 0)->sent;
    egc_encoder_free(encoder);
    egc_decoder_free(decoder);
    egc_workspace_free(workspace);
    return carried == 0 || (size_t)carried != sent;
}
