/* SPDX-License-Identifier: GPL-3.0-or-later */
/* A simulation is a Lua userdata with a finalizer, so that a Lua error cannot leak it. Its rows
 * come from the CSV that a run would write. */
#include "script/simulate.h"

#include <lauxlib.h>
#include <string.h>

#include "experiment/results/columns.h"
#include "experiment/run/runner.h"
#include "experiment/spec/build.h"
#include "script/api.h"
#include "script/session.h"
#include "train/run.h"

typedef struct simulation {
    egc_experiment experiment;
    egc_runner_result result;
} simulation;

static int collect(lua_State *L)
{
    simulation *s = lua_touserdata(L, 1);
    egc_runner_result_fini(&s->result);
    egc_experiment_fini(&s->experiment);
    return 0;
}

static simulation *push_simulation(lua_State *L)
{
    simulation *s = lua_newuserdatauv(L, sizeof *s, 0);
    *s = (simulation){0};
    lua_createtable(L, 0, 1);
    lua_pushcfunction(L, collect);
    lua_setfield(L, -2, "__gc");
    /* simulation, metatable */
    lua_setmetatable(L, -2);
    return s;
}

static egc_status check_one_point(const egc_spec *root, const egc_experiment *experiment,
                                  egc_error *err)
{
    if (experiment->n_axes == 0)
        return EGC_OK;
    return egc_fail(err, EGC_ERROR_UNSUPPORTED,
                    "%s: egc.simulate: must have no axes, got egc.each or egc.zip at %s",
                    root->where, experiment->axes[0]);
}

/* experiment, simulation -> the same */
static egc_status run(lua_State *L, const egc_session *session, simulation *s, egc_error *err)
{
    const egc_spec *root;
    egc_experiment *experiment = &s->experiment;
    egc_status status = egc_session_begin(session, experiment, err);
    if (status)
        return status;
    lua_pushvalue(L, 1);
    status = egc_session_convert(L, session, &experiment->arena, &root, err);
    lua_pop(L, 1);
    char *name = egc_session_name(session, &experiment->arena);
    if (!status && !name)
        status = egc_fail_memory(err, strlen(session->path));
    if (!status)
        status = egc_spec_build(experiment, root, name, session->devices.profiles, NULL, NULL, err);
    if (!status)
        status = check_one_point(root, experiment, err);
    return status ? status
                  : egc_runner_simulate(experiment, experiment->points, egc_train_run, &s->result,
                                        err);
}

/* Pushes a row as a table; empty fields are nil. */
static void push_row(lua_State *L, egc_table table, const egc_csv_table *csv, size_t row)
{
    lua_createtable(L, 0, (int)csv->n_columns);
    for (size_t i = 0; i < csv->n_columns; i++) {
        const egc_column *column = egc_columns_find(table, csv->columns[i]);
        const char *text = csv->rows[row][i];
        if (!*text)
            continue;
        if (!column || column->text || !lua_stringtonumber(L, text))
            lua_pushstring(L, text);
        lua_setfield(L, -2, csv->columns[i]);
    }
}

static void push_result(lua_State *L, const egc_runner_result *result)
{
    push_row(L, EGC_TABLE_RUNS, &result->run, 0);
    lua_createtable(L, (int)result->steps.n_rows, 0);
    for (size_t i = 0; i < result->steps.n_rows; i++) {
        push_row(L, EGC_TABLE_STEPS, &result->steps, i);
        /* result, steps, step */
        lua_rawseti(L, -2, (lua_Integer)i + 1);
    }
    lua_setfield(L, -2, "steps");
}

int egc_simulate(lua_State *L)
{
    egc_session *session = lua_touserdata(L, lua_upvalueindex(1));
    const char *constructor, *where;
    egc_error err = {0};
    if (lua_gettop(L) != 1 || !lua_istable(L, 1))
        return luaL_error(L, "egc.simulate: must be called with the table of one experiment");
    if (!egc_api_made(L, 1, &constructor, &where))
        egc_api_mark(L, "experiment");
    else if (strcmp(constructor, "experiment") != 0)
        return luaL_error(L, "egc.simulate: must be given an experiment, got egc.%s", constructor);
    lua_pushliteral(L, "where");
    if (lua_rawget(L, 1) != LUA_TNIL)
        return luaL_error(L, "egc.simulate: takes no where: there is one point");
    lua_settop(L, 1);
    simulation *s = push_simulation(L);
    /* experiment, simulation */
    session->simulated = true;
    if (run(L, session, s, &err)) {
        lua_pushstring(L, err.message);
        return lua_error(L);
    }
    push_result(L, &s->result);
    return 1;
}
