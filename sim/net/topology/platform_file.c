/* SPDX-License-Identifier: GPL-3.0-or-later */
/* simgrid_load_platform takes a path only. A tmpfile has no name in the file system, so no other
 * process can read or replace it and none is left behind; /proc names it while it is open. */
#include "net/topology/platform_file.h"

#include <simgrid/engine.h>
#include <stdio.h>

egc_status egc_platform_file_load(const egc_buf *xml, egc_error *err)
{
    FILE *file = tmpfile();
    egc_status status = EGC_OK;
    if (!file)
        return egc_fail_errno(err, "create", "platform file in " P_tmpdir);
    if (fwrite(xml->data, 1, xml->len, file) != xml->len || fflush(file) != 0) {
        status = egc_fail_errno(err, "write", "platform file in " P_tmpdir);
    } else {
        char path[64];
        snprintf(path, sizeof path, "/proc/self/fd/%d", fileno(file));
        simgrid_load_platform(path);
    }
    fclose(file);
    return status;
}
