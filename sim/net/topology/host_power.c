/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Parses the power properties of a host in the way of SimGrid 3.32's host_energy plugin. */
#include "net/topology/host_power.h"

#include <math.h>
#include <stdbool.h>
#include <stdlib.h>

/* Reads "IDLE:EPSILON:ALLCORES" or "IDLE:ALLCORES", none decreasing, and moves text past it. */
static bool read_watts(const char **text)
{
    double last_W = 0;
    int n = 0;
    do {
        const char *number = *text + (n > 0);
        char *end;
        double watts = strtod(number, &end);
        if (end == number || !(watts >= last_W && isfinite(watts)))
            return false;
        last_W = watts;
        *text = end;
        n++;
    } while (**text == ':');
    return n == 2 || n == 3;
}

static bool are_watts(const char *text, int pstates)
{
    for (int i = 1; i <= pstates; i++)
        if (!read_watts(&text) || *text++ != (i < pstates ? ',' : '\0'))
            return false;
    return true;
}

egc_status egc_host_power_check(sg_host_t host, egc_error *err)
{
    const char *power = sg_host_get_property_value(host, EGC_HOST_POWER);
    const char *off = sg_host_get_property_value(host, EGC_HOST_POWER_OFF);
    int pstates = sg_host_get_nb_pstates(host);
    char *end = NULL;
    if (power && !are_watts(power, pstates))
        return egc_fail(err, EGC_ERROR_FORMAT,
                        "host %s: " EGC_HOST_POWER
                        " must be IDLE:EPSILON:ALLCORES in watts, 0 <= IDLE "
                        "<= EPSILON <= ALLCORES, of each of its speeds, %d, with commas between, "
                        "got \"%s\"",
                        sg_host_get_name(host), pstates, power);
    double off_W = off ? strtod(off, &end) : 0;
    if (off && (end == off || *end || !(off_W >= 0 && isfinite(off_W))))
        return egc_fail(err, EGC_ERROR_FORMAT,
                        "host %s: " EGC_HOST_POWER_OFF " must be watts >= 0, got \"%s\"",
                        sg_host_get_name(host), off);
    return EGC_OK;
}
