/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Libraries that can tell the version they run are asked; SimGrid and Lua are used only by sim/net
 * and sim/script, so theirs are the versions of the build. */
#include "cli/versions.h"

#include <dnnl.h>
#include <gsl/gsl_version.h>
#include <hdf5.h>
#include <stdio.h>
#include <zlib.h>

#include "kernels/kernels.h"

const egc_provenance *egc_versions_get(void)
{
    static char hdf5[32], onednn[32];
    static egc_version versions[] = {
        {"egc-sim", EGC_SIM_VERSION},
        {"SimGrid", EGC_SIMGRID_VERSION},
        {"GSL", NULL},
        {"Lua", EGC_LUA_VERSION},
        {"HDF5", hdf5},
        {"oneDNN", onednn},
        {"zlib", NULL},
#if defined(__clang__)
        {"compiler", __VERSION__},
#else
        {"compiler", "gcc " __VERSION__},
#endif
    };
    static egc_provenance provenance = {versions, sizeof versions / sizeof *versions, NULL};
    unsigned major = 0, minor = 0, release = 0;
    H5get_libversion(&major, &minor, &release);
    snprintf(hdf5, sizeof hdf5, "%u.%u.%u", major, minor, release);
    const dnnl_version_t *dnnl = dnnl_version();
    snprintf(onednn, sizeof onednn, "%d.%d.%d", dnnl->major, dnnl->minor, dnnl->patch);
    versions[2].version = gsl_version;
    versions[6].version = zlibVersion();
    provenance.kernels = egc_kernels_get()->name;
    return &provenance;
}
