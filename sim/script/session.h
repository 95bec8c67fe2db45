/* SPDX-License-Identifier: GPL-3.0-or-later */
/* A script while it runs: the state that its experiments and simulations share. */
#ifndef EGC_SCRIPT_SESSION_H
#define EGC_SCRIPT_SESSION_H

#include <lua.h>

#include "experiment/spec/experiment.h"
#include "script/devices.h"

typedef struct egc_session {
    lua_State *L;
    const char *path;
    egc_buf source; /* the script's text, with a terminator */
    egc_devices devices;
    const char *const *overrides; /* "PATH=VALUE" */
    size_t n_overrides;
    bool simulated; /* the script called egc.simulate */
} egc_session;

/* Copies the script's path and text into experiment. MEMORY. */
egc_status egc_session_begin(const egc_session *session, egc_experiment *experiment,
                             egc_error *err) EGC_MUST_CHECK;

/* Converts the experiment on top of the stack, leaves it there, and applies the overrides to the
 * specification. Raises Lua errors. */
egc_status egc_session_convert(lua_State *L, const egc_session *session, egc_arena *arena,
                               const egc_spec **root, egc_error *err) EGC_MUST_CHECK;

/* The script's file name without folders and extension. NULL: no memory. */
char *egc_session_name(const egc_session *session, egc_arena *arena);

#endif
