/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "validation.h"

#include <math.h>

#include "base/mem.h"
#include "support/test.h"

enum { ROOM = 4096 };

void validation_add(validation *v, const validation_case *one)
{
    if (!v->cases)
        v->cases = egc_calloc(ROOM, sizeof *v->cases);
    assert_non_null(v->cases);
    assert_true(v->n < ROOM);
    v->cases[v->n++] = *one;
}

void validation_fini(validation *v)
{
    egc_free(v->cases);
    *v = (validation){0};
}

double validation_error(const validation_case *one)
{
    return 100 * (one->simulated / one->expected - 1);
}

bool validation_within(const validation_case *one)
{
    bool close = isnan(one->limit) || fabs(validation_error(one)) <= 100 * one->limit;
    bool sided = !one->same_side || (one->expected > 1) == (one->simulated > 1);
    bool possible = isnan(one->rate_share) || one->rate_share <= 1 + 1e-9;
    return close && sided && possible;
}
