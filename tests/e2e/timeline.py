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

COLUMNS = {
    "forward": "compute_s",
    "backward": "compute_s",
    "compress": "compress_s",
    "decompress": "decompress_s",
    "exchange": "comm_s",
}
BYTES = {
    "message_bytes": "sent_bytes",
    "network_recv_bytes": "recv_bytes",
}
STREAMS = {"compute": {"forward", "backward", "compress", "wait"},
           "compression": {"compress", "decompress"},
           "communication": {"exchange", "compress", "decompress", "wait"}}


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


def check_events(events, threads):
    ends = defaultdict(float)
    for event in events:
        check(event["ph"] == "X" or (event["ph"] == "i" and event["s"] == "t"), "what is it:", event)
        duration = event["dur"] if event["ph"] == "X" else 0.0
        stream, args = threads[event["tid"]], event["args"]
        check(event["name"] in STREAMS[stream], event["name"], "on", stream)
        check(all(isinstance(us, float) and 0 <= us < math.inf for us in (event["ts"], duration)),
              "no time:", event)
        check(event["ts"] >= ends[event["tid"]], "overlaps the one before:", event)
        ends[event["tid"]] = event["ts"] + duration
        if event["name"] in ("backward", "compress", "decompress", "exchange"):
            check(args["layers"] and args["bucket"] >= 0 and args["round"] >= 0, "which?", event)
        if event["name"] == "exchange":
            check(args["exchange"] and args["piece"] < args["pieces"], "which?", event)


def check_sums(events, rows, workers):
    """Of all workers: their means are the row of the step."""
    sums = [defaultdict(float) for _ in rows]
    for event in events:
        of_step = sums[event["args"]["step"]]
        if event["name"] in COLUMNS:
            of_step[COLUMNS[event["name"]]] += event.get("dur", 0) / 1e6 / workers
        for key, column in BYTES.items():
            of_step[column] += event["args"].get(key, 0) / workers
        of_step["network_bytes"] += event["args"].get("network_sent_bytes", 0)
    for got, row in zip(sums, rows):
        for column in set(COLUMNS.values()):
            check(abs(got[column] - float(row[column])) < 1e-9, column, got[column], row[column])
        for column in list(BYTES.values()) + ["network_bytes"]:
            check(math.isclose(got[column], float(row[column]), rel_tol=1e-12), column, got[column],
                  row[column])


def check_file(path, run, rows, steps, workers):
    with open(path, encoding="utf-8") as file:
        trace = json.load(file)
    about, all_events = trace["otherData"], trace["traceEvents"]
    check(about["run_id"] == run["run_id"], "run_id:", about)
    check((about["steps_kept"], about["workers_kept"]) == (steps, workers), "limits:", about)
    processes, threads = names_of(all_events)
    events = [event for event in all_events if event["ph"] != "M"]
    check(sorted(processes.values()) == [f"worker {w}" for w in range(workers)], processes)
    check({event["args"]["step"] for event in events} == set(range(steps)), "steps are missing")
    streams = ["communication", "compute"]
    if run["compress_on"] == "stream" and run["method"] != "none":
        streams.append("compression")
    for pid in processes:
        got = {threads[event["tid"]] for event in events if event["pid"] == pid}
        check(got == set(streams), "streams:", got)
    check_events(events, threads)
    if workers == int(run["workers"]):
        check_sums(events, rows[:steps], workers)


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
