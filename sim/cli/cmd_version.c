/* SPDX-License-Identifier: GPL-3.0-or-later */
/* `egc-sim version`: the table of egc_versions_get and the kernels in use. */
#include "cli/grid.h"
#include "cli/options.h"
#include "cli/versions.h"

static int run(void *request)
{
    (void)request;
    const egc_provenance *provenance = egc_versions_get();
    egc_grid grid = {.n_columns = 2};
    egc_error err;
    for (size_t i = 0; i < provenance->n_versions; i++)
        EGC_GRID_ROW(&grid, provenance->versions[i].name, provenance->versions[i].version);
    EGC_GRID_ROW(&grid, "kernels", provenance->kernels);
    return egc_grid_print(&grid, &err) ? egc_note_error(&err) : EGC_EXIT_DONE;
}

const egc_command egc_cmd_version = {
    .name = "version",
    .brief = "versions of everything that can change a result",
    .arguments = "",
    .summary = "Prints the versions of everything that can change a result, and the kernels in use",
    .example = "egc-sim version   # the same list is in every manifest.json",
    .request_size = sizeof(egc_texts),
    .run = run,
};
