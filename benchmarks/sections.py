"""A document of results: one section per topic, each written by the command that it names."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

from benchmarks.harness import printed_by, stamp


@dataclass(frozen=True)
class Document:
    """A Markdown file whose sections are the outputs of the modules of one package, in the order of ``topics``.

    An ``overview`` makes a table of the sections, which comes before them.
    """

    path: Path
    head: str
    package: str
    topics: list[str]
    overview: Callable[[dict[str, str]], str] = lambda _: ""

    def renew(self, asked: list[str]) -> None:
        """Run the topics that the command line names (all, if none) and renew their sections; the rest stays."""
        cut = asked.index("--") if "--" in asked else len(asked)
        topics, arguments = asked[:cut] or self.topics, asked[cut + 1 :]
        if unknown := set(topics) - set(self.topics):
            raise SystemExit(f"no topic {', '.join(sorted(unknown))}; there are: {', '.join(self.topics)}")
        for topic in topics:
            self._write(topic, self._run(topic, arguments))

    def _run(self, topic: str, arguments: list[str]) -> str:
        module = f"{self.package}.{topic}"
        command = " ".join(["python -m", module, *arguments])
        print(f"measuring: {command}", flush=True)
        when = stamp()
        printed = printed_by(module, arguments)
        where = f"{when['date']}, commit {when['commit']}, {when['machine']}"
        return f"## {topic}\n\n`{command}`, {where}\n\n```text\n{printed.strip()}\n```\n"

    def sections(self) -> dict[str, str]:
        """Return the sections that the file holds, by their topics."""
        parts = self.path.read_text(encoding="utf-8").split("\n## ")[1:] if self.path.exists() else []
        return {part.split("\n", 1)[0]: f"## {part}".rstrip() + "\n" for part in parts}

    def _write(self, topic: str, section: str) -> None:
        sections = self.sections() | {topic: section}
        kept = "\n".join(sections[topic] for topic in self.topics if topic in sections)
        self.path.write_text(self.head + self.overview(sections) + kept, encoding="utf-8")
