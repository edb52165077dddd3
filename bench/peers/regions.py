"""Tests by region beside augsynth-py, pysyncon and synthdid-py: Proposition 99 and GeoLift's walkthrough."""

from measured import Side, run, table

CITIES = ["--unit", "location", "--time", "date", "--outcome", "Y", "--treated", "chicago,portland", "--start", "2021-04-01"]
STATES = ["--unit", "State", "--time", "Year", "--outcome", "PacksPerCapita", "--treated", "California", "--start", "1989"]


def together(bench, title, ours, peers, figures):
    """ours: arguments of `assay lab geo`; peers: name -> (script, arguments); figures: column -> (our key, their key)."""
    assay, others = Side("assay"), {name: Side(name) for name in peers}
    for seed in range(1, bench.rounds + 1):
        took = run([bench.assay, "lab", "--seed", str(seed), "geo", *ours])
        assay.add(took, **{column: get(took.answer) for column, (get, _) in figures.items()})
        for name, (script, arguments) in peers.items():
            took = run([bench.python("causal"), bench.here / f"peer/{script}.py", *(str(seed) if a == "SEED" else a for a in arguments)])
            bench.saw(took)
            others[name].add(took, **{column: took.answer.get(key) for column, (_, key) in figures.items()})
    table(f"**{title}**", [assay, *others.values()], list(figures))


def compare(bench):
    states = bench.work / "states.csv"
    states.write_text((bench.data / "causal/california_prop99.csv").read_text().replace(";", ","))
    cities, before = bench.data / "causal/geolift_test.csv", bench.data / "causal/geolift_pretest.csv"
    att, l2, p = (lambda a: a["att"], "att"), (lambda a: a["l2"], "l2"), (lambda a: a["p_value"], "p")
    plain = [states, "State", "Year", "PacksPerCapita", "California", "1989"]
    together(bench, "Proposition 99, synthetic control of raw levels and placebos in all 38 states (published optimum -19.51363, L2 7.220081)",
             ["fit", "--csv", states, *STATES, "--method", "sc"],
             {"augsynth-py": ("augsynth_fit", [*plain, "sc"]), "pysyncon": ("pysyncon_sc", plain)}, {"effect": att, "L2": l2, "p": p})
    together(bench, "Proposition 99, SDID with its placebo standard error (published -15.60, 8.4; the optimum is -15.60540)",
             ["fit", "--csv", states, *STATES, "--method", "sdid"], {"synthdid-py": ("synthdid_sdid", [states, "SEED"])},
             {"effect": att, "standard error": (lambda a: a["placebo"]["se"], "se")})
    walk = [cities, "location", "date", "Y", "chicago,portland", "2021-04-01"]
    together(bench, "GeoLift's walkthrough, unit effects, conformal p (published 155.556, L2 909.489, p .014)",
             ["fit", "--csv", cities, *CITIES, "--method", "sc", "--demean", "on", "--inference", "conformal-iid"],
             {"augsynth-py": ("augsynth_fit", [*walk, "geolift"])}, {"effect": att, "L2": l2, "p": p})
    together(bench, "GeoLift's walkthrough, ridge (published 156.805, L2 903.525, p .013)",
             ["fit", "--csv", cities, *CITIES, "--method", "asc", "--inference", "conformal-iid"],
             {"augsynth-py": ("augsynth_fit", [*walk, "ridge"])}, {"effect": att, "L2": l2, "p": p})
    together(bench, "Power of one pair of cities, 2 durations x 5 lifts (Assay also ranks and prices it)",
             ["design", "--csv", before, *CITIES[:6], "--sizes", "2", "--durations", "10,15", "--effects", "0,0.05,0.1,0.15,0.2", "--include", "chicago,portland"],
             {"augsynth-py": ("augsynth_fit", [before, "location", "date", "Y", "chicago,portland", "0", "power"])},
             {f"least lift found in {d} days": ((lambda a, d=d: next((c["mde"] for c in a["candidates"] if c["duration"] == d), None)), f"mde{d}") for d in (10, 15)})
