/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The engine that replays the log of another run. Messages have the logged lengths, so that they
 * take the same time, and no content. */
#ifndef EGC_TRAIN_SYNC_ENGINE_REPLAY_H
#define EGC_TRAIN_SYNC_ENGINE_REPLAY_H

#include "train/sync/engine/engine.h"

extern const egc_engine_type egc_engine_replay_type;

#endif
