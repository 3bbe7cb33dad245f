#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Links in our documents lead somewhere: files exist, and so do headings that are named. A listing below a line
`<!-- from FILE -->` stands in that file, line for line; how far it is indented does not matter.
"""
import pathlib
import re
import sys

TOP = pathlib.Path(__file__).resolve().parent.parent


def anchors(path):
    """As GitHub makes them: lower case, words joined by dashes, without other signs."""
    titles = re.findall(r"^#+ (.+)$", path.read_text(), re.M)
    return {re.sub(r"[^\w\- ]", "", title.lower()).replace(" ", "-") for title in titles}


def stripped(text):
    return "\n".join(line.strip() for line in text.strip().splitlines())


def listings(document):
    for name, listing in re.findall(r"<!-- from (\S+) -->\n```\w*\n(.*?)```", document.read_text(), re.S):
        source = TOP / name
        if not source.exists() or stripped(listing) not in stripped(source.read_text()):
            yield "%s: the listing from %s is not there" % (document.relative_to(TOP), name)


def links(document):
    text = re.sub(r"```.*?```", "", document.read_text(), flags=re.S)
    for target in re.findall(r"\]\(([^)\s]+)\)", text):
        if re.match(r"[a-z]+:", target):
            continue
        name, _, anchor = target.partition("#")
        path = (document.parent / name).resolve() if name else document
        if not path.exists():
            yield "%s: %s does not exist" % (document.relative_to(TOP), target)
        elif anchor and anchor not in anchors(path):
            yield "%s: %s has no such heading" % (document.relative_to(TOP), target)


def main():
    documents = [*TOP.glob("*.md"), *(TOP / "doc").glob("*.md")]
    found = [problem for document in sorted(documents) for problem in [*links(document), *listings(document)]]
    print("\n".join(found) if found else "%d documents" % len(documents))
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main())
