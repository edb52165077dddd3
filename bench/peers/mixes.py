"""National media mix models beside PyMC-Marketing with nutpie and plain NumPyro: the same model, priors and data."""

import csv
import datetime
import json
import math
import random
import shutil

from measured import Side, run, short, spread, table

COLUMNS = ["least ESS of returns", "ESS / CPU s, sampling", "ESS / CPU s, from start", "R-hat", "farthest return, s.d."]


def example(bench):
    """PyMC-Marketing's example with the additive model that its leave-future-out scores are of."""
    return {
        "csv": str(bench.data / "mmm/pymc_mmm_example.csv"), "date": "date_week", "target": "y", "channels": ["x1", "x2"],
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
            a = sum(w * spend[t - k][c] for k, w in enumerate(weights) if t >= k) / sum(weights) / tops[c]
            y += beta * math.tanh(lam * a / 2)
        rows.append([day.isoformat(), 10000 * y, *spend[t], t])
    names = [f"channel{c}" for c in range(channels)]
    path = bench.work / "made.csv"
    with open(path, "w", newline="") as file:
        csv.writer(file).writerows([["date", "y", *names, "t"], *rows])
    return {
        "csv": str(path), "date": "date", "target": "y", "channels": names, "controls": ["t"], "control_max": [weeks - 1],
        "beta_sigma": [0.5] * channels, "intercept": [0.5, 0.2], "control_sigma": 0.05, "season_scale": 0.2, "sigma": 0.5, "yearly": 2,
    }


def assay(bench, problem, seed, draws, out):
    """Assay scales controls by their maxima, so their priors are scaled too; what is not listed is its default and the same."""
    priors = {
        "intercept": ("normal", *problem["intercept"]), "yearly": ("laplace", 0, problem["season_scale"]), "sigma": ("half_normal", problem["sigma"], 0),
        **{name: ("normal", 0, problem["control_sigma"] * top) for name, top in zip(problem["controls"], problem["control_max"])},
        **{f"{name}.beta": ("half_normal", s, 0) for name, s in zip(problem["channels"], problem["beta_sigma"])},
        **{f"{name}.alpha": ("beta", 1, 3) for name in problem["channels"]}, **{f"{name}.lam": ("gamma", 3, 1) for name in problem["channels"]},
    }
    path = bench.work / "priors.json"
    path.write_text(json.dumps({name: {"family": p[0], "a": p[1], "b": p[2]} for name, p in priors.items()}))
    return run([bench.assay, "lab", "--seed", str(seed), "mmm", "fit", "--csv", problem["csv"], "--date", problem["date"], "--target", problem["target"],
                "--media", ",".join(problem["channels"]), "--controls", ",".join(problem["controls"]), "--yearly", str(problem["yearly"]),
                "--trend", "none", "--priors", path, "--warmup", str(draws), "--draws", str(draws), "--out", out], may_refuse=True)


def side_by_side(bench, title, problem, draws, peers):
    path = bench.work / "problem.json"
    path.write_text(json.dumps(problem))
    sides = [Side("assay"), *(Side(name) for name in peers)]
    returns = {}
    for seed in range(1, bench.rounds + 1):
        for side in sides:
            if side.name == "assay":
                out = bench.work / "model"
                shutil.rmtree(out, ignore_errors=True)
                took, file = assay(bench, problem, seed, draws, out), out / "draws.csv"
            else:
                file = bench.work / "draws.npz"
                file.unlink(missing_ok=True)
                took = run([bench.python("mmm"), bench.here / f"peer/{peers[side.name]}.py", path, str(seed), str(draws), file])
                bench.saw(took)
            if not file.exists():
                side.add(took, **{COLUMNS[0]: 0, COLUMNS[1]: 0, COLUMNS[2]: 0})
                print(f"{side.name}, seed {seed}: refused: {took.answer.get('reasons')}")
                continue
            score = run([bench.python("mmm"), bench.here / "peer/score_mix.py", path, file]).answer
            returns.setdefault(seed, {})[side.name] = score
            own = returns[seed]["assay"] if "assay" in returns[seed] else score
            far = max(abs(score["roas"][c] - own["roas"][c]) / own["roas_sd"][c] for c in own["roas"])
            worth = score["ess"] if score["rhat"] <= 1.01 else 0  # a run that has not converged is worth nothing
            side.add(took, **{COLUMNS[0]: worth, COLUMNS[1]: worth / (took.work_cpu or took.cpu), COLUMNS[2]: worth / took.cpu,
                              COLUMNS[3]: score["rhat"], COLUMNS[4]: far})
    table(f"**{title}**, four chains of {draws:,} + {draws:,} draws", sides, COLUMNS)
    for side in sides[1:]:
        for column, goal in ((COLUMNS[1], 3), (COLUMNS[2], 20)):
            ratios = [a / b for a, b in zip(sides[0].figures[column], side.figures[column]) if b]
            if ratios:
                print(f"\nassay / {side.name}, {column}: {spread(ratios)} (goal beside nutpie {goal})")
    first = returns.get(1, {})
    for channel in problem["channels"][:3]:
        print(f"\nReturn of {channel}, seed 1: " + "; ".join(f"{name} {short(s['roas'][channel])} ± {short(s['roas_sd'][channel])}" for name, s in first.items()))


def compare(bench):
    draws = 500 if bench.quick else 1000
    side_by_side(bench, "pymc_mmm_example, 179 weeks x 2 channels", example(bench), draws,
                 {"PyMC-Marketing, nutpie": "pymc_mix", "NumPyro": "numpyro_mix"})
    side_by_side(bench, "A made-up store, 208 weeks x 10 channels", made(bench), draws,
                 {"PyMC-Marketing, nutpie": "pymc_mix", "NumPyro": "numpyro_mix"})
