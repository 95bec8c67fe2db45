/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Platform XML by SimGrid's DTD 4.1. Routes are collected apart, because SimGrid requires all links
 * of a zone before its routes. */
#include "net/cluster/writer.h"

#include <math.h>
#include <stdio.h>

#include "base/text.h"

/* SimGrid's loopback bandwidth; its latency of 0 is avoided because a flow without latency
 * starves those that have some. A cluster without a loopback would send a host's messages to itself
 * over the host's link. */
#define LOOPBACK_BANDWIDTH "\"10000000000Bps\""
#define LOOPBACK_LATENCY "\"1e-07s\""

typedef struct switch_name {
    char text[32];
} switch_name;

static egc_real_text goodput(const egc_writer *w, double bandwidth_Bps)
{
    return egc_text_of_real(bandwidth_Bps * w->common->efficiency);
}

egc_writer egc_writer_begin(const egc_cluster_common *common, double speed_flops, egc_buf *xml,
                            egc_error *err)
{
    egc_writer w = {.common = common, .speed_flops = speed_flops, .xml = xml, .err = err};
    EGC_WRITE(&w, "<?xml version=\"1.0\"?>\n"
                  "<!DOCTYPE platform SYSTEM \"https://simgrid.org/simgrid.dtd\">\n"
                  "<platform version=\"4.1\">\n");
    return w;
}

egc_status egc_writer_end(egc_writer *w)
{
    EGC_WRITE(w, "</platform>\n");
    egc_buf_fini(&w->routes);
    return w->status;
}

static switch_name name_of(size_t which)
{
    switch_name name = {"core"};
    if (which != EGC_SWITCH_CORE)
        snprintf(name.text, sizeof name.text, "%zu", which);
    return name;
}

void egc_writer_zone_begin(egc_writer *w, size_t zone, const char *routing)
{
    EGC_WRITE(w, "<zone id=\"zone-%s\" routing=\"%s\">\n",
              zone == EGC_ZONE_ALL ? "all" : name_of(zone).text, routing);
}

/* Links of a zone are written after its inner zones have ended: the routes are those of one zone.
 */
void egc_writer_zone_end(egc_writer *w)
{
    if (!w->status)
        w->status = egc_buf_append(w->xml, w->routes.data, w->routes.len, w->err);
    egc_buf_clear(&w->routes);
    EGC_WRITE(w, "</zone>\n");
}

void egc_writer_group(egc_writer *w, const egc_host_group *group)
{
    EGC_WRITE(
        w,
        "<cluster id=\"group-%zu\" prefix=\"host-\" radical=\"%zu-%zu\" suffix=\"\"\n"
        "  speed=\"%sf\" core=\"%lld\" bw=\"%sBps\" lat=\"%ss\" sharing_policy=\"SPLITDUPLEX\"\n"
        "  router_id=\"switch-%zu\" loopback_bw=" LOOPBACK_BANDWIDTH
        " loopback_lat=" LOOPBACK_LATENCY,
        group->number, group->first, group->first + group->n - 1,
        egc_text_of_real(w->speed_flops).text, (long long)w->common->cores,
        goodput(w, group->bandwidth_Bps).text, egc_text_of_real(group->latency_s).text,
        group->number);
    if (group->topology)
        EGC_WRITE(w, "\n  topology=\"%s\" topo_parameters=\"%s\"", group->topology,
                  group->topo_parameters);
    EGC_WRITE(w, "/>\n");
}

/* A router stands in a zone; one without hosts gets a zone of its own. */
void egc_writer_core(egc_writer *w)
{
    EGC_WRITE(w, "<zone id=\"group-core\" routing=\"None\"><router id=\"switch-core\"/></zone>\n");
}

/* Writes a link between the zones that SimGrid knows as kind-from and kind-to, and its route. */
static void write_link(egc_writer *w, const char *kind, egc_zone_end from, egc_zone_end to,
                       double bandwidth_Bps, double latency_s)
{
    switch_name a = name_of(from.switch_number), b = name_of(to.switch_number);
    EGC_WRITE(w,
              "<link id=\"link-%s-%s\" bandwidth=\"%sBps\" latency=\"%ss\" "
              "sharing_policy=\"SPLITDUPLEX\"/>\n",
              a.text, b.text, goodput(w, bandwidth_Bps).text, egc_text_of_real(latency_s).text);
    EGC_WRITE_ROUTE(
        w,
        "<zoneRoute src=\"%s-%s\" dst=\"%s-%s\" gw_src=\"switch-%s\" gw_dst=\"switch-%s\">"
        "<link_ctn id=\"link-%s-%s\" direction=\"UP\"/></zoneRoute>\n",
        kind, name_of(from.zone).text, kind, name_of(to.zone).text, a.text, b.text, a.text, b.text);
}

void egc_writer_link(egc_writer *w, size_t from, size_t to, double bandwidth_Bps, double latency_s)
{
    write_link(w, "group", (egc_zone_end){from, from}, (egc_zone_end){to, to}, bandwidth_Bps,
               latency_s);
}

void egc_writer_zone_link(egc_writer *w, egc_zone_end from, egc_zone_end to, double bandwidth_Bps,
                          double latency_s)
{
    write_link(w, "zone", from, to, bandwidth_Bps, latency_s);
}

void egc_writer_loopback(egc_writer *w, const char *host)
{
    EGC_WRITE(w,
              "<link id=\"%s-loopback\" bandwidth=" LOOPBACK_BANDWIDTH " latency=" LOOPBACK_LATENCY
              "/>\n",
              host);
    EGC_WRITE_ROUTE(w, "<route src=\"%s\" dst=\"%s\"><link_ctn id=\"%s-loopback\"/></route>\n",
                    host, host, host);
}

void egc_writer_host(egc_writer *w, size_t host, double up_Bps, double down_Bps, double latency_s)
{
    char name[EGC_HOST_NAME];
    egc_real_text latency = egc_text_of_real(latency_s);
    snprintf(name, sizeof name, "host-%zu", host);
    EGC_WRITE(w,
              "<host id=\"%s\" speed=\"%sf\" core=\"%lld\"/>\n"
              "<link id=\"%s_UP\" bandwidth=\"%sBps\" latency=\"%ss\"/>\n"
              "<link id=\"%s_DOWN\" bandwidth=\"%sBps\" latency=\"%ss\"/>\n"
              "<host_link id=\"%s\" up=\"%s_UP\" down=\"%s_DOWN\"/>\n",
              name, egc_text_of_real(w->speed_flops).text, (long long)w->common->cores, name,
              goodput(w, up_Bps).text, latency.text, name, goodput(w, down_Bps).text, latency.text,
              name, name, name);
    egc_writer_loopback(w, name);
}
