/* SPDX-License-Identifier: GPL-3.0-or-later */
/* A table of units for each quantity. A value is NUMBER * times / over, with both factors exact, so
 * that "50us" is the double nearest to 5e-5. */
#include "base/number/quantity.h"

#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* A unit is `times` / `over` SI units. 1e-6 has no exact double, so 50 * 1e-6 is not the double
 * nearest to 5e-5, but 50 * 1 / 1e6 is. */
typedef struct unit_row {
    const char *symbol;
    double times, over;
} unit_row;

static const unit_row bandwidth_units[] = {
    {"bps", 1, 8},
    {"Kbps", 1e3, 8},
    {"Mbps", 1e6, 8},
    {"Gbps", 1e9, 8},
    {"Tbps", 1e12, 8},
    {"B/s", 1, 1},
    {"KB/s", 1e3, 1},
    {"MB/s", 1e6, 1},
    {"GB/s", 1e9, 1},
    {"KiB/s", 0x1p10, 1},
    {"MiB/s", 0x1p20, 1},
    {"GiB/s", 0x1p30, 1},
    {0},
};
static const unit_row time_units[] = {
    {"s", 1, 1}, {"ms", 1, 1e3}, {"us", 1, 1e6}, {"ns", 1, 1e9}, {"min", 60, 1}, {"h", 3600, 1},
    {0},
};
static const unit_row byte_units[] = {
    {"B", 1, 1},        {"KB", 1e3, 1},     {"MB", 1e6, 1},     {"GB", 1e9, 1},
    {"KiB", 0x1p10, 1}, {"MiB", 0x1p20, 1}, {"GiB", 0x1p30, 1}, {0},
};
static const unit_row flops_units[] = {
    {"flops", 1, 1},
    {"Kflops", 1e3, 1},
    {"Mflops", 1e6, 1},
    {"Gflops", 1e9, 1},
    {"Tflops", 1e12, 1},
    {"Pflops", 1e15, 1},
    {0},
};
static const unit_row power_units[] = {
    {"W", 1, 1},
    {"mW", 1, 1e3},
    {"kW", 1e3, 1},
    {0},
};
static const unit_row no_units[] = {{0}};

static const struct {
    const char *symbol;
    const unit_row *rows;
} units[] = {
    [EGC_QUANTITY_NONE] = {"", no_units},
    [EGC_QUANTITY_BANDWIDTH] = {"B/s", bandwidth_units},
    [EGC_QUANTITY_TIME] = {"s", time_units},
    [EGC_QUANTITY_BYTES] = {"B", byte_units},
    [EGC_QUANTITY_FLOPS] = {"flop/s", flops_units},
    [EGC_QUANTITY_POWER] = {"W", power_units},
};

static egc_status unknown_unit(const char *text, const char *symbol, const unit_row *rows,
                               egc_error *err)
{
    if (!rows->symbol)
        return egc_fail(err, EGC_ERROR_FORMAT, "must be a number without a unit, got \"%s\"", text);
    char known[256] = "";
    for (; rows->symbol; rows++) {
        strcat(known, rows->symbol);
        strcat(known, rows[1].symbol ? ", " : "");
    }
    return egc_fail(err, EGC_ERROR_NAME, "unknown unit \"%s\" in \"%s\"; known units: %s", symbol,
                    text, known);
}

egc_status egc_quantity_parse(const char *text, egc_quantity quantity, double *out, egc_error *err)
{
    char *end;
    double number = strtod(text, &end);
    if (end == text)
        return egc_fail(err, EGC_ERROR_FORMAT, "must be a number%s, got \"%s\"",
                        quantity == EGC_QUANTITY_NONE ? "" : " with a unit", text);
    while (isspace((unsigned char)*end))
        end++;
    *out = number;
    if (!*end)
        return EGC_OK;
    const unit_row *rows = units[quantity].rows;
    for (const unit_row *row = rows; row->symbol; row++)
        if (strcmp(row->symbol, end) == 0) {
            *out = number * row->times / row->over;
            return EGC_OK;
        }
    return unknown_unit(text, end, rows, err);
}

const char *egc_quantity_symbol(egc_quantity quantity)
{
    return units[quantity].symbol;
}
