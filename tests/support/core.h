/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The inside of libegc, which tests of compressors reach past egc.h. */
#ifndef EGC_TEST_CORE_H
#define EGC_TEST_CORE_H

#include "codec/codec.h"
#include "compressors/core/decoder.h"
#include "compressors/core/encoder.h"
#include "compressors/core/merger.h"
#include "compressors/core/method.h"
#include "compressors/core/round_plan.h"
#include "compressors/core/sparse_message.h"
#include "compressors/core/workspace.h"
#include "compressors/plugin.h"
#include "kernels/kernels.h"

#endif
