"""Geo experiments compared with augsynth-py, pysyncon, synthdid-py, CausalPy and mlsynth, and one market before and after compared with
bsts-causalimpact: Proposition 99, GeoLift's walkthrough and CausalImpact's series."""

from measured import Side, table

CITIES = ["--unit", "location", "--time", "date", "--outcome", "Y", "--treated", "chicago,portland", "--start", "2021-04-01"]
STATES = ["--unit", "State", "--time", "Year", "--outcome", "PacksPerCapita", "--treated", "California", "--start", "1989"]

# GeoLift's published BestMarkets without the sixth, which depends on its version: treated cities, days, least lift found and cost.
BEST = [("chicago,cincinnati,houston,portland", 15, .05, 74118.38), ("chicago,portland", 15, .10, 64563.75),
        ("chicago,cincinnati,houston,portland", 10, .10, 99027.75), ("chicago,portland", 10, .10, 43646.25),
        ("chicago,houston,portland", 10, .10, 75389.25)]

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
            environment = next((own for own in ("causalpy", "mlsynth") if script.startswith(own)), "causal")
            took = bench.run(f"regions-{script}-{seed}", seed,
                             [bench.python(environment), bench.here / f"peer/{script}.py", *seeded(arguments, seed)])
            if took:
                others[name].add(seed, took, **{column: key(took.answer) if callable(key) else took.answer.get(key)
                                                for column, (_, key) in figures.items()})
    table(f"**{title}**", [assay, *others.values()], list(figures))


def seeded(words, seed):
    return [str(seed) if w == "SEED" else w for w in words]


def published(answer):
    """How many of the published proposals an answer has, with the same least lift and the cost to the unit."""
    found = {(",".join(sorted(c.get("treated") or c["units"])), c["duration"]): c for c in answer["candidates"]}

    def same(c, lift, cost):
        return c and c["mde"] is not None and abs(c["mde"] - lift) < 1e-9 and abs(c["investment"] - cost) < 1

    return sum(bool(same(found.get((units, days)), lift, cost)) for units, days, lift, cost in BEST)


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
             {"augsynth-py": ("augsynth_fit", [*plain, "sc", "SEED"]), "pysyncon": ("pysyncon_sc", plain), "CausalPy, Bayesian": ("causalpy_sc", [*plain, "SEED"])},
             {"effect": att, "L2": l2, "p": p, "from": (lambda a: (a["ci"] or [None])[0], "low"), "to": (lambda a: (a["ci"] or [None])[-1], "high")})
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
    together(bench, "GeoLift's market selection: sizes 2 to 5 with chicago, without honolulu, 2 durations x 5 lifts (five published proposals)",
             [*geo, "design", "--csv", before, *CITIES[:6], "--sizes", "2,3,4,5", "--durations", "10,15", "--effects", "0,0.05,0.1,0.15,0.2",
              "--include", "chicago", "--exclude", "honolulu", "--cpic", "7.5"],
             {"mlsynth": ("mlsynth_design", [before, "SEED"])}, {"published proposals found": (published, published)})
    for name, columns, after, r in IMPACTS:
        series = [bench.data / f"causal/causalimpact_{name}_data.csv", columns, str(after), "SEED"]
        together(bench, f"CausalImpact's model, series {name} (R: {r[0]}, 95 % from {r[1]} to {r[2]})", [bench.work / "impact", *series],
                 {"bsts-causalimpact": ("bsts_impact", series)},
                 {"effect": (lambda a: a["effect"], "effect"), "from": (lambda a: a["low"], "low"), "to": (lambda a: a["high"], "high"),
                  "farthest from R, % of the interval": (off(r), off(r))})
