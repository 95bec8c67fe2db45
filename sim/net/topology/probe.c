/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "net/topology/probe.h"

#include <simgrid/engine.h>
#include <simgrid/host.h>
#include <simgrid/link.h>
#include <simgrid/zone.h>
#include <stdio.h>
#include <string.h>
#include <xbt/dynar.h>

#include "base/mem.h"
#include "net/topology/isolated.h"
#include "net/world/energy.h"
#include "net/world/loader.h"

/* ---- in the child: asking SimGrid ---------------------------------------------------------- */

typedef struct request {
    const char *file;
    const egc_buf *xml; /* when file is NULL */
    egc_probe_choose choose;
    const void *arg;
} request;

typedef struct header {
    size_t n_hosts, n_links, n_routes, n_steps, n_text;
} header;

/* What is found, each an array that grows. */
typedef struct notes {
    sg_host_t *chosen;
    size_t n_chosen;
    header n;
    egc_buf hosts, links, routes, steps, text;
    xbt_dynar_t route;
    size_t moving, still; /* the first routes with and without latency; SIZE_MAX for none */
    egc_error *err;
} notes;

static egc_status note_name(notes *at, const char *name, uint32_t *offset)
{
    *offset = (uint32_t)at->text.len;
    return egc_buf_append(&at->text, name, strlen(name) + 1, at->err);
}

/* NaN is in no range. */
static egc_status check_host(sg_host_t host, egc_error *err)
{
    double speed_flops = sg_host_get_speed(host);
    if (speed_flops >= EGC_HOST_FLOPS_MIN && speed_flops <= EGC_HOST_FLOPS_MAX)
        return EGC_OK;
    return egc_fail(err, EGC_ERROR_FORMAT, "speed of host %s must be in [%g, %g] flop/s, got %g",
                    sg_host_get_name(host), EGC_HOST_FLOPS_MIN, EGC_HOST_FLOPS_MAX, speed_flops);
}

static egc_status check_link(sg_link_t link, egc_error *err)
{
    double bandwidth_Bps = sg_link_get_bandwidth(link), latency_s = sg_link_get_latency(link);
    const char *name = sg_link_get_name(link);
    if (!(bandwidth_Bps >= EGC_LINK_BPS_MIN && bandwidth_Bps <= EGC_LINK_BPS_MAX))
        return egc_fail(err, EGC_ERROR_FORMAT,
                        "bandwidth of link %s must be in [%g, %g] B/s, got %g", name,
                        EGC_LINK_BPS_MIN, EGC_LINK_BPS_MAX, bandwidth_Bps);
    if (!(latency_s >= 0 && latency_s <= EGC_TIME_S_MAX))
        return egc_fail(err, EGC_ERROR_FORMAT, "latency of link %s must be in [0, %g] s, got %g",
                        name, EGC_TIME_S_MAX, latency_s);
    return EGC_OK;
}

static egc_status check_route(const notes *at)
{
    egc_status status = EGC_OK;
    for (unsigned long i = 0; i < xbt_dynar_length(at->route) && !status; i++)
        status = check_link(xbt_dynar_get_as(at->route, i, sg_link_t), at->err);
    return status;
}

static egc_status choose_hosts(notes *at, const request *wanted)
{
    size_t n = sg_host_count(), n_chosen = 0;
    if (n == 0)
        return egc_fail(at->err, EGC_ERROR_FORMAT, "a platform must have hosts, got none");
    sg_host_t *all = sg_host_list();
    const char **names = egc_calloc(2 * n + 1, sizeof *names), **chosen = names + n;
    at->chosen = egc_calloc(n + 1, sizeof *at->chosen);
    if (!names || !at->chosen)
        return egc_fail_memory(at->err, n * sizeof *names);
    egc_status status = EGC_OK;
    for (size_t i = 0; i < n && !status; i++) {
        names[i] = sg_host_get_name(all[i]);
        status = egc_host_power_check(all[i], at->err); /* SimGrid's plugin would read them all */
    }
    if (!status)
        status = wanted->choose(wanted->arg, names, n, chosen, &n_chosen, at->err);
    for (size_t i = 0; i < n_chosen && !status; i++) {
        egc_probe_host host = {0};
        at->chosen[i] = sg_host_by_name(chosen[i]);
        host.speed_flops = sg_host_get_speed(at->chosen[i]);
        status = check_host(at->chosen[i], at->err);
        if (!status)
            status = note_name(at, chosen[i], &host.name);
        if (!status)
            status = egc_buf_append(&at->hosts, &host, sizeof host, at->err);
    }
    at->n_chosen = n_chosen;
    return status;
}

/* A link's number is kept in its user data, one too large. */
static egc_status note_link(notes *at, sg_link_t link, uint32_t *number)
{
    size_t known = (size_t)sg_link_get_data(link);
    *number = (uint32_t)(known ? known - 1 : at->n.n_links);
    if (known)
        return EGC_OK;
    egc_probe_link found = {.bandwidth_Bps = sg_link_get_bandwidth(link),
                            .latency_s = sg_link_get_latency(link),
                            .alone = !sg_link_is_shared(link)};
    sg_link_set_data(link, (void *)++at->n.n_links);
    egc_status status = note_name(at, sg_link_get_name(link), &found.name);
    return status ? status : egc_buf_append(&at->links, &found, sizeof found, at->err);
}

static egc_status note_steps(notes *at, egc_probe_route *route)
{
    route->first = (uint32_t)at->n.n_steps;
    route->n = (uint32_t)xbt_dynar_length(at->route);
    at->n.n_steps += route->n;
    egc_status status = EGC_OK;
    for (uint32_t i = 0; i < route->n && !status; i++) {
        uint32_t number;
        status = note_link(at, xbt_dynar_get_as(at->route, i, sg_link_t), &number);
        if (!status)
            status = egc_buf_append(&at->steps, &number, sizeof number, at->err);
    }
    return status;
}

static egc_status ask_route(notes *at, size_t from, size_t to)
{
    sg_host_t a = at->chosen[from], b = at->chosen[to];
    xbt_dynar_reset(at->route);
    sg_host_get_route(a, b, at->route);
    if (xbt_dynar_is_empty(at->route))
        return egc_fail(at->err, EGC_ERROR_FORMAT, "there is no route from host %s to %s%s",
                        sg_host_get_name(a), from == to ? "itself" : sg_host_get_name(b),
                        from == to ? "; give its <cluster> loopback_bw and loopback_lat" : "");
    egc_status status = check_route(at);
    if (status || from == to)
        return status;
    egc_probe_route route = {
        .from = (uint32_t)from, .to = (uint32_t)to, .latency_s = sg_host_get_route_latency(a, b)};
    size_t *kind = route.latency_s > 0 ? &at->moving : &at->still;
    *kind = *kind == SIZE_MAX ? at->n.n_routes : *kind;
    at->n.n_routes++;
    status = note_steps(at, &route);
    return status ? status : egc_buf_append(&at->routes, &route, sizeof route, at->err);
}

/* Peers at distances that are spread evenly, the same both ways round, so that of a route its way
 * back is looked at too. */
static egc_status ask_routes_from(notes *at, size_t from)
{
    size_t n = at->n_chosen, all = n - 1;
    size_t peers = all < EGC_PROBE_ROUTES / n ? all : EGC_PROBE_ROUTES / n;
    egc_status status = ask_route(at, from, from);
    for (size_t i = 0; i < peers && !status; i++) {
        size_t distance = 1 + i * all / peers;
        if (i >= peers / 2 && peers < all)
            distance = n - (1 + (peers - 1 - i) * all / peers);
        status = ask_route(at, from, (from + distance) % n);
    }
    return status;
}

static egc_status check_latencies(const notes *at)
{
    if (at->moving == SIZE_MAX || at->still == SIZE_MAX)
        return EGC_OK;
    const egc_probe_route *still = (const egc_probe_route *)(void *)at->routes.data + at->still;
    return egc_fail(at->err, EGC_ERROR_FORMAT,
                    "the route from host %s to %s has no latency, others have: SimGrid would "
                    "starve its messages; give its links a latency",
                    sg_host_get_name(at->chosen[still->from]),
                    sg_host_get_name(at->chosen[still->to]));
}

static egc_status write_notes(notes *at, egc_buf *out)
{
    const egc_buf *const parts[] = {&at->hosts, &at->links, &at->routes, &at->steps, &at->text};
    at->n.n_hosts = at->n_chosen;
    at->n.n_text = at->text.len;
    egc_status status = egc_buf_append(out, &at->n, sizeof at->n, at->err);
    for (size_t i = 0; i < sizeof parts / sizeof *parts && !status; i++)
        if (parts[i]->len)
            status = egc_buf_append(out, parts[i]->data, parts[i]->len, at->err);
    return status;
}

/* Routes are made when a platform is first run, not when it is loaded. The child ends right after,
 * and gives no memory back. */
static egc_status ask(void *arg, egc_buf *out, egc_error *err)
{
    const request *wanted = arg;
    const char *options[] = {"egc-sim", "--log=root.thres:error", "--log=root.fmt:%m%n"};
    int count = 3;
    notes at = {.err = err, .moving = SIZE_MAX, .still = SIZE_MAX};
    egc_status status = EGC_OK;
    simgrid_init(&count, (char **)options);
    if (wanted->file)
        simgrid_load_platform(wanted->file);
    else
        status = egc_platform_file_load(wanted->xml, err);
    if (status)
        return status;
    if (!sg_zone_get_root())
        return egc_fail(err, EGC_ERROR_FORMAT, "a platform must have a <zone> or a <cluster>");
    simgrid_run();
    at.route = xbt_dynar_new(sizeof(sg_link_t), NULL);
    status = choose_hosts(&at, wanted);
    for (size_t from = 0; from < at.n_chosen && !status; from++)
        status = ask_routes_from(&at, from);
    if (!status)
        status = check_latencies(&at);
    return status ? status : write_notes(&at, out);
}

/* ---- in the parent ------------------------------------------------------------------------- */

/* Copies the next n items of `size` bytes, aligned. */
static egc_status take(egc_reader *reader, egc_arena *arena, size_t n, size_t size,
                       const void **out, egc_error *err)
{
    const uint8_t *bytes;
    void *items = egc_arena_alloc(arena, n * size + 1);
    egc_status status =
        items ? egc_reader_take(reader, n * size, &bytes, err) : egc_fail_memory(err, n * size);
    if (!status && n)
        memcpy(items, bytes, n * size);
    *out = items;
    return status;
}

static egc_status read_notes(const egc_buf *in, egc_arena *arena, egc_probe *out, egc_error *err)
{
    egc_reader reader = egc_reader_of(in->data, in->len);
    const void *n_items, *hosts, *links, *routes, *steps, *text;
    egc_status status = take(&reader, arena, 1, sizeof(header), &n_items, err);
    if (status)
        return status;
    const header *n = n_items;
    status = take(&reader, arena, n->n_hosts, sizeof *out->hosts, &hosts, err);
    if (!status)
        status = take(&reader, arena, n->n_links, sizeof *out->links, &links, err);
    if (!status)
        status = take(&reader, arena, n->n_routes, sizeof *out->routes, &routes, err);
    if (!status)
        status = take(&reader, arena, n->n_steps, sizeof *out->steps, &steps, err);
    if (!status)
        status = take(&reader, arena, n->n_text, 1, &text, err);
    if (!status)
        *out = (egc_probe){.n_hosts = n->n_hosts,
                           .n_links = n->n_links,
                           .n_steps = n->n_steps,
                           .n_routes = n->n_routes,
                           .hosts = hosts,
                           .links = links,
                           .routes = routes,
                           .steps = steps,
                           .text = text};
    return status;
}

static egc_status probe(request *wanted, egc_arena *arena, egc_probe *out, egc_error *err)
{
    egc_buf found = {0};
    egc_status status = egc_isolated_run(ask, wanted, &found, err);
    if (!status)
        status = read_notes(&found, arena, out, err);
    egc_buf_fini(&found);
    return status;
}

egc_status egc_probe_file(const char *file, egc_probe_choose choose, const void *arg,
                          egc_arena *arena, egc_probe *out, egc_error *err)
{
    return probe(&(request){.file = file, .choose = choose, .arg = arg}, arena, out, err);
}

typedef struct named_hosts {
    const egc_cluster_type *type;
    const void *params;
} named_hosts;

static egc_status choose_by_name(const void *arg, const char *const *names, size_t n,
                                 const char **chosen, size_t *n_chosen, egc_error *err)
{
    const named_hosts *wanted = arg;
    (void)names;
    *n_chosen = wanted->type->hosts(wanted->params);
    if (*n_chosen > n)
        return egc_fail(err, EGC_ERROR_FORMAT, "platform of cluster %s has %zu hosts of %zu",
                        wanted->type->name, n, *n_chosen);
    for (size_t i = 0; i < *n_chosen; i++) {
        char *room = egc_calloc(1, EGC_HOST_NAME);
        if (!room)
            return egc_fail_memory(err, EGC_HOST_NAME);
        chosen[i] = egc_cluster_host_name(wanted->type, wanted->params, i, room);
        if (!sg_host_by_name(chosen[i]))
            return egc_fail(err, EGC_ERROR_FORMAT, "platform of cluster %s has no host %s",
                            wanted->type->name, chosen[i]);
    }
    return EGC_OK;
}

egc_status egc_probe_cluster(const egc_cluster_type *type, const void *params, egc_arena *arena,
                             egc_probe *out, egc_error *err)
{
    egc_buf xml = {0};
    const named_hosts wanted = {type, params};
    request asked = {.choose = choose_by_name, .arg = &wanted, .xml = &xml};
    egc_status status = EGC_OK;
    if (type->file)
        asked.file = type->file(params);
    else
        status = type->write_platform(params, 1e9, &xml, err);
    if (!status)
        status = probe(&asked, arena, out, err);
    egc_buf_fini(&xml);
    return status;
}
