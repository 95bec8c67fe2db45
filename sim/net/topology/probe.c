/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The child loads the platform, walks routes, and returns five arrays end to end, behind a header
 * of their lengths; the parent points into a copy of them. Functions of the child record the first
 * error in `status` and do nothing after it. */
#include "net/topology/probe.h"

#include <simgrid/engine.h>
#include <simgrid/host.h>
#include <simgrid/link.h>
#include <simgrid/zone.h>
#include <stdio.h>
#include <string.h>
#include <xbt/dynar.h>

#include "base/mem.h"
#include "net/topology/host_power.h"
#include "net/topology/isolated.h"
#include "net/topology/platform_file.h"

typedef struct request {
    const egc_cluster_type *type;
    const void *params;
    const egc_buf *xml; /* NULL: the type's file */
    bool choose;        /* hosts by the type's choose_hosts, not by their names */
} request;

/* The arrays of egc_probe, in the order in which the child writes them. */
enum { HOSTS, LINKS, ROUTES, STEPS, TEXT, N_ARRAYS };

typedef struct header {
    size_t bytes[N_ARRAYS];
} header;

/* ---- in the child: asking SimGrid ---------------------------------------------------------- */

typedef struct recorder {
    const request *wanted;
    sg_host_t *chosen;
    size_t n_chosen, n_links, n_routes;
    egc_buf arrays[N_ARRAYS];
    xbt_dynar_t route;
    size_t delayed, instant; /* the first routes with and without latency; SIZE_MAX for none */
    egc_status status;
    egc_error *err;
} recorder;

static void append(recorder *r, int array, const void *item, size_t bytes)
{
    if (!r->status)
        r->status = egc_buf_append(&r->arrays[array], item, bytes, r->err);
}

/* Returns the offset of the name. */
static uint32_t append_name(recorder *r, const char *name)
{
    uint32_t offset = (uint32_t)r->arrays[TEXT].len;
    append(r, TEXT, name, strlen(name) + 1);
    return offset;
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

/* The hosts of a cluster that is known, in the order of ranks. */
static egc_status list_hosts(const request *wanted, size_t n, const char **chosen, size_t *n_chosen,
                             egc_error *err)
{
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

/* Fills in r->chosen. SimGrid's energy plugin would read the powers of all hosts. */
static egc_status choose_hosts(recorder *r)
{
    const request *wanted = r->wanted;
    size_t n = sg_host_count();
    if (n == 0)
        return egc_fail(r->err, EGC_ERROR_FORMAT, "a platform must have hosts, got none");
    sg_host_t *all = sg_host_list();
    const char **names = egc_calloc(2 * n + 1, sizeof *names), **chosen = names + n;
    r->chosen = egc_calloc(n + 1, sizeof *r->chosen);
    if (!names || !r->chosen)
        return egc_fail_memory(r->err, n * sizeof *names);
    egc_status status = EGC_OK;
    for (size_t i = 0; i < n && !status; i++) {
        names[i] = sg_host_get_name(all[i]);
        status = egc_host_power_check(all[i], r->err);
    }
    if (!status && wanted->choose)
        status = wanted->type->choose_hosts(wanted->params, names, n, chosen, &r->n_chosen, r->err);
    else if (!status)
        status = list_hosts(wanted, n, chosen, &r->n_chosen, r->err);
    for (size_t i = 0; i < r->n_chosen && !status; i++) {
        r->chosen[i] = sg_host_by_name(chosen[i]);
        status = check_host(r->chosen[i], r->err);
    }
    return status;
}

static void append_hosts(recorder *r)
{
    for (size_t i = 0; i < r->n_chosen; i++) {
        egc_probe_host host = {.speed_flops = sg_host_get_speed(r->chosen[i])};
        host.name = append_name(r, sg_host_get_name(r->chosen[i]));
        append(r, HOSTS, &host, sizeof host);
    }
}

/* Returns the index of a link. It is kept in the link's user data, plus 1. */
static uint32_t append_link(recorder *r, sg_link_t link)
{
    size_t known = (size_t)sg_link_get_data(link);
    if (known)
        return (uint32_t)(known - 1);
    egc_probe_link found = {.bandwidth_Bps = sg_link_get_bandwidth(link),
                            .latency_s = sg_link_get_latency(link),
                            .name = append_name(r, sg_link_get_name(link)),
                            .alone = !sg_link_is_shared(link)};
    append(r, LINKS, &found, sizeof found);
    sg_link_set_data(link, (void *)++r->n_links);
    return (uint32_t)(r->n_links - 1);
}

static void append_route(recorder *r, size_t from, size_t to)
{
    egc_probe_route route = {
        .from = (uint32_t)from,
        .to = (uint32_t)to,
        .first = (uint32_t)(r->arrays[STEPS].len / sizeof(uint32_t)),
        .n = (uint32_t)xbt_dynar_length(r->route),
        .latency_s = sg_host_get_route_latency(r->chosen[from], r->chosen[to]),
    };
    size_t *first = route.latency_s > 0 ? &r->delayed : &r->instant;
    *first = *first == SIZE_MAX ? r->n_routes : *first;
    for (uint32_t i = 0; i < route.n; i++) {
        uint32_t link = append_link(r, xbt_dynar_get_as(r->route, i, sg_link_t));
        append(r, STEPS, &link, sizeof link);
    }
    append(r, ROUTES, &route, sizeof route);
    r->n_routes++;
}

/* Checks the route, and records it unless it is from a host to itself. */
static void ask_route(recorder *r, size_t from, size_t to)
{
    sg_host_t a = r->chosen[from], b = r->chosen[to];
    if (r->status)
        return;
    xbt_dynar_reset(r->route);
    sg_host_get_route(a, b, r->route);
    if (xbt_dynar_is_empty(r->route))
        r->status = egc_fail(r->err, EGC_ERROR_FORMAT, "there is no route from host %s to %s%s",
                             sg_host_get_name(a), from == to ? "itself" : sg_host_get_name(b),
                             from == to ? "; give its <cluster> loopback_bw and loopback_lat" : "");
    for (unsigned long i = 0; i < xbt_dynar_length(r->route) && !r->status; i++)
        r->status = check_link(xbt_dynar_get_as(r->route, i, sg_link_t), r->err);
    if (!r->status && from != to)
        append_route(r, from, to);
}

/* A sample of peers is at evenly spread distances, the same in both directions, so that with each
 * route its way back is recorded too. */
static void ask_routes_from(recorder *r, size_t from)
{
    size_t n = r->n_chosen, all = n - 1;
    size_t peers = all < EGC_PROBE_ROUTES / n ? all : EGC_PROBE_ROUTES / n;
    ask_route(r, from, from);
    for (size_t i = 0; i < peers; i++) {
        size_t distance = 1 + i * all / peers;
        if (i >= peers / 2 && peers < all)
            distance = n - (1 + (peers - 1 - i) * all / peers);
        ask_route(r, from, (from + distance) % n);
    }
}

static egc_status check_latencies(const recorder *r)
{
    if (r->delayed == SIZE_MAX || r->instant == SIZE_MAX)
        return EGC_OK;
    const egc_probe_route *routes = (const egc_probe_route *)(void *)r->arrays[ROUTES].data;
    return egc_fail(r->err, EGC_ERROR_FORMAT,
                    "the route from host %s to %s has no latency, others have: SimGrid would "
                    "starve its messages; give its links a latency",
                    sg_host_get_name(r->chosen[routes[r->instant].from]),
                    sg_host_get_name(r->chosen[routes[r->instant].to]));
}

static egc_status write_arrays(const recorder *r, egc_buf *out)
{
    header lengths;
    for (int i = 0; i < N_ARRAYS; i++)
        lengths.bytes[i] = r->arrays[i].len;
    egc_status status = egc_buf_append(out, &lengths, sizeof lengths, r->err);
    for (int i = 0; i < N_ARRAYS && !status; i++)
        if (r->arrays[i].len)
            status = egc_buf_append(out, r->arrays[i].data, r->arrays[i].len, r->err);
    return status;
}

/* SimGrid builds routes when a platform first runs, not when it is loaded. The child exits after
 * this and frees no memory. */
static egc_status ask(void *arg, egc_buf *out, egc_error *err)
{
    const request *wanted = arg;
    const char *options[] = {"egc-sim", "--log=root.thres:error", "--log=root.fmt:%m%n"};
    int count = 3;
    recorder r = {.wanted = wanted, .delayed = SIZE_MAX, .instant = SIZE_MAX, .err = err};
    simgrid_init(&count, (char **)options);
    if (!wanted->xml)
        simgrid_load_platform(wanted->type->file(wanted->params));
    else if (egc_platform_file_load(wanted->xml, err))
        return err->status;
    if (!sg_zone_get_root())
        return egc_fail(err, EGC_ERROR_FORMAT, "a platform must have a <zone> or a <cluster>");
    simgrid_run();
    r.route = xbt_dynar_new(sizeof(sg_link_t), NULL);
    r.status = choose_hosts(&r);
    if (!r.status)
        append_hosts(&r);
    for (size_t from = 0; from < r.n_chosen && !r.status; from++)
        ask_routes_from(&r, from);
    if (!r.status)
        r.status = check_latencies(&r);
    return r.status ? r.status : write_arrays(&r, out);
}

/* ---- in the parent ------------------------------------------------------------------------- */

/* The sizes of the items keep each array aligned behind the one before it. */
static egc_status read_arrays(const egc_buf *in, egc_arena *arena, egc_probe *out, egc_error *err)
{
    uint8_t *copy = egc_arena_alloc(arena, in->len);
    if (!copy)
        return egc_fail_memory(err, in->len);
    memcpy(copy, in->data, in->len);
    const size_t *bytes = ((const header *)(void *)copy)->bytes;
    uint8_t *arrays[N_ARRAYS + 1] = {copy + sizeof(header)};
    for (int i = 0; i < N_ARRAYS; i++)
        arrays[i + 1] = arrays[i] + bytes[i];
    *out = (egc_probe){.n_hosts = bytes[HOSTS] / sizeof *out->hosts,
                       .n_links = bytes[LINKS] / sizeof *out->links,
                       .n_routes = bytes[ROUTES] / sizeof *out->routes,
                       .n_steps = bytes[STEPS] / sizeof *out->steps,
                       .hosts = (void *)arrays[HOSTS],
                       .links = (void *)arrays[LINKS],
                       .routes = (void *)arrays[ROUTES],
                       .steps = (void *)arrays[STEPS],
                       .text = (void *)arrays[TEXT]};
    return EGC_OK;
}

static egc_status probe(request wanted, egc_arena *arena, egc_probe *out, egc_error *err)
{
    egc_buf found = {0};
    egc_status status = egc_isolated_run(ask, &wanted, &found, err);
    if (!status)
        status = read_arrays(&found, arena, out, err);
    egc_buf_fini(&found);
    return status;
}

egc_status egc_probe_file(const egc_cluster_type *type, const void *params, egc_arena *arena,
                          egc_probe *out, egc_error *err)
{
    return probe((request){.type = type, .params = params, .choose = true}, arena, out, err);
}

egc_status egc_probe_cluster(const egc_cluster_type *type, const void *params, egc_arena *arena,
                             egc_probe *out, egc_error *err)
{
    egc_buf xml = {0};
    egc_status status = type->file ? EGC_OK : type->write_platform(params, 1e9, &xml, err);
    if (!status)
        status = probe((request){type, params, type->file ? NULL : &xml, false}, arena, out, err);
    egc_buf_fini(&xml);
    return status;
}
