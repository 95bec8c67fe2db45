/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Makers: who built a table of an experiment. "method.topk" is the part of the experiment the
 * table stands for and the name of the registered type. */
#ifndef EGC_EXPERIMENT_SPEC_CONSTRUCTOR_H
#define EGC_EXPERIMENT_SPEC_CONSTRUCTOR_H

#include <stdbool.h>

#include "base/param.h"

/* The last word: "topk" of "method.topk"; "" for NULL, a plain table. */
const char *egc_constructor_name(const char *constructor);

/* True when maker builds this part: ("method.topk", "method"). */
bool egc_constructor_builds(const char *constructor, const char *part);

/* How a script calls it: "egc.topk" for "method.topk", "egc.cluster.star", "a table" for NULL. */
void egc_constructor_call(const char *constructor, char *out, size_t room);

/* True when the tables that maker builds may have the key. Plain tables may have any. */
bool egc_constructor_accepts(const char *constructor, const char *key);

/* The keys of egc.experiment that are no rows of egc_train_config_params, NULL-terminated. */
extern const char *const egc_constructor_keys[];

#endif
