/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The device profiles of scripts/devices.lua, which is embedded in the binary. */
#ifndef EGC_SCRIPT_DEVICES_H
#define EGC_SCRIPT_DEVICES_H

#include "experiment/spec/resolve.h"

typedef struct egc_devices {
    egc_device_profiles profiles; /* in the order of the file; the last has no name */
    egc_arena arena;
} egc_devices; /* zeroed is empty */

/* Loads all profiles. The caller calls egc_devices_fini after success. FORMAT; MEMORY. */
egc_status egc_devices_load(egc_devices *out, egc_error *err) EGC_MUST_CHECK;

void egc_devices_fini(egc_devices *list);

/* Appends a line for each number of a profile: name, value, unit and source. The caller checks out.
 */
void egc_devices_describe(const egc_device_profile *profile, egc_buf *out);

#endif
