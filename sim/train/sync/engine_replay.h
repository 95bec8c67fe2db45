/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Learning by reading what another run learnt from its log. Messages are as long as they were, so
 * that they take as long; nothing is in them. */
#ifndef EGC_TRAIN_SYNC_ENGINE_REPLAY_H
#define EGC_TRAIN_SYNC_ENGINE_REPLAY_H

#include "train/sync/engine.h"

extern const egc_engine_type egc_engine_replay_type;

#endif
