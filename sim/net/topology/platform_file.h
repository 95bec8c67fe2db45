/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Loading a platform that is in memory. Private to sim/net. */
#ifndef EGC_NET_TOPOLOGY_PLATFORM_FILE_H
#define EGC_NET_TOPOLOGY_PLATFORM_FILE_H

#include "base/buf.h"
#include "base/error.h"

/* Loads the XML text into SimGrid, which must have been started. SimGrid aborts on errors in the
 * text. IO when no temporary file can be written. */
egc_status egc_platform_file_load(const egc_buf *xml, egc_error *err) EGC_MUST_CHECK;

#endif
