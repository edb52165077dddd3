"""National media mix models compared with PyMC-Marketing with nutpie and plain NumPyro: the same model, priors and data."""

import csv
import datetime
import hashlib
import json
import math
import random
import shutil

from measured import Side, run, short, spread, table

COLUMNS = ["least ESS of returns", "ESS / CPU s, sampling", "ESS / CPU s, from start", "least ESS of curves", "R-hat", "farthest return, s.d."]


def placed(bench, source):
    """The data as all sides read it: a copy next to the problem, named by its digest."""
    name = f"{hashlib.sha256(source.read_bytes()).hexdigest()[:16]}.csv"
    shutil.copyfile(source, bench.work / name)
    return name


def example(bench):
    """PyMC-Marketing's example with the additive model that its leave-future-out scores are of."""
    return {
        "csv": placed(bench, bench.data / "mmm/pymc_mmm_example.csv"), "date": "date_week", "target": "y", "channels": ["x1", "x2"],
        "controls": ["event_1", "event_2", "t"], "control_max": [1, 1, 178], "beta_sigma": [1.2634045580774809, 0.736595441922519],
        "intercept": [0.5, 0.2], "control_sigma": 0.05, "season_scale": 0.2, "sigma": 0.5, "yearly": 2,
    }


def made(bench, weeks=208, channels=10):
    """A made-up store of the same form: spend in bursts, a slow trend, a season, noise of 5 % of the largest week."""
    r = random.Random(21)
    spend = [[0.0] * channels for _ in range(weeks)]
    for c in range(channels):
        on = True
        for t in range(weeks):
            on = on if r.random() > 0.15 else not on
            spend[t][c] = 1000 * (c + 1) * math.exp(0.4 * r.gauss(0, 1)) * (1 if on else 0.1)
    tops = [max(row[c] for row in spend) for c in range(channels)]
    truth = [(r.uniform(0.1, 0.6), r.uniform(1.5, 5), r.uniform(0.05, 0.25)) for _ in range(channels)]
    first, rows = datetime.date(2021, 1, 4), []
    for t in range(weeks):
        day = first + datetime.timedelta(weeks=t)
        y = 0.4 + 0.1 * t / weeks + 0.05 * math.sin(2 * math.pi * day.timetuple().tm_yday / 365.25) + 0.05 * r.gauss(0, 1)
        for c, (alpha, lam, beta) in enumerate(truth):
            weights = [alpha**k for k in range(8)]
            a = math.fsum(w * spend[t - k][c] for k, w in enumerate(weights) if t >= k) / math.fsum(weights) / tops[c]
            y += beta * math.tanh(lam * a / 2)
        rows.append([day.isoformat(), 10000 * y, *spend[t], t])
    names = [f"channel{c}" for c in range(channels)]
    path = bench.work / "made.csv"
    with open(path, "w", newline="") as file:
        csv.writer(file).writerows([["date", "y", *names, "t"], *rows])
    return {
        "csv": placed(bench, path), "date": "date", "target": "y", "channels": names, "controls": ["t"], "control_max": [weeks - 1],
        "beta_sigma": [0.5] * channels, "intercept": [0.5, 0.2], "control_sigma": 0.05, "season_scale": 0.2, "sigma": 0.5, "yearly": 2,
    }


def assay(bench, problem, seed, draws, out):
    """The command. Assay scales controls by their maxima, so their priors are scaled too; what is not listed is its default and the same."""
    priors = {
        "intercept": ("normal", *problem["intercept"]), "yearly": ("laplace", 0, problem["season_scale"]), "sigma": ("half_normal", problem["sigma"], 0),
        **{name: ("normal", 0, problem["control_sigma"] * top) for name, top in zip(problem["controls"], problem["control_max"])},
        **{f"{name}.beta": ("half_normal", s, 0) for name, s in zip(problem["channels"], problem["beta_sigma"])},
        **{f"{name}.alpha": ("beta", 1, 3) for name in problem["channels"]}, **{f"{name}.lam": ("gamma", 3, 1) for name in problem["channels"]},
    }
    path = bench.work / "priors.json"
    path.write_text(json.dumps({name: {"family": p[0], "a": p[1], "b": p[2]} for name, p in priors.items()}))
    return [bench.assay, "lab", "--seed", str(seed), "mmm", "fit", "--csv", bench.work / problem["csv"], "--date", problem["date"],
            "--target", problem["target"], "--media", ",".join(problem["channels"]), "--controls", ",".join(problem["controls"]),
            "--yearly", str(problem["yearly"]), "--trend", "none", "--priors", path, "--warmup", str(draws), "--draws", str(draws), "--out", out]


def measured(bench, problem, side, seed, draws, peers):
    """A kept run of one side, its draws scored by the same program for all."""
    path, model, file = bench.work / "problem.json", bench.work / "model", bench.work / "draws.npz"
    path.write_text(json.dumps(problem))
    shutil.rmtree(model, ignore_errors=True)
    file.unlink(missing_ok=True)
    if side == "assay":
        command, file = assay(bench, problem, seed, draws, model), model / "draws.csv"
    else:
        script, environment = peers[side]
        command = [bench.python(environment), bench.here / f"peer/{script}.py", path, str(seed), str(draws), file]

    def score():
        if not file.exists():
            return {"score": None}
        return {"score": run([bench.python("mmm"), bench.here / "peer/score_mix.py", path, file]).answer}

    return bench.run(f"mix-{side.split()[-1].lower()}-{len(problem['channels'])}-{seed}", seed, command, after=score, may_refuse=side == "assay")


def side_by_side(bench, title, problem, draws, peers):
    """peers: name -> (program, environment)."""
    sides, returns = [Side(name) for name in ("assay", *peers)], {}
    for seed in range(1, bench.rounds + 1):
        for side in sides:
            took = measured(bench, problem, side.name, seed, draws, peers)
            if not took:
                continue
            score = took.answer["score"]
            if not score:
                side.add(seed, took, **{column: 0 for column in COLUMNS[:3]})
                print(f"\n{side.name}, seed {seed}: refused: {took.answer.get('reasons')}")
                continue
            returns.setdefault(seed, {})[side.name] = score
            own = returns[seed].get("assay", score)
            far = max(abs(score["roas"][c] - own["roas"][c]) / own["roas_sd"][c] for c in own["roas"])
            worth = score["ess"] if score["rhat"] <= 1.01 else 0  # a run that has not converged is worth nothing
            side.add(seed, took, **{COLUMNS[0]: worth, COLUMNS[1]: worth / (took.work_cpu or took.cpu), COLUMNS[2]: worth / took.cpu,
                                    COLUMNS[3]: score["ess_parameters"], COLUMNS[4]: score["rhat"], COLUMNS[5]: far})
    table(f"**{title}**, four chains of {draws:,} + {draws:,} draws, data {problem['csv'].removesuffix('.csv')}", sides, COLUMNS)
    for side in sides[1:]:
        for column, goal in ((COLUMNS[1], 3), (COLUMNS[2], 20)):
            ratios = sides[0].ratios(side, column)
            if ratios:
                print(f"\nassay / {side.name}, {column}: {spread(ratios)} (goal compared with nutpie {goal})")
    first = returns.get(1, {})
    for channel in problem["channels"][:3] if first else []:
        print(f"\nReturn of {channel}, seed 1: " + "; ".join(f"{name} {short(s['roas'][channel])} ± {short(s['roas_sd'][channel])}" for name, s in first.items()))


def compare(bench):
    draws = 500 if bench.quick else 1000
    peers = {"PyMC-Marketing, nutpie": ("pymc_mix", "mmm"), "NumPyro": ("numpyro_mix", "mmm")}
    side_by_side(bench, "pymc_mmm_example, 179 weeks x 2 channels", example(bench), draws, peers)
    side_by_side(bench, "A made-up store, 208 weeks x 10 channels", made(bench), draws, peers)
