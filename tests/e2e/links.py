# SPDX-License-Identifier: GPL-3.0-or-later
"""usage: links.py ROOT

Every relative link in the Markdown files below ROOT leads to a file, and its #anchor to a heading there,
by the names that GitHub gives headings. Prints the links that do not."""
import re
import sys
from pathlib import Path

FENCE = re.compile(r"^ *```.*?^ *```", re.S | re.M)
CODE = re.compile(r"`[^`\n]*`")
HEADING = re.compile(r"^#+ +(.*?) *$", re.M)
LINK = re.compile(r"\]\(([^)\s]+)\)")


def text_of(path):
    return FENCE.sub("", path.read_text())


def anchors_of(path):
    seen, anchors = {}, set()
    for heading in HEADING.findall(text_of(path)):
        name = re.sub(r"[^\w\- ]", "", heading.lower()).replace(" ", "-")
        again = seen.get(name, 0)
        seen[name] = again + 1
        anchors.add(f"{name}-{again}" if again else name)
    return anchors


def fault_of(page, link):
    path, _, anchor = link.partition("#")
    target = page.parent / path if path else page
    if not target.exists():
        return "no such file"
    if anchor and anchor not in anchors_of(target):
        return f"no heading #{anchor}"
    return None


def pages_below(root):
    for page in sorted(root.rglob("*.md")):
        folders = page.relative_to(root).parts[:-1]
        if not any(name == "build" or name.startswith(".") for name in folders):
            yield page


def main(root):
    links = [(page, link) for page in pages_below(root) for link in LINK.findall(CODE.sub("", text_of(page)))
             if not re.match(r"[a-z]+:", link)]
    faults = [f"{page.relative_to(root)}: {link}: {fault}" for page, link in links
              if (fault := fault_of(page, link))]
    print(*faults, f"{len(links)} relative links, {len(faults)} lead nowhere", sep="\n")
    return 1 if faults or not links else 0


sys.exit(main(Path(sys.argv[1])))
