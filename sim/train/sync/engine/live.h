/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The engine that trains. */
#ifndef EGC_TRAIN_SYNC_ENGINE_LIVE_H
#define EGC_TRAIN_SYNC_ENGINE_LIVE_H

#include "train/sync/engine/engine.h"

extern const egc_engine_type egc_engine_live_type;

#endif
