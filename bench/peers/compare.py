"""Runs Assay and its peers in turn on the same data and prints Markdown tables. run.sh calls it and installs what it needs."""

import argparse
import importlib
import os
import pathlib


class Bench:
    """Where things are, how many rounds there are, and which versions were seen."""

    def __init__(self, args):
        self.assay, self.data, self.cache, self.work = (pathlib.Path(p).resolve() for p in (args.assay, args.data, args.cache, args.work))
        self.here = pathlib.Path(__file__).resolve().parent
        self.root = self.here.parent.parent
        self.quick = args.quick
        self.rounds = args.rounds or (1 if args.quick else 5)
        self.versions = {}

    def python(self, name):
        """The interpreter of an environment."""
        return self.cache / name / "bin/python"

    def saw(self, run):
        """Notes which versions answered."""
        self.versions.update(run.answer.get("versions", {}))


def load():
    return f"{os.getloadavg()[0]:.1f}"


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--assay", required=True)
    parser.add_argument("--data", required=True)
    parser.add_argument("--cache", required=True)
    parser.add_argument("--work", required=True)
    parser.add_argument("--rounds", type=int, default=0)
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
