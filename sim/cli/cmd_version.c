/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "cli/table.h"
#include "cli/versions.h"

static const egc_usage usage = {
    .command = "version",
    .arguments = "",
    .summary = "Prints the versions of everything that can change a result, and the kernels in use",
    .example = "egc-sim version   # the same list is in every manifest.json",
};

int egc_cmd_version(int argc, char **argv)
{
    egc_options args = {.usage = &usage, .argc = argc, .argv = argv};
    const char *value;
    int n;
    egc_options_next(&args, &value);
    egc_options_rest(&args, 0, 0, &n);
    if (args.stop)
        return args.exit;
    const egc_provenance *provenance = egc_versions_get();
    egc_grid grid = {.n_columns = 2};
    egc_error err = {0};
    egc_status status = EGC_OK;
    for (size_t i = 0; i < provenance->n_versions && !status; i++) {
        const egc_version *v = &provenance->versions[i];
        status = egc_grid_add(&grid, (const char *[]){v->name, v->version}, &err);
    }
    if (!status)
        status = egc_grid_add(&grid, (const char *[]){"kernels", provenance->kernels}, &err);
    egc_grid_print(&grid);
    return status ? egc_note_error(&err) : EGC_EXIT_DONE;
}
