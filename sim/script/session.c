/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Steps that loading a script and egc.simulate have in common. */
#include "script/session.h"

#include <string.h>

#include "script/convert.h"
#include "script/override.h"

egc_status egc_session_begin(const egc_session *session, egc_experiment *experiment, egc_error *err)
{
    egc_arena *arena = &experiment->arena;
    experiment->source_path = egc_arena_strdup(arena, session->path);
    experiment->source = egc_arena_strdup(arena, (const char *)session->source.data);
    bool complete = experiment->source_path && experiment->source;
    return complete ? EGC_OK : egc_fail_memory(err, session->source.len);
}

egc_status egc_session_convert(lua_State *L, const egc_session *session, egc_arena *arena,
                               const egc_spec **root, egc_error *err)
{
    egc_status status = egc_convert_to_spec(L, arena, "", session->path, root, err);
    for (size_t i = 0; i < session->n_overrides && !status; i++)
        status = egc_override_apply(L, arena, session->overrides[i], root, err);
    return status;
}

char *egc_session_name(const egc_session *session, egc_arena *arena)
{
    const char *slash = strrchr(session->path, '/');
    const char *file = slash ? slash + 1 : session->path;
    const char *dot = strrchr(file, '.');
    return egc_arena_printf(arena, "%.*s", (int)(dot ? (size_t)(dot - file) : strlen(file)), file);
}
