# SPDX-License-Identifier: GPL-3.0-or-later
"""usage: timeline.py DIR STEPS WORKERS

Holds each DIR/timeline/RUN_ID.json against the trace event format and against DIR/steps.csv. So many
steps and workers must be there."""
import csv
import json
import math
import os
import sys
from collections import defaultdict

# What a stream of an algorithm's workers and servers may do.
TRACKS = {
    "sync": {"worker": {"compute": {"forward", "backward", "compress", "wait"},
                        "compression": {"compress", "decompress"},
                        "communication": {"exchange", "compress", "decompress", "wait"}}},
    "ps": {"worker": {"compute": {"forward", "backward", "compress", "wait"},
                      "compression": {"compress"},
                      "reception": {"pull", "decompress"},
                      "communication": {"push", "wait"}},
           "server": {"compute": {"wait", "decompress", "update", "compress"}}},
    "federated": {"worker": {"compute": {"decompress", "local steps", "compress", "wait"},
                             "communication": {"download", "upload"}},
                  "server": {"compute": {"compress", "wait", "decompress", "update"}}},
    "gossip": {"worker": {"compute": {"forward", "backward", "compress", "decompress"},
                          "communication": {"exchange", "wait"}}},
}

# Where steps.csv has a mean over workers of what they spend on something, or send and receive.
# comm_s of ps is not among it: that is the time that any of the buckets are under way.
WORK = {"forward": "compute_s", "backward": "compute_s", "compress": "compress_s",
        "decompress": "decompress_s"}
DURATIONS = {
    "sync": {**WORK, "exchange": "comm_s"},
    "ps": WORK,
    "federated": {**WORK, "local steps": "compute_s", "download": "comm_s", "upload": "comm_s"},
    "gossip": {**WORK, "exchange": "comm_s"},
}
BYTES = {
    "sync": {("exchange", "message_bytes"): "sent_bytes",
             ("exchange", "network_recv_bytes"): "recv_bytes"},
    "ps": {("push", "bytes"): "sent_bytes", ("pull", "bytes"): "recv_bytes"},
    "federated": {("upload", "bytes"): "sent_bytes", ("download", "bytes"): "recv_bytes"},
    "gossip": {("exchange", "bytes"): "sent_bytes"},
}


def check(truth, *why):
    if not truth:
        sys.exit(" ".join(map(str, ("FAILED:",) + why)))


def names_of(events):
    """The names of processes and threads, each said once and before it is used."""
    processes, threads = {}, {}
    for event in events:
        if event["ph"] == "M" and event["name"] == "process_name":
            check(event["pid"] not in processes, "two names:", event)
            processes[event["pid"]] = event["args"]["name"]
        elif event["ph"] == "M" and event["name"] == "thread_name":
            check(event["tid"] not in threads, "two names:", event)
            threads[event["tid"]] = event["args"]["name"]
        else:
            check(event["pid"] in processes and event["tid"] in threads, "no name:", event)
    return processes, threads


def kind_of(thread):
    return thread.split(" with ")[0]


def check_event(event, process, thread, algorithm):
    role, args, name = process.split()[0], event["args"], event["name"]
    check(event["ph"] == "X" or (event["ph"] == "i" and event["s"] == "t"), "what is it:", event)
    check(all(isinstance(us, float) and 0 <= us < math.inf for us in (event["ts"], event.get("dur", 0.0))),
          "no time:", event)
    check(name in TRACKS[algorithm][role][kind_of(thread)], name, "on", process, thread)
    if algorithm in ("sync", "ps") and name not in ("forward", "wait"):
        check(args["layers"] and args["bucket"] >= 0 and args["round"] >= 0, "which?", event)
    if algorithm == "sync" and name == "exchange":
        check(args["exchange"] and args["piece"] < args["pieces"], "which?", event)
    if name in ("push", "pull", "upload", "download") or (algorithm, name) == ("gossip", "exchange"):
        check(args["peers"] and process not in args["peers"] and args["bytes"] > 0, "who?", event)
    if " with " in thread and name == "push":
        check(args["peers"] == [thread.split(" with ")[1]], "to somebody else:", event)


def check_events(events, processes, threads, algorithm):
    ends = defaultdict(float)
    for event in events:
        check_event(event, processes[event["pid"]], threads[event["tid"]], algorithm)
        check(event["ts"] >= ends[event["tid"]], "overlaps the one before:", event)
        ends[event["tid"]] = event["ts"] + event.get("dur", 0.0)


def check_sums(events, rows, workers, algorithm, processes):
    """Of all workers: their means are the row of the step, or of all steps when there is one row.
    All wait for the server of a federation."""
    sums = [defaultdict(float) for _ in rows]
    for event in events:
        of_step, name, args = sums[event["args"]["step"] if len(sums) > 1 else 0], event["name"], event["args"]
        serves = processes[event["pid"]].startswith("server")
        if name in DURATIONS[algorithm] and (algorithm == "federated" or not serves):
            of_step[DURATIONS[algorithm][name]] += event.get("dur", 0) / 1e6 / (1 if serves else workers)
        for (what, key), column in BYTES[algorithm].items():
            of_step[column] += args[key] / workers if name == what else 0
        if algorithm == "sync":
            of_step["network_bytes"] += args.get("network_sent_bytes", 0)
    counted = set(BYTES[algorithm].values()) | ({"network_bytes"} if algorithm == "sync" else set())
    for got, row in zip(sums, rows):
        for column in set(DURATIONS[algorithm].values()):
            check(abs(got[column] - float(row[column])) < 1e-9, column, got[column], row[column])
        for column in counted:
            check(math.isclose(got[column], float(row[column]), rel_tol=1e-12), column, got[column],
                  row[column])


def all_in_one(rows):
    return [{key: sum(float(row[key] or 0) for row in rows) for key in rows[0] if key != "run_id"}]


def params_of(run):
    """The algorithm of a run and what is not as by default."""
    name, _, rest = run["algorithm"].partition(" ")
    return name, dict(pair.split("=") for pair in rest.split(";") if pair)


def expected_tracks(run, workers):
    algorithm, params = params_of(run)
    servers = int(params.get("servers", 1)) if "server" in TRACKS[algorithm] else 0
    streams = set(TRACKS[algorithm]["worker"]) - {"compression"}
    if run.get("compress_on") == "stream" and run["method"] != "none":
        streams.add("compression")
    if servers > 1:
        streams.remove("communication")
        streams |= {f"communication with server {s}" for s in range(servers)}
    tracks = {f"worker {w}": streams for w in range(workers)}
    tracks.update({f"server {s}": {"compute"} for s in range(servers)})
    return tracks


def check_file(path, run, rows, steps, workers):
    with open(path, encoding="utf-8") as file:
        trace = json.load(file)
    about, all_events = trace["otherData"], trace["traceEvents"]
    algorithm, params = params_of(run)
    in_step = params.get("mode", "sync") == "sync"  # otherwise workers are at steps of their own
    check((about["run_id"], about["algorithm"]) == (run["run_id"], algorithm), "whose:", about)
    check((about["steps_kept"], about["workers_kept"]) == (steps, workers), "limits:", about)
    processes, threads = names_of(all_events)
    events = [event for event in all_events if event["ph"] != "M"]
    check({event["args"]["step"] for event in events} >= set(range(steps if in_step else 1)),
          "steps are missing")
    tracks = defaultdict(set)
    for event in events:
        tracks[processes[event["pid"]]].add(threads[event["tid"]])
    check(tracks == expected_tracks(run, workers), "tracks:", dict(tracks))
    check_events(events, processes, threads, algorithm)
    if workers == int(run["workers"]):
        rows = rows[:steps] if in_step else all_in_one(rows)
        check_sums(events, rows, workers, algorithm, processes)


def main():
    folder, steps, workers = sys.argv[1], int(sys.argv[2]), int(sys.argv[3])
    rows = defaultdict(list)
    with open(f"{folder}/steps.csv", encoding="utf-8") as file:
        for row in csv.DictReader(file):
            rows[row["run_id"]].append(row)
    with open(f"{folder}/runs.csv", encoding="utf-8") as file:
        runs = list(csv.DictReader(file))
    check(sorted(os.listdir(f"{folder}/timeline")) == sorted(run["run_id"] + ".json" for run in runs),
          "each point must have a timeline, and nothing else be there")
    for run in runs:
        check_file(f"{folder}/timeline/{run['run_id']}.json", run, rows[run["run_id"]], steps, workers)
    print(len(runs), "timelines")


main()
