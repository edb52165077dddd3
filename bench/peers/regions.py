"""Tests by region beside augsynth-py, pysyncon, synthdid-py, and one market before and after beside
bsts-causalimpact: Proposition 99, GeoLift's walkthrough and CausalImpact's series."""

from measured import Side, table

CITIES = ["--unit", "location", "--time", "date", "--outcome", "Y", "--treated", "chicago,portland", "--start", "2021-04-01"]
STATES = ["--unit", "State", "--time", "Year", "--outcome", "PacksPerCapita", "--treated", "California", "--start", "1989"]

# Summaries of R's CausalImpact: file, columns with the outcome first, periods after the change, effect per period and its 95 % interval.
IMPACTS = [("google", "y,x1,x2", 30, (27, 18, 36)),
           ("comparison", "CHANGED,NOT_CHANGED_1,NOT_CHANGED_2,NOT_CHANGED_3", 18, (-657, -2076, 832)), ("arma", "y,X", 30, (.89, .27, 1.5))]


def together(bench, title, ours, peers, figures):
    """ours: a command; peers: name -> (script, arguments); SEED in either is the round's. figures: column -> (of our answer, its key
    in theirs or a function of their answer)."""
    assay, others = Side("assay"), {name: Side(name) for name in peers}
    for seed in range(1, bench.rounds + 1):
        took = bench.run(f"regions-assay-{seed}", seed, seeded(ours, seed))
        if took:
            assay.add(seed, took, **{column: get(took.answer) for column, (get, _) in figures.items()})
        for name, (script, arguments) in peers.items():
            took = bench.run(f"regions-{script}-{seed}", seed, [bench.python("causal"), bench.here / f"peer/{script}.py", *seeded(arguments, seed)])
            if took:
                others[name].add(seed, took, **{column: key(took.answer) if callable(key) else took.answer.get(key)
                                                for column, (_, key) in figures.items()})
    table(f"**{title}**", [assay, *others.values()], list(figures))


def seeded(words, seed):
    return [str(seed) if w == "SEED" else w for w in words]


def off(expected):
    """How far the farthest of effect and interval's ends is from R's, in % of the interval's width."""
    effect, low, high = expected
    return lambda a: 100 * max(abs(a["effect"] - effect), abs(a["low"] - low), abs(a["high"] - high)) / (high - low)


def compare(bench):
    states = bench.work / "states.csv"
    states.write_text((bench.data / "causal/california_prop99.csv").read_text().replace(";", ","))
    cities, before = bench.data / "causal/geolift_test.csv", bench.data / "causal/geolift_pretest.csv"
    att, l2, p = (lambda a: a["att"], "att"), (lambda a: a["l2"], "l2"), (lambda a: a["p_value"], "p")
    geo = [bench.assay, "lab", "--seed", "SEED", "geo"]
    plain = [states, "State", "Year", "PacksPerCapita", "California", "1989"]
    together(bench, "Proposition 99, synthetic control of raw levels and placebos in all 38 states (published optimum -19.51363, L2 7.220081)",
             [*geo, "fit", "--csv", states, *STATES, "--method", "sc"],
             {"augsynth-py": ("augsynth_fit", [*plain, "sc", "SEED"]), "pysyncon": ("pysyncon_sc", plain)},
             {"effect": att, "L2": l2, "p": p})
    together(bench, "Proposition 99, SDID with its placebo standard error (published -15.60, 8.4; the optimum is -15.60540)",
             [*geo, "fit", "--csv", states, *STATES, "--method", "sdid"], {"synthdid-py": ("synthdid_sdid", [states, "SEED"])},
             {"effect": att, "standard error": (lambda a: a["placebo"]["se"], "se")})
    walk = [cities, "location", "date", "Y", "chicago,portland", "2021-04-01"]
    together(bench, "GeoLift's walkthrough, unit effects, conformal p (published 155.556, L2 909.489, p .014)",
             [*geo, "fit", "--csv", cities, *CITIES, "--method", "sc", "--demean", "on", "--inference", "conformal-iid"],
             {"augsynth-py": ("augsynth_fit", [*walk, "geolift", "SEED"])}, {"effect": att, "L2": l2, "p": p})
    together(bench, "GeoLift's walkthrough, ridge (published 156.805, L2 903.525, p .013)",
             [*geo, "fit", "--csv", cities, *CITIES, "--method", "asc", "--inference", "conformal-iid"],
             {"augsynth-py": ("augsynth_fit", [*walk, "ridge", "SEED"])}, {"effect": att, "L2": l2, "p": p})
    together(bench, "Power of one pair of cities, 2 durations x 5 lifts (Assay also ranks and prices it)",
             [*geo, "design", "--csv", before, *CITIES[:6], "--sizes", "2", "--durations", "10,15", "--effects", "0,0.05,0.1,0.15,0.2", "--include", "chicago,portland"],
             {"augsynth-py": ("augsynth_fit", [before, "location", "date", "Y", "chicago,portland", "0", "power", "SEED"])},
             {f"least lift found in {d} days": ((lambda a, d=d: next((c["mde"] for c in a["candidates"] if c["duration"] == d), None)), f"mde{d}") for d in (10, 15)})
    for name, columns, after, r in IMPACTS:
        series = [bench.data / f"causal/causalimpact_{name}_data.csv", columns, str(after), "SEED"]
        together(bench, f"CausalImpact's model, series {name} (R: {r[0]}, 95 % from {r[1]} to {r[2]})", [bench.work / "impact", *series],
                 {"bsts-causalimpact": ("bsts_impact", series)},
                 {"effect": (lambda a: a["effect"], "effect"), "from": (lambda a: a["low"], "low"), "to": (lambda a: a["high"], "high"),
                  "farthest from R, % of the interval": (off(r), off(r))})
