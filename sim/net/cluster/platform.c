/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Any SimGrid platform, from its XML file, which gives bandwidths, latencies, and profiles of speed
 * and of failures.
 *
 * SimGrid aborts on many errors in the file: net/topology/prepare.c finds these by loading it in a
 * child process. This unit searches the text for constructs that SimGrid 3.32 simulates wrongly
 * without a word: a dragonfly of several chassis (routed over links that do not touch), FATPIPE
 * clusters (treated as SHARED), hosts that do not fit in a cluster's topology (dropped), and Wifi
 * links (useless without rates, which the C interface cannot set).
 *
 * Workers sit on the hosts that match `hosts`, pattern by pattern, and within one pattern in the
 * order of their numbers: n2 before n10. */
#include <fnmatch.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "base/hash.h"
#include "base/rng.h"
#include "net/cluster/cluster.h"

typedef enum speeds { RELATIVE, ABSOLUTE } speeds;

typedef struct platform {
    egc_cluster_common common;
    char file[EGC_TEXT_LENGTH], hosts[EGC_TEXT_LENGTH];
    int speeds;
    uint64_t files; /* hash of their contents; set by read_files */
    size_t n_hosts; /* these four: set by set_network */
    double latency_s, bandwidth_Bps;
    const char *const *names;
} platform;

static const char *const speeds_words[] = {"relative", "absolute", NULL};

static const egc_param params[] = {
    EGC_CLUSTER_DEVICE_PARAMS(platform),
    EGC_PARAM(platform, file, TEXT, "file", "path of the platform, XML of SimGrid", .def_text = ""),
    EGC_PARAM(platform, hosts, TEXT, "hosts",
              "hosts that workers sit on: names and patterns (*, ?, [0-9]), with commas between",
              .def_text = "*"),
    EGC_PARAM(platform, speeds, CHOICE, "speeds",
              "relative: the first host computes as device or speed says, others as much faster or "
              "slower as in the file; absolute: every host computes as fast as the file says",
              .def = RELATIVE, .choices = speeds_words),
    EGC_PARAM_END,
};

/* ---- errors that SimGrid does not report --------------------------------------------------- */

typedef struct tag {
    const char *text, *end; /* the attributes, between the name and > */
} tag;

/* Finds the next tag called name at or after *text, and moves *text past it. Skips comments. */
static bool find_tag(const char **text, const char *name, tag *out)
{
    size_t length = strlen(name);
    for (const char *c = *text; (c = strchr(c, '<'));) {
        bool comment = strncmp(c, "<!--", 4) == 0;
        const char *end = strstr(c, comment ? "-->" : ">");
        if (!end)
            return false;
        if (strncmp(c + 1, name, length) == 0 && strchr(" \t\r\n/>", c[1 + length])) {
            *out = (tag){c + 1 + length, end};
            *text = end;
            return true;
        }
        c = end;
    }
    return false;
}

/* The value of an attribute; "" without one. */
static const char *attribute(const tag *at, const char *name, char out[EGC_TEXT_LENGTH])
{
    size_t length = strlen(name);
    out[0] = '\0';
    for (const char *c = at->text; (c = strstr(c, name)) && c < at->end; c += length) {
        const char *quote = c + length + strspn(c + length, " \t\r\n=");
        if (!strchr(" \t\r\n", c[-1]) || (*quote != '"' && *quote != '\''))
            continue;
        const char *close = strchr(quote + 1, *quote);
        if (close && close < at->end)
            snprintf(out, EGC_TEXT_LENGTH, "%.*s", (int)(close - quote - 1), quote + 1);
        break;
    }
    return out;
}

/* The product of the numbers at the start of text, separated by commas. */
static double product(const char *text)
{
    double all = 1;
    char *end;
    for (;; text = end + 1) {
        all *= (double)strtoul(text, &end, 10);
        if (end == text || *end != ',')
            return all;
    }
}

/* The number of hosts of a radical, as "0-7,9". */
static double count_radical(const char *text)
{
    double n = 0;
    for (char *end; *text; text = *end == ',' ? end + 1 : end) {
        unsigned long first = strtoul(text, &end, 10), last = first;
        if (end == text)
            break;
        if (*end == '-')
            last = strtoul(end + 1, &end, 10);
        n += (double)last - (double)first + 1;
    }
    return n;
}

static egc_status check_cluster_size(const char *id, double declared, double built, egc_error *err)
{
    if (declared == built)
        return EGC_OK;
    return egc_fail(err, EGC_ERROR_FORMAT,
                    "cluster %s: radical must name as many hosts as topo_parameters make, got %g "
                    "and %g",
                    id, declared, built);
}

static egc_status check_dragonfly(const char *id, const char *topology, double declared,
                                  egc_error *err)
{
    unsigned groups, blue, chassis, black, routers, green, nodes;
    if (sscanf(topology, "%u,%u;%u,%u;%u,%u;%u", &groups, &blue, &chassis, &black, &routers, &green,
               &nodes) != 7)
        return EGC_OK; /* SimGrid reports the error */
    if (chassis > 1 || groups > routers)
        return egc_fail(
            err, EGC_ERROR_FORMAT,
            "cluster %s: SimGrid routes a dragonfly rightly only with one chassis a "
            "group and no more groups than routers in it, got %u chassis, %u groups and "
            "%u routers; egc.cluster.dragonfly has no such limit",
            id, chassis, groups, routers);
    return check_cluster_size(id, declared, (double)groups * chassis * routers * nodes, err);
}

static egc_status check_cluster_tag(const tag *at, egc_error *err)
{
    char id[EGC_TEXT_LENGTH], text[EGC_TEXT_LENGTH], kind[EGC_TEXT_LENGTH];
    attribute(at, "id", id);
    if (strcmp(attribute(at, "sharing_policy", text), "FATPIPE") == 0)
        return egc_fail(err, EGC_ERROR_FORMAT,
                        "cluster %s: sharing_policy must be SPLITDUPLEX or SHARED, got FATPIPE, "
                        "which SimGrid takes for SHARED",
                        id);
    double declared = count_radical(attribute(at, "radical", text));
    attribute(at, "topology", kind);
    attribute(at, "topo_parameters", text);
    if (strcmp(kind, "TORUS") == 0)
        return check_cluster_size(id, declared, product(text), err);
    if (strcmp(kind, "DRAGONFLY") == 0)
        return check_dragonfly(id, text, declared, err);
    const char *down = strchr(text, ';');
    if (strcmp(kind, "FAT_TREE") == 0 && down)
        return check_cluster_size(id, declared, product(down + 1), err);
    return EGC_OK;
}

static egc_status check_text(const char *text, egc_error *err)
{
    char value[EGC_TEXT_LENGTH];
    egc_status status = EGC_OK;
    tag at;
    for (const char *from = text; !status && find_tag(&from, "cluster", &at);)
        status = check_cluster_tag(&at, err);
    for (const char *from = text; !status && find_tag(&from, "link", &at);)
        if (strcmp(attribute(&at, "sharing_policy", value), "WIFI") == 0)
            status = egc_fail(err, EGC_ERROR_FORMAT,
                              "link %s: sharing_policy must not be WIFI, which works in C++ only",
                              attribute(&at, "id", value));
    return status;
}

/* ---- contents of the files ----------------------------------------------------------------- */

/* Only regular files: a pipe or a device may block or never end. */
static bool read_plain(egc_buf *text, const char *path)
{
    struct stat info;
    egc_error none;
    egc_buf_clear(text);
    return stat(path, &info) == 0 && S_ISREG(info.st_mode) &&
           egc_buf_read_file(text, path, &none) == EGC_OK;
}

/* SimGrid searches the current folder, then that of the platform, and refuses a missing file. */
static uint64_t hash_named_file(uint64_t hash, const char *platform_path, const char *name)
{
    egc_buf text = {0};
    char beside[2 * EGC_TEXT_LENGTH];
    const char *slash = strrchr(platform_path, '/');
    snprintf(beside, sizeof beside, "%.*s%s", slash ? (int)(slash + 1 - platform_path) : 0,
             platform_path, name);
    if (read_plain(&text, name) || (*name != '/' && read_plain(&text, beside)))
        hash = egc_hash(hash, text.data, text.len);
    egc_buf_fini(&text);
    return hash;
}

/* Hashes the platform's text and that of the files it names, such as profiles, in attributes whose
 * names end in "file". */
static uint64_t hash_text(const char *path, const char *text)
{
    uint64_t hash = egc_hash(EGC_HASH_START, text, strlen(text));
    for (const char *c = text; (c = strstr(c, "file"));) {
        char name[EGC_TEXT_LENGTH];
        c += strlen("file");
        const char *quote = c + strspn(c, " \t\r\n=");
        bool opens = *quote == '"' || *quote == '\'';
        size_t length = opens ? strcspn(quote + 1, (char[]){*quote, '\0'}) : 0;
        if (quote == c || length == 0 || length >= sizeof name)
            continue;
        snprintf(name, sizeof name, "%.*s", (int)length, quote + 1);
        hash = hash_named_file(hash, path, name);
    }
    return hash;
}

/* ---- selection of hosts --------------------------------------------------------------------- */

static int compare_names(const void *a, const void *b)
{
    return strverscmp(*(const char *const *)a, *(const char *const *)b);
}

static egc_status fail_no_host(const char *pattern, const char *const *names, size_t n,
                               egc_error *err)
{
    egc_error_names some = {0};
    for (size_t i = 0; i < n; i++)
        egc_error_names_add(&some, names[i]);
    return egc_fail(err, EGC_ERROR_NAME, "hosts: no host is called \"%s\"; there are: %s", pattern,
                    some.text);
}

/* Appends the hosts that match and are not chosen yet. */
static egc_status choose_pattern(const char *pattern, const char *const *names, size_t n,
                                 const char **chosen, size_t *n_chosen, egc_error *err)
{
    size_t before = *n_chosen;
    bool found = false;
    for (size_t i = 0; i < n; i++) {
        bool taken = false;
        if (fnmatch(pattern, names[i], 0) != 0)
            continue;
        found = true;
        for (size_t k = 0; k < before && !taken; k++)
            taken = chosen[k] == names[i];
        if (!taken)
            chosen[(*n_chosen)++] = names[i];
    }
    if (!found)
        return fail_no_host(pattern, names, n, err);
    qsort(chosen + before, *n_chosen - before, sizeof *chosen, compare_names);
    return EGC_OK;
}

static egc_status choose(const void *arg, const char *const *names, size_t n, const char **chosen,
                         size_t *n_chosen, egc_error *err)
{
    char patterns[EGC_TEXT_LENGTH], *rest;
    snprintf(patterns, sizeof patterns, "%s", ((const platform *)arg)->hosts);
    egc_status status = EGC_OK;
    *n_chosen = 0;
    for (char *p = strtok_r(patterns, ", ", &rest); p && !status; p = strtok_r(NULL, ", ", &rest))
        status = choose_pattern(p, names, n, chosen, n_chosen, err);
    if (!status && *n_chosen == 0)
        status = egc_fail(err, EGC_ERROR_RANGE, "hosts: must name at least one host, got \"%s\"",
                          ((const platform *)arg)->hosts);
    return status;
}

/* ---- the cluster --------------------------------------------------------------------------- */

static egc_status check_file(const char *path, egc_error *err)
{
    struct stat found;
    if (*path && (stat(path, &found) != 0 || S_ISREG(found.st_mode)))
        return EGC_OK; /* the error of opening it gives the reason */
    if (*path)
        return egc_fail(err, EGC_ERROR_FORMAT, "%s: must be a regular file", path);
    return egc_fail(err, EGC_ERROR_RANGE, "file: must be the path of a platform, got \"\"");
}

static egc_status read_files(void *object, egc_error *err)
{
    platform *cluster = object;
    egc_buf text = {0};
    cluster->common.bandwidth_Bps = cluster->common.latency_s = NAN;
    egc_status status = check_file(cluster->file, err);
    if (!status)
        status = egc_buf_read_file(&text, cluster->file, err);
    if (!status)
        status = egc_buf_append(&text, "", 1, err);
    if (!status && check_text((const char *)text.data, err))
        status = egc_error_prefix(err, "%s", cluster->file);
    if (!status)
        cluster->files = hash_text(cluster->file, (const char *)text.data);
    egc_buf_fini(&text);
    return status;
}

static void set_network(void *object, const char *const *names, size_t n, double latency_s,
                        double bandwidth_Bps)
{
    platform *cluster = object;
    cluster->names = names;
    cluster->n_hosts = n;
    cluster->latency_s = latency_s;
    cluster->bandwidth_Bps = bandwidth_Bps;
}

static size_t hosts(const void *object)
{
    return ((const platform *)object)->n_hosts;
}

static const char *file(const void *object)
{
    return ((const platform *)object)->file;
}

static uint64_t hash_files(const void *object)
{
    return ((const platform *)object)->files;
}

static const char *host_name(const void *object, size_t host)
{
    return ((const platform *)object)->names[host];
}

static bool own_speeds(const void *object)
{
    return ((const platform *)object)->speeds == RELATIVE;
}

/* A file's profiles may make any link faster: there is no upper bound of a host's rate. */
static void find_paths(const void *object, egc_cluster_paths *paths)
{
    const platform *cluster = object;
    paths->latency_s = cluster->latency_s;
    paths->bandwidth_Bps = paths->contended_Bps = cluster->bandwidth_Bps;
    paths->host_Bps = INFINITY;
}

const egc_cluster_type egc_cluster_platform = {
    .name = "platform",
    .summary = "any SimGrid platform, from its XML file",
    .reference = "Casanova et al., Versatile, scalable, and accurate simulation of distributed "
                 "applications and platforms, 2014 (SimGrid)",
    .params = params,
    .params_size = sizeof(platform),
    .hosts = hosts,
    .read = read_files,
    .file = file,
    .hash_files = hash_files,
    .choose_hosts = choose,
    .set_network = set_network,
    .host_name = host_name,
    .own_speeds = own_speeds,
    .paths = find_paths,
};
