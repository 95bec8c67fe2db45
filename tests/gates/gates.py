#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-3.0-or-later
"""Checks of the source tree itself: gates.py GATE ROOT [BUILD]. Prints each fault and exits 1.

units     no units (a .c and a .h of one stem) include each other in a circle
names     exported symbols begin with egc_ and their file's name, 95 in 100 (BUILD: object files)
heads     each .c file begins with a comment that says its job
prose     the word "what", and comments that open with a relative pronoun, are rare
params    parameter rows are made by EGC_PARAM, never by position
sizes     no function over 45 lines, no folder with more than 25 files of its own
schedules the words of the learning-rate schedules stand in one source file
"""
import collections
import os
import re
import subprocess
import sys

PRODUCT = ("sim", "compressors", "workloads")
NAMES_SHARE = 0.95      # of exported symbols that carry their file's prefix
WHAT_PER_1000 = 1.0     # uses of "what" in 1,000 words of comments; GSL 0.1, Lua 0.4
OPENINGS_PERCENT = 1.0  # comments that open with OPENING
FUNCTION_LINES = 45
FOLDER_FILES = 25
OPENING = re.compile(r"(what|who|whose|of|those|whether|where|that|which)\b", re.I)
# Conventional names that are worth more than the prefix.
KEPT = {"main", "egc_fail", "egc_fail_errno", "egc_fail_memory", "egc_calloc", "egc_free", "egc_strdup"}


def sources(root, *endings):
    """Paths below the product's folders, relative to root, that end so."""
    found = []
    for top in PRODUCT:
        for folder, _, files in os.walk(os.path.join(root, top)):
            found += [os.path.relpath(os.path.join(folder, f), root) for f in files if f.endswith(endings)]
    return sorted(found)


def read(root, path):
    with open(os.path.join(root, path), encoding="utf-8") as file:
        return file.read()


def comments(text):
    return [re.sub(r"[\s*]+", " ", c).strip() for c in re.findall(r"/\*(.*?)\*/", text, re.S)]


def unit_graph(root):
    """Unit -> the units it includes. An include names a path below the root, sim/ or compressors/."""
    paths = set(sources(root, ".c", ".h"))
    graph = {os.path.splitext(p)[0]: set() for p in paths}
    for path in paths:
        for name in re.findall(r'^#include "([^"]+)"', read(root, path), re.M):
            for base in ("", "sim", "compressors"):
                other = os.path.join(base, name)
                if other in paths and os.path.splitext(other)[0] != os.path.splitext(path)[0]:
                    graph[os.path.splitext(path)[0]].add(os.path.splitext(other)[0])
    return graph


def circles(graph):
    """The strongly connected sets of more than one unit: Kosaraju's two passes, without recursion."""
    def visit(start, edges, seen):
        order, stack = [], [(start, iter(sorted(edges[start])))]
        seen.add(start)
        while stack:
            node, rest = stack[-1]
            step = next((n for n in rest if n not in seen), None)
            if step is None:
                order.append(node)
                stack.pop()
            else:
                seen.add(step)
                stack.append((step, iter(sorted(edges[step]))))
        return order

    seen, finished = set(), []
    for node in sorted(graph):
        if node not in seen:
            finished += visit(node, graph, seen)
    back = collections.defaultdict(set)
    for node, others in graph.items():
        for other in others:
            back[other].add(node)
    seen, found = set(), []
    for node in reversed(finished):
        if node not in seen:
            group = visit(node, back, seen)
            if len(group) > 1:
                found.append(sorted(group))
    return found


def gate_units(root, _build):
    graph = unit_graph(root)
    print(f"{len(graph)} units, {sum(map(len, graph.values()))} includes")
    return ["circle: " + ", ".join(group) for group in circles(graph)]


def has_prefix(symbol, path):
    """True for egc_STEM..., egc_FOLDER_STEM... and the descriptors of a list.def, egc_KIND_STEM."""
    stem = os.path.splitext(os.path.basename(path))[0]
    folder = os.path.basename(os.path.dirname(path))
    prefixes = (f"egc_{stem}", f"egc_{folder}_{stem}")
    return any(symbol == p or symbol.startswith(p + "_") for p in prefixes) or symbol.endswith(f"_{stem}")


def objects(build):
    """(source path below the root, object file) of the product's parts in a build folder."""
    for top in PRODUCT:
        for folder, _, files in os.walk(os.path.join(build, top)):
            for name in sorted(f for f in files if f.endswith(".c.o")):
                path = os.path.relpath(os.path.join(folder, name), build)
                yield re.sub(r"CMakeFiles/[^/]+\.dir/", "", path)[:-len(".o")], os.path.join(folder, name)


def gate_names(root, build):
    total, wrong = 0, set()
    known = set(sources(root, ".c"))
    for path, file in objects(build):
        if path not in known:
            continue
        symbols = subprocess.check_output(["nm", "--defined-only", "--extern-only", file], text=True)
        for symbol in {line.split()[-1] for line in symbols.splitlines()} - KEPT:
            if not symbol.startswith("_"):
                total += 1
                if not has_prefix(symbol, path):
                    wrong.add(f"{path}: {symbol}")
    share = 1 - len(wrong) / total if total else 0
    print(f"{total} exported symbols, {100 * share:.1f} % with their file's prefix")
    return [] if share >= NAMES_SHARE else sorted(wrong)


def gate_heads(root, _build):
    """A comment after the licence line, before anything else."""
    faults = []
    for path in sources(root, ".c"):
        lines = read(root, path).split("\n")
        if not (lines[0].startswith("/* SPDX") and lines[1].startswith("/*")):
            faults.append(f"{path}: no head")
    return faults


def gate_prose(root, _build):
    texts = [(p, c) for p in sources(root, ".c", ".h") for c in comments(read(root, p)) if "SPDX" not in c and len(c) >= 8]
    words = sum(len(re.findall(r"[A-Za-z']+", c)) for _, c in texts)
    what = [(p, c) for p, c in texts if re.search(r"\bwhat\b", c, re.I)]
    opening = [(p, c) for p, c in texts if OPENING.match(c)]
    per_1000 = 1000 * sum(len(re.findall(r"\bwhat\b", c, re.I)) for _, c in what) / words
    percent = 100 * len(opening) / len(texts)
    print(f"{words} words: what {per_1000:.2f} per 1,000; openings {percent:.2f} %")
    faults = what if per_1000 > WHAT_PER_1000 else []
    faults = faults + (opening if percent > OPENINGS_PERCENT else [])
    return [f"{p}: {c[:70]}" for p, c in faults]


def gate_params(root, _build):
    faults = []
    for path in sources(root, ".c", ".h"):
        for table in re.findall(r"egc_param \w+\[\] = \{(.*?)\n\};", read(root, path), re.S):
            faults += [f"{path}: {row.strip()[:60]}" for row in re.findall(r"^    \{.*", table, re.M)]
    return faults


def gate_sizes(root, _build):
    faults = []
    for path in sources(root, ".c", ".h"):
        for function in re.finditer(r"^(?:[a-z].*\n)(?:[ \t].*\n)*\{\n(?:.*\n)*?\}$", read(root, path), re.M):
            lines = function.group().count("\n") + 1
            if lines > FUNCTION_LINES:
                faults.append(f"{path}: {function.group().splitlines()[0]}: {lines} lines")
    for top in PRODUCT:
        for folder, _, files in os.walk(os.path.join(root, top)):
            if len(files) > FOLDER_FILES:
                faults.append(f"{os.path.relpath(folder, root)}: {len(files)} files")
    return faults


def gate_schedules(root, _build):
    """The word of one schedule stands, as a string, in the table of schedules alone."""
    places = [p for p in sources(root, ".c", ".h", ".def") if '"cosine"' in read(root, p)]
    return [] if len(places) == 1 else [f"the word \"cosine\" stands in {places}"]


def main():
    gates = {name[5:]: gate for name, gate in globals().items() if name.startswith("gate_")}
    if len(sys.argv) < 3 or sys.argv[1] not in gates:
        sys.exit(f"usage: gates.py {'|'.join(gates)} ROOT [BUILD]")
    faults = gates[sys.argv[1]](sys.argv[2], sys.argv[3] if len(sys.argv) > 3 else None)
    for fault in faults:
        print(fault)
    sys.exit(bool(faults))


if __name__ == "__main__":
    main()
