/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "harness.h"

#include <stdlib.h>
#include <unistd.h>

static char folder[] = "/tmp/egc-script-XXXXXX";

int enter_folder(void **state)
{
    (void)state;
    return mkdtemp(folder) && chdir(folder) == 0 ? 0 : -1;
}

int leave_folder(void **state)
{
    (void)state;
    unlink("t.lua");
    return chdir("/") == 0 && rmdir(folder) == 0 ? 0 : -1;
}

egc_status load_text(const char *script, const char *overrides, egc_script *out, egc_error *err)
{
    char settings[1024];
    const char *list[16];
    size_t n = 0;
    FILE *file = fopen("t.lua", "w");
    assert_non_null(file);
    fputs(script, file);
    fclose(file);
    snprintf(settings, sizeof settings, "%s", overrides ? overrides : "");
    for (char *setting = strtok(settings, "|"); setting; setting = strtok(NULL, "|"))
        list[n++] = setting;
    return egc_script_load("t.lua", list, n, out, err);
}

static void render(const egc_script *script, char *out, size_t room)
{
    size_t used = 0;
    for (size_t i = 0; i < script->n_experiments; i++) {
        const egc_experiment *experiment = &script->experiments[i];
        used += (size_t)snprintf(out + used, room - used, "%s%s", i ? "\n" : "", experiment->name);
        for (size_t j = 0; j < experiment->n_axes; j++)
            used += (size_t)snprintf(out + used, room - used, " %s", experiment->axes[j]);
        for (size_t j = 0; j < experiment->n_points; j++) {
            used += (size_t)snprintf(out + used, room - used, "%s", j ? ";" : ":");
            for (size_t k = 0; k < experiment->n_axes; k++)
                used += (size_t)snprintf(out + used, room - used, " %s",
                                         experiment->points[j].axis_values[k]);
        }
    }
}

/* "..." at the end of the expected text matches any rest: a list that other code extends. */
static int is_as_expected(const char *got, const char *expected)
{
    size_t len = strlen(expected);
    if (len >= 3 && strcmp(expected + len - 3, "...") == 0)
        return strncmp(got, expected, len - 3) == 0;
    return strcmp(got, expected) == 0;
}

void check_cases(const load_case *cases, size_t n)
{
    int failures = 0;
    for (size_t i = 0; i < n; i++) {
        egc_script script;
        egc_error err = {0};
        char got[4096] = "";
        if (load_text(cases[i].script, cases[i].overrides, &script, &err) == EGC_OK)
            render(&script, got, sizeof got);
        else
            snprintf(got, sizeof got, "%s", err.message);
        egc_script_fini(&script);
        if (is_as_expected(got, cases[i].expected))
            continue;
        print_error("%s [%s]\n  got  %s\n  want %s\n", cases[i].script,
                    cases[i].overrides ? cases[i].overrides : "", got, cases[i].expected);
        failures++;
    }
    assert_int_equal(failures, 0);
}
