/* SPDX-License-Identifier: GPL-3.0-or-later */
/* One row of a parameter table, for the compiler alone: KIND with a field of C type FIELD. ctest
 * compiles it with the right type of each kind, and with wrong ones, which must be errors
 * (CMakeLists.txt). */
#include "base/param.h"

typedef char text[8];
typedef struct thing {
    FIELD field;
} thing;

/* Expands KIND before EGC_PARAM pastes it. */
#define ROW(kind) EGC_PARAM(thing, field, kind, "field", "a field", .flags = 0)

extern const egc_param table[];
const egc_param table[] = {
    ROW(KIND),
    EGC_PARAM_END,
};
