/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The version of the library that is loaded, which may differ from that of the header a program was
 * compiled with. */
#include "compressors/egc.h"

int egc_version(void)
{
    return EGC_VERSION_NUMBER;
}
