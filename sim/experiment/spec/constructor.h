/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Constructors: the Lua functions that make the tables of an experiment. "method.topk" is the part
 * of the experiment that the table describes, and the name of the registered type. */
#ifndef EGC_EXPERIMENT_SPEC_CONSTRUCTOR_H
#define EGC_EXPERIMENT_SPEC_CONSTRUCTOR_H

#include <stdbool.h>

#include "base/param.h"

/* The name of the type: "topk" of "method.topk"; "" for NULL, a plain table. */
const char *egc_constructor_name(const char *constructor);

/* The field of the Lua table `egc` that constructs the method or algorithm called name: the name
 * itself, but local_sgd for "local", a keyword of Lua. */
const char *egc_constructor_field(const char *name);

/* True if the constructor makes this part: ("method.topk", "method"). */
bool egc_constructor_builds(const char *constructor, const char *part);

/* Writes the call in a script: "egc.topk" for "method.topk", "egc.cluster.star", "a table" for
 * NULL.
 */
void egc_constructor_call(const char *constructor, char *out, size_t room);

/* True if tables of the constructor may have the key. Plain tables may have any key. */
bool egc_constructor_accepts(const char *constructor, const char *key);

/* The keys of egc.experiment that are not in egc_train_config_params; ends with NULL. */
extern const char *const egc_constructor_keys[];

#endif
