"""The last 13 weeks of three stores, predicted and compared with PyMC-Marketing with its own default priors."""

import csv
import hashlib
import json

from measured import Side, table

HELD = 13
COLUMNS = ["MAPE", "CRPS / mean", "inside 90 %"]


def written(bench, rows):
    """The file of a problem, called by its digest."""
    text = "".join(",".join(map(str, row)) + "\n" for row in rows)
    name = f"{hashlib.sha256(text.encode()).hexdigest()[:16]}.csv"
    (bench.work / name).write_text(text)
    return name


def generated(bench, file, geo):
    """A store of PyMC Labs' generator, without the columns of its truth."""
    rows = list(csv.reader(open(bench.data / "mmm" / file)))
    keep = [i for i, name in enumerate(rows[0]) if not name.endswith("_effect") and (geo or name != "geo")]
    rows = [[row[i] for i in keep] for row in rows]
    head = rows[0]
    return {
        "csv": written(bench, rows), "date": "date", "target": "y", "dims": ["geo"] if geo else [],
        "channels": [name for name in head if name.startswith("x")], "controls": [name for name in head if name.startswith("c")],
        "yearly": 2, "held": HELD, "saturation": "hill",
    }


def meridian(bench):
    """Meridian's national store: revenue and five spends."""
    rows = list(csv.DictReader(open(bench.data / "mmm/meridian_national_all_channels.csv")))
    channels = [f"Channel{i}_spend" for i in range(5)]
    out = [["time", "revenue", *channels]]
    for row in rows:
        out.append([row["time"], float(row["conversions"]) * float(row["revenue_per_conversion"]), *(row[c] for c in channels)])
    return {"csv": written(bench, out), "date": "time", "target": "revenue", "dims": [], "channels": channels, "controls": [], "yearly": 2,
            "held": HELD, "saturation": "logistic"}


def ours(bench, problem, seed, draws):
    """The model fitted to all but the last weeks, which slices predict."""
    weeks = len({row[problem["date"]] for row in csv.DictReader(open(bench.work / problem["csv"]))})
    command = [bench.assay, "lab", "--seed", str(seed), "mmm", "fit", "--csv", bench.work / problem["csv"], "--date", problem["date"],
               "--target", problem["target"], "--media", ",".join(problem["channels"]), "--yearly", str(problem["yearly"]),
               "--saturation", problem["saturation"], "--warmup", str(draws), "--draws", str(draws),
               "--checks", "slices", "--slices", f"{weeks - HELD}:{HELD}:{HELD}"]
    if problem["controls"]:
        command += ["--controls", ",".join(problem["controls"])]
    return command + (["--geo", problem["dims"][0]] if problem["dims"] else [])


def compare(bench):
    draws = 500 if bench.quick else 1000
    for title, problem in (
        ("mpr_small_business, 104 weeks", generated(bench, "mpr_small_business.csv", False)),
        ("mpr_growing_business, 131 weeks x 2 geos", generated(bench, "mpr_growing_business.csv", True)),
        ("Meridian national, 156 weeks", meridian(bench)),
    ):
        sides = [Side("assay"), Side("PyMC-Marketing, default priors")]
        path = bench.work / f"{problem['csv'][:-4]}.json"
        path.write_text(json.dumps(problem))
        for seed in range(1, bench.rounds + 1):
            for side in sides:
                peer = side is not sides[0]
                command = [bench.python("mmm"), bench.here / "peer/pymc_holdout.py", path, str(seed), str(draws)] if peer else ours(bench, problem, seed, draws)
                took = bench.run(f"holdout-{'pymc' if peer else 'assay'}-{path.stem}-{seed}", seed, command, may_refuse=not peer)
                if not took:
                    continue
                if peer:
                    answer = took.answer
                    figures = answer["mape"], answer["crps"], answer["inside"] / answer["of"]
                elif took.answer["status"] != "ok" or took.answer["checks"]["slices"].get("refused"):
                    print(f"\n{title}, seed {seed}: refused: {took.answer['reasons']}")
                    continue
                else:
                    slices = took.answer["checks"]["slices"]
                    figures = slices["accuracy"]["mape"], slices["crps"], slices["inside_90"]
                side.add(seed, took, **dict(zip(COLUMNS, figures)))
        table(f"**{title}**, the last {HELD} weeks, four chains of {draws:,} + {draws:,} draws", sides, COLUMNS)
