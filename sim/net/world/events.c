/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "net/world/events.h"

#include <fnmatch.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/text.h"
#include "net/cluster/writer.h"
#include "net/topology/probe.h"

/* What a profile is of, and the attribute that names its file. */
typedef enum kind { BANDWIDTH, LATENCY, SPEED, STATE } kind;
static const char *const attributes[] = {"bandwidth_file", "latency_file", "speed_file",
                                         "state_file"};

/* A platform that is being written out. */
typedef struct writing {
    egc_writer writer;
    const egc_probe *probe;
    egc_event_platform *out;
} writing;

static const char *name_of(const egc_probe *probe, uint32_t offset)
{
    return probe->text + offset;
}

/* ---- which events ---------------------------------------------------------------------------- */

/* What an event makes of a kind of thing; NAN: nothing. */
static double value_of(const egc_cluster_common *common, const egc_event *event, kind of)
{
    switch (of) {
    case BANDWIDTH:
        return event->bandwidth_Bps * common->efficiency;
    case LATENCY:
        return event->latency_s;
    case SPEED:
        return event->speed;
    case STATE:
        break;
    }
    return event->state == EGC_EVENT_SAME ? NAN : event->state == EGC_EVENT_UP;
}

static bool happens_to(const egc_event *event, const char *name, bool is_link)
{
    const char *pattern = is_link ? event->link : event->host;
    return *pattern && fnmatch(pattern, name, 0) == 0;
}

/* Appends "TIME VALUE" for each event of this kind. */
static egc_status list_events(const egc_cluster_common *common, const char *name, bool is_link,
                              kind of, egc_buf *lines, egc_error *err)
{
    const egc_event *events = common->profiles.items;
    double last_s = -1;
    egc_status status = EGC_OK;
    for (size_t i = 0; i < common->profiles.n && !status; i++) {
        const egc_event *event = &events[i];
        double value = value_of(common, event, of);
        if (isnan(value) || !happens_to(event, name, is_link))
            continue;
        if (event->at_s <= last_s)
            return egc_fail(err, EGC_ERROR_RANGE,
                            "profiles[%zu]: at must be later than that of the event before for %s, "
                            "%g s, got %g s",
                            i + 1, name, last_s, event->at_s);
        last_s = event->at_s;
        status = egc_buf_printf(lines, err, "%s %s\n", egc_text_of_real(event->at_s).text,
                                egc_text_of_real(value).text);
    }
    return status;
}

/* ---- files ----------------------------------------------------------------------------------- */

typedef struct egc_event_file {
    FILE *file;
    const char *lines; /* what is in it */
    size_t uses;
} profile_file;

static egc_status make_room(egc_event_platform *out, egc_error *err)
{
    size_t room = 2 * out->room + 16;
    profile_file *larger = egc_arena_alloc(&out->arena, room * sizeof *larger);
    if (!larger)
        return egc_fail_memory(err, room * sizeof *larger);
    if (out->n_files)
        memcpy(larger, out->files, out->n_files * sizeof *larger);
    out->files = larger;
    out->room = room;
    return EGC_OK;
}

static egc_status make_file(egc_event_platform *out, const char *lines, egc_error *err)
{
    egc_status status = out->n_files == out->room ? make_room(out, err) : EGC_OK;
    if (status)
        return status;
    profile_file made = {.file = tmpfile(), .lines = egc_arena_strdup(&out->arena, lines)};
    if (!made.file)
        return egc_fail_errno(err, "create", "profile in " P_tmpdir);
    out->files[out->n_files++] = made;
    if (!made.lines)
        return egc_fail_memory(err, strlen(lines));
    if (fputs(lines, made.file) < 0 || fflush(made.file) != 0)
        return egc_fail_errno(err, "write", "profile in " P_tmpdir);
    return EGC_OK;
}

/* Things to which the same happens share a file. */
static egc_status find_file(egc_event_platform *out, const char *lines, profile_file **file,
                            egc_error *err)
{
    egc_status status = EGC_OK;
    size_t i = 0;
    while (i < out->n_files && strcmp(out->files[i].lines, lines) != 0)
        i++;
    if (i == out->n_files)
        status = make_file(out, lines, err);
    *file = status ? NULL : &out->files[i];
    return status;
}

/* SimGrid looks for the file beside the platform's, in /proc/self/fd, and takes a name only once:
 * each use has one slash more. */
static void put_file(egc_writer *w, kind of, profile_file *file)
{
    EGC_WRITE(w, " %s=\".", attributes[of]);
    for (size_t i = 0; i <= file->uses; i++)
        EGC_WRITE(w, "/");
    EGC_WRITE(w, "%d\"", fileno(file->file));
    file->uses++;
}

/* Appends the attribute for a kind of events, where there are some. */
static void put_profile(writing *all, const char *name, bool is_link, kind of)
{
    egc_writer *w = &all->writer;
    egc_buf lines = {0};
    profile_file *file = NULL;
    if (!w->status)
        w->status = list_events(w->common, name, is_link, of, &lines, w->err);
    if (!w->status && lines.len)
        w->status = find_file(all->out, (const char *)lines.data, &file, w->err);
    if (file)
        put_file(w, of, file);
    egc_buf_fini(&lines);
}

/* ---- the platform ---------------------------------------------------------------------------- */

static void put_host(writing *all, const egc_probe_host *host)
{
    egc_writer *w = &all->writer;
    const char *name = name_of(all->probe, host->name);
    EGC_WRITE(w, "<host id=\"%s\" speed=\"%sf\" core=\"%lld\"", name,
              egc_text_of_real(w->speed_flops).text, (long long)w->common->cores);
    put_profile(all, name, false, SPEED);
    put_profile(all, name, false, STATE);
    EGC_WRITE(w, "/>\n");
    egc_writer_loopback(w, name);
}

static void put_link(writing *all, const egc_probe_link *link)
{
    egc_writer *w = &all->writer;
    const char *name = name_of(all->probe, link->name);
    EGC_WRITE(w, "<link id=\"%s\" bandwidth=\"%sBps\" latency=\"%ss\"%s", name,
              egc_text_of_real(link->bandwidth_Bps).text, egc_text_of_real(link->latency_s).text,
              link->alone ? " sharing_policy=\"FATPIPE\"" : "");
    put_profile(all, name, true, BANDWIDTH);
    put_profile(all, name, true, LATENCY);
    put_profile(all, name, true, STATE);
    EGC_WRITE(w, "/>\n");
}

static void put_route(egc_writer *w, const egc_probe *s, const egc_probe_route *route)
{
    EGC_WRITE_ROUTE(w, "<route src=\"%s\" dst=\"%s\" symmetrical=\"NO\">",
                    name_of(s, s->hosts[route->from].name), name_of(s, s->hosts[route->to].name));
    for (uint32_t k = 0; k < route->n; k++)
        EGC_WRITE_ROUTE(w, "<link_ctn id=\"%s\"/>",
                        name_of(s, s->links[s->steps[route->first + k]].name));
    EGC_WRITE_ROUTE(w, "</route>\n");
}

static egc_status write_out(const egc_probe *s, const egc_cluster_common *common,
                            double speed_flops, egc_event_platform *out, egc_error *err)
{
    writing all = {
        .writer = egc_writer_begin(common, speed_flops, &out->xml, err), .probe = s, .out = out};
    egc_writer_zone_begin(&all.writer, EGC_ZONE_ALL, "Full");
    for (size_t i = 0; i < s->n_hosts; i++)
        put_host(&all, &s->hosts[i]);
    for (size_t i = 0; i < s->n_links; i++)
        put_link(&all, &s->links[i]);
    for (size_t i = 0; i < s->n_routes; i++)
        put_route(&all.writer, s, &s->routes[i]);
    egc_writer_zone_end(&all.writer);
    return egc_writer_end(&all.writer);
}

/* ---- what is wrong --------------------------------------------------------------------------- */

static egc_status fail_unknown(const egc_probe *s, size_t position, const egc_event *event,
                               egc_error *err)
{
    bool is_link = *event->link;
    egc_error_names some = {0};
    for (size_t i = 0; i < (is_link ? s->n_links : s->n_hosts); i++)
        egc_error_names_add(&some, name_of(s, is_link ? s->links[i].name : s->hosts[i].name));
    return egc_fail(err, EGC_ERROR_NAME, "profiles[%zu]: no %s is called \"%s\"; there are: %s",
                    position, is_link ? "link" : "host", is_link ? event->link : event->host,
                    some.text);
}

/* An event of something that is there. A latency where there was none would starve the messages
 * that still have none. */
static egc_status check_targets(const egc_probe *s, const egc_cluster_common *common,
                                egc_error *err)
{
    const egc_event *events = common->profiles.items;
    for (size_t i = 0; i < common->profiles.n; i++) {
        const egc_event *event = &events[i];
        bool is_link = *event->link, found = false;
        for (size_t k = 0; k < (is_link ? s->n_links : s->n_hosts); k++) {
            const char *name = name_of(s, is_link ? s->links[k].name : s->hosts[k].name);
            if (!happens_to(event, name, is_link))
                continue;
            found = true;
            if (!isnan(event->latency_s) && s->links[k].latency_s == 0)
                return egc_fail(err, EGC_ERROR_RANGE,
                                "profiles[%zu]: latency must not be set of link %s, which has none "
                                "(SimGrid starves messages without latency beside others)",
                                i + 1, name);
        }
        if (!found)
            return fail_unknown(s, i + 1, event, err);
    }
    return EGC_OK;
}

egc_status egc_event_platform_init(egc_event_platform *out, const egc_cluster_type *type,
                                   const void *params, double speed_flops, egc_error *err)
{
    egc_probe probe;
    size_t hosts = type->hosts(params);
    *out = (egc_event_platform){0};
    if (hosts > EGC_EVENT_HOSTS_MAX)
        return egc_fail(err, EGC_ERROR_UNSUPPORTED,
                        "profiles: a cluster with profiles must have at most %d hosts, got %zu",
                        EGC_EVENT_HOSTS_MAX, hosts);
    egc_status status = egc_probe_cluster(type, params, &out->arena, &probe, err);
    if (!status)
        status = check_targets(&probe, params, err);
    return status ? status : write_out(&probe, params, speed_flops, out, err);
}

void egc_event_platform_fini(egc_event_platform *profiled)
{
    for (size_t i = 0; i < profiled->n_files; i++)
        fclose(profiled->files[i].file);
    egc_buf_fini(&profiled->xml);
    egc_arena_fini(&profiled->arena);
}

bool egc_events_any(const void *params)
{
    return ((const egc_cluster_common *)params)->profiles.n > 0;
}

egc_status egc_event_platform_check(const egc_cluster_type *type, const void *params,
                                    egc_error *err)
{
    egc_event_platform profiled;
    if (!egc_events_any(params))
        return EGC_OK;
    egc_status status = egc_event_platform_init(&profiled, type, params, 1e9, err);
    egc_event_platform_fini(&profiled);
    return status;
}
