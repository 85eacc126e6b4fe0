"""A document of results: one section per topic, each written by the command that it names."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from benchmarks.harness import printed_by, stamp


@dataclass(frozen=True)
class Document:
    """A Markdown file whose sections are the outputs of the modules of one package, in the order of ``topics``."""

    path: Path
    head: str
    package: str
    topics: list[str]

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

    def _write(self, topic: str, section: str) -> None:
        old = self.path.read_text(encoding="utf-8").split("\n## ")[1:] if self.path.exists() else []
        sections = {part.split("\n", 1)[0]: f"## {part}".rstrip() + "\n" for part in old}
        sections[topic] = section
        kept = "\n".join(sections[topic] for topic in self.topics if topic in sections)
        self.path.write_text(self.head + kept, encoding="utf-8")
