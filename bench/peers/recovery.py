"""Weekly incremental revenue by channel in simulated stores, compared with PyMC-Marketing: PyMC Labs' generator, preset small_business,
one store for each seed."""

import csv
import json
import math
import shutil
import statistics

from holdouts import written
from measured import Side, run, short, spread, table

STORES = 20
COLUMNS = ["weekly RMSE / mean", "return, absolute error / true", "inside 90 %, of 4", "R-hat", "divergences"]


def problem(bench, seed):
    """A store of the generator, and what its channels brought by week."""
    rows = list(csv.reader(open(bench.work / f"stores/{seed}.csv")))
    head = rows[0]
    told = {
        "csv": written(bench, rows), "date": "date", "target": "y", "channels": [name for name in head if name.startswith("x")],
        "controls": [name for name in head if name.startswith("c")], "yearly": 2,
    }
    path = bench.work / f"{told['csv'][:-4]}.json"
    path.write_text(json.dumps(told))
    truth = json.loads((bench.work / f"stores/{seed}.json").read_text())
    spend = {c: math.fsum(float(row[head.index(c)]) for row in rows[1:]) for c in told["channels"]}
    return path, told, truth, spend


def ours(bench, told, seed, draws):
    """The model with Hill's curves and default priors; its weekly contributions are read from the files that it leaves."""
    model = bench.work / "model"
    shutil.rmtree(model, ignore_errors=True)
    command = [bench.assay, "lab", "--seed", str(seed), "mmm", "fit", "--csv", bench.work / told["csv"], "--date", told["date"],
               "--target", told["target"], "--media", ",".join(told["channels"]), "--controls", ",".join(told["controls"]),
               "--yearly", str(told["yearly"]), "--saturation", "hill", "--warmup", str(draws), "--draws", str(draws), "--out", model]

    def weekly():
        found = {c: [] for c in told["channels"]}
        if (model / "contributions.csv").exists():
            for row in csv.DictReader(open(model / "contributions.csv")):
                found[row["channel"]].append(float(row["mean"]))
        return {"weekly": found}

    done = bench.run(f"recovery-assay-{seed}", seed, command, after=weekly, may_refuse=True)
    if done and done.answer["status"] == "ok":
        done.answer |= {"returns": {e["channel"]: e["roas"] for e in done.answer["channels"]}, "rhat": done.answer["diagnostics"]["rhat_max"],
                        "divergences": done.answer["diagnostics"]["divergences"]}
    return done


def judged(answer, truth, spend):
    """Of each channel: the weekly error, the return by the true one, whether its interval holds the true one."""
    out = {}
    for c, weeks in truth.items():
        errors, true = [(a - b) ** 2 for a, b in zip(answer["weekly"][c], weeks, strict=True)], math.fsum(weeks) / spend[c]
        told = answer["returns"][c]
        out[c] = math.sqrt(statistics.fmean(errors)) / statistics.fmean(weeks), told["mean"] / true, told["q05"] <= true <= told["q95"]
    return out


def channels(sides, found):
    """found: by side, seed and channel what judged says, over the stores that all sides have."""
    seeds = sorted(set.intersection(*(set(found[s.name]) for s in sides)))
    if not seeds:
        return
    print(f"\nThe stores {', '.join(map(str, seeds))}, which all have:\n")
    print("| | channel | weekly RMSE / mean, median | mean | return / true, mean | its RMSE | inside 90 % |\n|---|---|---|---|---|---|---|")
    for s in sides:
        store = found[s.name]
        for c in (*store[seeds[0]], "all"):
            of = [score for seed in seeds for name, score in store[seed].items() if c in (name, "all")]
            errors, ratios, inside = zip(*of)
            print(f"| {s.name} | {c} | {short(statistics.median(errors))} | {short(statistics.fmean(errors))} | {short(statistics.fmean(ratios))} | "
                  f"{short(math.sqrt(statistics.fmean((r - 1) ** 2 for r in ratios)))} | {sum(inside)} of {len(inside)} |")


def compare(bench):
    draws, seeds = 500, range(1, bench.rounds_of(STORES) + 1)
    out = bench.work / "stores"
    out.mkdir()
    run([bench.python("mmm"), bench.here / "peer/mpr_stores.py", bench.cache / "mmm-param-recovery", bench.data / "mmm/mpr_small_business.csv",
         out, *map(str, seeds)])
    forms = {"PyMC-Marketing, the makers' model": "published", "PyMC-Marketing, Hill": "hill"}
    sides, found = [Side(name) for name in ("assay", *forms)], {}
    for seed in seeds:
        path, told, truth, spend = problem(bench, seed)
        for side in sides:
            form = forms.get(side.name)
            if form:
                took = bench.run(f"recovery-{form}-{seed}", seed,
                                 [bench.python("mmm"), bench.here / "peer/pymc_recovery.py", path, str(seed), str(draws), form])
            else:
                took = ours(bench, told, seed, draws)
            if not took:
                continue
            if "returns" not in took.answer:
                print(f"\nstore {seed}: refused: {took.answer['reasons']}")
                continue
            scores = judged(took.answer, truth, spend)
            found.setdefault(side.name, {})[seed] = scores
            errors, ratios, inside = zip(*scores.values())
            figures = statistics.fmean(errors), statistics.fmean(abs(r - 1) for r in ratios), sum(inside), took.answer["rhat"], took.answer["divergences"]
            side.add(seed, took, **dict(zip(COLUMNS, figures)))
    title = f"**mmm-param-recovery, small_business**, 104 weeks, four channels, four chains of {draws} + {draws} draws"
    table(title, sides, COLUMNS)
    for side in sides[1:]:
        print(f"\n{side.name} / assay, {COLUMNS[0]}: {spread(side.ratios(sides[0], COLUMNS[0]))}")
    channels([s for s in sides if s.name in found], found)
