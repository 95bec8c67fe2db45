/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Linear search, since lists are short and searched once per run. The list of valid names leaves
 * out those that do not fit into an error message. */
#include "base/registry.h"

#include <string.h>

static const char *name_of(const void *item)
{
    return *(const char *const *)item;
}

egc_status egc_registry_fail_unknown(egc_error *err, const char *kind, const char *name,
                                     const void *const *items)
{
    char valid[EGC_ERROR_LENGTH] = "";
    for (; *items; items++) {
        if (strlen(valid) + strlen(name_of(*items)) + 3 < sizeof valid) {
            strcat(valid, *valid ? ", " : "");
            strcat(valid, name_of(*items));
        }
    }
    return egc_fail(err, EGC_ERROR_NAME, "unknown %s \"%s\"; valid: %s", kind, name, valid);
}

egc_status egc_registry_find(const char *kind, const char *name, const void *const *items,
                             void *out, egc_error *err)
{
    for (const void *const *item = items; *item; item++)
        if (strcmp(name_of(*item), name) == 0) {
            memcpy(out, item, sizeof *item);
            return EGC_OK;
        }
    return egc_registry_fail_unknown(err, kind, name, items);
}
