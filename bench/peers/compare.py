"""Runs Assay and its peers in turn on the same data and prints Markdown tables. run.sh calls it and installs what it needs."""

import argparse
import importlib
import os
import pathlib

from measured import Kept, run


class Bench:
    """Where things are, how many rounds there are, and which versions were seen."""

    def __init__(self, args):
        self.assay, self.data, self.cache, self.work = (pathlib.Path(p).resolve() for p in (args.assay, args.data, args.cache, args.work))
        self.here = pathlib.Path(__file__).resolve().parent
        self.root = self.here.parent.parent
        self.quick = args.quick
        self.asked = args.rounds
        self.rounds = self.rounds_of(5)
        self.versions = {}
        self.kept = Kept(args.runs, args.kept)

    def rounds_of(self, usual):
        """How many rounds there are where that many are usual."""
        return self.asked or (1 if self.quick else usual)

    def python(self, name):
        """The interpreter of an environment."""
        return self.cache / name / "bin/python"

    def run(self, name, round, command, after=None, **kwargs):
        """A run of a command, kept under a name: measured.run's, or None when there is none and none may be made.

        after: what to learn from files that the command left; it returns more of the answer and is not part of the figures.
        """

        def fresh():
            done = run(command, **kwargs)
            if after:
                done.answer |= after()
            return done

        done = self.kept.run(name, [round, *(i for word in command for i in self.depends(word))], fresh)
        if done:
            self.versions.update(done.answer.get("versions", {}))
        return done

    def depends(self, word):
        """What a word of a command stands for: a file for its contents, an interpreter for the packages that it has."""
        path = pathlib.Path(word) if isinstance(word, pathlib.Path) or "/" in str(word) else None
        if path and path.is_relative_to(self.cache):
            return [self.here / f"requirements/{path.relative_to(self.cache).parts[0]}.txt"]
        if path and path.is_file():
            beside = [self.here / "peer/phases.py", self.here / "peer/mix.py"] if path.suffix == ".py" else []
            return [path, *beside]
        return [path.name if path else word]


def load():
    return f"{os.getloadavg()[0]:.1f}"


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--assay", required=True)
    parser.add_argument("--data", required=True)
    parser.add_argument("--cache", required=True)
    parser.add_argument("--work", required=True)
    parser.add_argument("--rounds", type=int, default=0)
    parser.add_argument("--runs", required=True)
    parser.add_argument("--kept", action="store_true")
    parser.add_argument("--quick", action="store_true")
    parser.add_argument("parts", nargs="+")
    args = parser.parse_args()
    bench = Bench(args)
    for part in args.parts:
        print(f"\n## {part} (load {load()} at the start)")
        importlib.import_module(part).compare(bench)
        print(f"\nload {load()} at the end")
    print("\nVersions: " + ", ".join(f"{name} {v}" for name, v in sorted(bench.versions.items())))


main()
