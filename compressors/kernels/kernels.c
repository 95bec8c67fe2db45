/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Selects the variant of the kernels: the best that the CPU can run, or the one asked for by name.
 */
#include "kernels/kernels.h"

#include <stdbool.h>

#include "base/param.h"
#include "base/registry.h"

extern const egc_kernels egc_kernels_scalar;
#ifdef EGC_KERNELS_AVX2
extern const egc_kernels egc_kernels_avx2;
#endif

static const egc_kernels *const variants[] = {
#ifdef EGC_KERNELS_AVX2
    &egc_kernels_avx2,
#endif
    &egc_kernels_scalar,
    NULL,
};

static bool cpu_can_run(const egc_kernels *kernels)
{
#ifdef EGC_KERNELS_AVX2
    if (kernels == &egc_kernels_avx2)
        return __builtin_cpu_supports("avx2");
#endif
    return kernels == &egc_kernels_scalar;
}

/* Atomic, since workers of different threads may be the first to ask at the same time. */
static const egc_kernels *_Atomic in_use;

const egc_kernels *egc_kernels_get(void)
{
    const egc_kernels *best = in_use;
    for (size_t i = 0; !best; i++)
        if (cpu_can_run(variants[i]))
            in_use = best = variants[i];
    return best;
}

const egc_kernels *const *egc_kernels_all(void)
{
    return variants;
}

egc_status egc_kernels_use(const char *name, egc_error *err)
{
    const egc_kernels *found;
    egc_status status =
        egc_registry_find("kernels", name, (const void *const *)variants, &found, err);
    if (status)
        return status;
    if (!cpu_can_run(found))
        return egc_fail(err, EGC_ERROR_UNSUPPORTED, "this CPU cannot run the %s kernels", name);
    in_use = found;
    return EGC_OK;
}
