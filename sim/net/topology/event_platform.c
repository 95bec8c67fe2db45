/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Each host and link gets one profile file for each property that its events change, with a line
 * "TIME VALUE" an event. Hosts and links with equal files share one. */
#include "net/topology/event_platform.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/text.h"
#include "net/cluster/writer.h"
#include "net/topology/probe.h"

/* A property that events change, and SimGrid's attribute that names its profile. */
typedef enum property { BANDWIDTH, LATENCY, SPEED, STATE } property;
static const char *const attributes[] = {"bandwidth_file", "latency_file", "speed_file",
                                         "state_file"};

typedef struct profile_file {
    FILE *file;
    const char *lines; /* its contents */
    size_t uses;
} profile_file;

typedef struct writing {
    egc_writer writer;
    const egc_probe *probe;
    egc_event_platform *out;
} writing;

/* ---- profiles -------------------------------------------------------------------------------- */

/* The new value of the property; NAN: unchanged. */
static double value_of(const egc_cluster_common *common, const egc_event *event, property of)
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

/* Appends the lines of a profile; none when no event changes the property. */
static egc_status list_events(const egc_cluster_common *common, const char *name, bool is_link,
                              property of, egc_buf *lines, egc_error *err)
{
    const egc_event *events = common->events.items;
    double last_s = -1;
    for (size_t i = 0; i < common->events.n; i++) {
        const egc_event *event = &events[i];
        double value = value_of(common, event, of);
        if (isnan(value) || !egc_events_match(event, name, is_link))
            continue;
        if (event->at_s <= last_s)
            return egc_fail(err, EGC_ERROR_RANGE,
                            "profiles[%zu]: at must be later than that of the event before for %s, "
                            "%g s, got %g s",
                            i + 1, name, last_s, event->at_s);
        last_s = event->at_s;
        egc_text_put(lines, "%s %s\n", egc_text_of_real(event->at_s).text,
                     egc_text_of_real(value).text);
    }
    return egc_buf_check(lines, err);
}

static profile_file *files_of(const egc_event_platform *platform, size_t *n)
{
    *n = platform->files.len / sizeof(profile_file);
    return (profile_file *)(void *)platform->files.data;
}

static egc_status add_file(egc_event_platform *out, const char *lines, egc_error *err)
{
    profile_file made = {.file = tmpfile(), .lines = egc_arena_strdup(&out->arena, lines)};
    if (!made.file)
        return egc_fail_errno(err, "create", "profile in " P_tmpdir);
    egc_status status = made.lines ? egc_buf_append(&out->files, &made, sizeof made, err)
                                   : egc_fail_memory(err, strlen(lines));
    if (status) {
        fclose(made.file);
        return status;
    }
    if (fputs(lines, made.file) < 0 || fflush(made.file) != 0)
        return egc_fail_errno(err, "write", "profile in " P_tmpdir);
    return EGC_OK;
}

/* The file with these lines, added if it is new; NULL on failure. */
static profile_file *find_file(egc_event_platform *out, const char *lines, egc_writer *w)
{
    size_t n, i = 0;
    profile_file *files = files_of(out, &n);
    while (i < n && strcmp(files[i].lines, lines) != 0)
        i++;
    if (i == n)
        w->status = add_file(out, lines, w->err);
    return w->status ? NULL : files_of(out, &n) + i;
}

/* Appends the attribute of a property that events change. SimGrid looks for the file in the folder
 * of the platform, /proc/self/fd, and accepts a name only once: each use adds a slash. */
static void write_profile(writing *all, const char *name, bool is_link, property of)
{
    egc_writer *w = &all->writer;
    egc_buf lines = {0};
    profile_file *file = NULL;
    if (!w->status)
        w->status = list_events(w->common, name, is_link, of, &lines, w->err);
    if (!w->status && lines.len)
        file = find_file(all->out, (const char *)lines.data, w);
    if (file) {
        EGC_WRITE(w, " %s=\".", attributes[of]);
        for (size_t i = 0; i <= file->uses; i++)
            EGC_WRITE(w, "/");
        EGC_WRITE(w, "%d\"", fileno(file->file));
        file->uses++;
    }
    egc_buf_fini(&lines);
}

/* ---- the platform ---------------------------------------------------------------------------- */

static void write_host(writing *all, const egc_probe_host *host)
{
    egc_writer *w = &all->writer;
    const char *name = all->probe->text + host->name;
    EGC_WRITE(w, "<host id=\"%s\" speed=\"%sf\" core=\"%lld\"", name,
              egc_text_of_real(w->speed_flops).text, (long long)w->common->cores);
    write_profile(all, name, false, SPEED);
    write_profile(all, name, false, STATE);
    EGC_WRITE(w, "/>\n");
    egc_writer_loopback(w, name);
}

static void write_link(writing *all, const egc_probe_link *link)
{
    egc_writer *w = &all->writer;
    const char *name = all->probe->text + link->name;
    EGC_WRITE(w, "<link id=\"%s\" bandwidth=\"%sBps\" latency=\"%ss\"%s", name,
              egc_text_of_real(link->bandwidth_Bps).text, egc_text_of_real(link->latency_s).text,
              link->alone ? " sharing_policy=\"FATPIPE\"" : "");
    write_profile(all, name, true, BANDWIDTH);
    write_profile(all, name, true, LATENCY);
    write_profile(all, name, true, STATE);
    EGC_WRITE(w, "/>\n");
}

static void write_route(egc_writer *w, const egc_probe *p, const egc_probe_route *route)
{
    EGC_WRITE_ROUTE(w, "<route src=\"%s\" dst=\"%s\" symmetrical=\"NO\">",
                    p->text + p->hosts[route->from].name, p->text + p->hosts[route->to].name);
    for (uint32_t k = 0; k < route->n; k++)
        EGC_WRITE_ROUTE(w, "<link_ctn id=\"%s\"/>",
                        p->text + p->links[p->steps[route->first + k]].name);
    EGC_WRITE_ROUTE(w, "</route>\n");
}

static egc_status write_platform(const egc_probe *p, const egc_cluster_common *common,
                                 double speed_flops, egc_event_platform *out, egc_error *err)
{
    writing all = {
        .writer = egc_writer_begin(common, speed_flops, &out->xml, err), .probe = p, .out = out};
    egc_writer_zone_begin(&all.writer, EGC_ZONE_ALL, "Full");
    for (size_t i = 0; i < p->n_hosts; i++)
        write_host(&all, &p->hosts[i]);
    for (size_t i = 0; i < p->n_links; i++)
        write_link(&all, &p->links[i]);
    for (size_t i = 0; i < p->n_routes; i++)
        write_route(&all.writer, p, &p->routes[i]);
    egc_writer_zone_end(&all.writer);
    return egc_writer_end(&all.writer);
}

/* ---- checks ---------------------------------------------------------------------------------- */

static const char *target_name(const egc_probe *p, bool is_link, size_t i)
{
    return p->text + (is_link ? p->links[i].name : p->hosts[i].name);
}

/* Every event must match a host or a link. A new latency on a link without one would starve the
 * messages on links that still have none. */
static egc_status check_target(const egc_probe *p, size_t number, const egc_event *event,
                               egc_error *err)
{
    bool is_link = *event->link, found = false;
    egc_error_names some = {0};
    for (size_t i = 0; i < (is_link ? p->n_links : p->n_hosts); i++) {
        const char *name = target_name(p, is_link, i);
        egc_error_names_add(&some, name);
        if (!egc_events_match(event, name, is_link))
            continue;
        found = true;
        if (!isnan(event->latency_s) && p->links[i].latency_s == 0)
            return egc_fail(err, EGC_ERROR_RANGE,
                            "profiles[%zu]: latency must not be set of link %s, which has none "
                            "(SimGrid starves messages without latency beside others)",
                            number, name);
    }
    if (found)
        return EGC_OK;
    return egc_fail(err, EGC_ERROR_NAME, "profiles[%zu]: no %s is called \"%s\"; there are: %s",
                    number, is_link ? "link" : "host", is_link ? event->link : event->host,
                    some.text);
}

egc_status egc_event_platform_init(egc_event_platform *out, const egc_cluster_type *type,
                                   const void *params, double speed_flops, egc_error *err)
{
    const egc_cluster_common *common = params;
    const egc_event *events = common->events.items;
    size_t hosts = type->hosts(params);
    egc_probe probe;
    *out = (egc_event_platform){0};
    if (hosts > EGC_EVENT_HOSTS_MAX)
        return egc_fail(err, EGC_ERROR_UNSUPPORTED,
                        "profiles: a cluster with profiles must have at most %d hosts, got %zu",
                        EGC_EVENT_HOSTS_MAX, hosts);
    egc_status status = egc_probe_cluster(type, params, &out->arena, &probe, err);
    for (size_t i = 0; i < common->events.n && !status; i++)
        status = check_target(&probe, i + 1, &events[i], err);
    return status ? status : write_platform(&probe, common, speed_flops, out, err);
}

void egc_event_platform_fini(egc_event_platform *platform)
{
    size_t n;
    profile_file *files = files_of(platform, &n);
    for (size_t i = 0; i < n; i++)
        fclose(files[i].file);
    egc_buf_fini(&platform->files);
    egc_buf_fini(&platform->xml);
    egc_arena_fini(&platform->arena);
}

egc_status egc_event_platform_check(const egc_cluster_type *type, const void *params,
                                    egc_error *err)
{
    egc_event_platform platform;
    if (((const egc_cluster_common *)params)->events.n == 0)
        return EGC_OK;
    egc_status status = egc_event_platform_init(&platform, type, params, 1e9, err);
    egc_event_platform_fini(&platform);
    return status;
}
