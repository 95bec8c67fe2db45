/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The device profiles of scripts/devices.lua, which is part of the binary. */
#ifndef EGC_SCRIPT_DEVICES_H
#define EGC_SCRIPT_DEVICES_H

#include "experiment/spec/resolve.h"

typedef struct egc_devices {
    egc_device_profiles profiles; /* in the order of the file, ended by a row without a name */
    egc_arena arena;
} egc_devices; /* zeroed is empty */

egc_status egc_devices_load(egc_devices *out, egc_error *err) EGC_MUST_CHECK;

void egc_devices_fini(egc_devices *list);

/* Appends a line for each number: its name, value, unit and source. */
void egc_devices_describe(const egc_device_profile *profile, egc_buf *out);

#endif
