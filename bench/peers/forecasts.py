"""Forecasts compared with statsforecast and the R package forecast: M4 weekly, and one daily series of two years."""

import csv
import re
import shutil

from measured import Side, table

WEEKS = 13


def m4(bench):
    """Writes the training parts as a long CSV and returns {id: (train, test)}."""
    series = {}
    with open(bench.data / "forecast/m4_weekly.csv") as file:
        for row in csv.DictReader(file):
            values, n = [float(v) for v in row["values_train_then_test"].split()], int(row["n_train"])
            series[row["id"]] = values[:n], values[n:]
    if bench.quick:
        series = dict(list(series.items())[::12])
    with open(bench.work / "m4.csv", "w") as file:
        file.write("id,t,value\n")
        for id, (train, _) in series.items():
            file.writelines(f"{id},{t},{v}\n" for t, v in enumerate(train))
    return series


def score(series, forecasts, low=None, high=None):
    """sMAPE, MASE with the competition's season of 1, OWA against Naive, and the share inside the 95 % interval."""
    smape = mase = naive_smape = naive_mase = inside = points = 0
    for id, (train, test) in series.items():
        scale = sum(abs(b - a) for a, b in zip(train, train[1:])) / (len(train) - 1)
        for h, y in enumerate(test):
            f, last = max(0, forecasts[id][h]), train[-1]
            smape += 200 * abs(y - f) / (abs(y) + abs(f))
            naive_smape += 200 * abs(y - last) / (abs(y) + abs(last))
            mase += abs(y - f) / scale
            naive_mase += abs(y - last) / scale
            points += 1
            if low:
                inside += low[id][h] <= y <= high[id][h]
    figures = {"sMAPE": smape / points, "MASE": mase / points, "OWA": (smape / naive_smape + mase / naive_mase) / 2}
    if low:
        figures["inside 95 %"] = inside / points
    return figures


def ours(series, answer):
    rows = {s["id"]: s for s in answer["series"]}
    return score(series, {i: r["forecast"] for i, r in rows.items()},
                 {i: r["lower"]["95"] for i, r in rows.items()}, {i: r["upper"]["95"] for i, r in rows.items()})


def theirs(series, answer, name):
    rows = answer["series"]
    low = high = None
    if f"{name}-lo-95" in next(iter(rows.values())):
        low, high = ({i: r[f"{name}-{side}-95"] for i, r in rows.items()} for side in ("lo", "hi"))
    return score(series, {i: r[name] for i, r in rows.items()}, low, high)


def combined(series, answer):
    """Comb: the mean of SES, Holt and Damped."""
    rows = answer["series"]
    return score(series, {i: [sum(v) / 3 for v in zip(r["ses"], r["holt"], r["damped"])] for i, r in rows.items()})


def lab(bench, path, horizon, season, model):
    return [bench.assay, "lab", "forecast", "--csv", path, "--id", "id", "--date", "t", "--value", "value",
            "--horizon", str(horizon), "--season", str(season), "--model", model]


def statsforecast(bench, path, models, horizon, season, levels="80,95"):
    return [bench.python("forecast"), bench.here / "peer/statsforecast_m4.py", path, models, str(horizon), str(season), levels, "1"]


def benchmarks(bench, series):
    """The eight benchmark methods without intervals. Assay's own are checks of its harness: its test program is what is run."""
    if bench.quick:
        return  # the test takes all series
    assay, peer, r = Side("assay (its test)"), Side("statsforecast"), Side("R forecast")
    has_r = shutil.which("Rscript") is not None
    for i in range(1, bench.rounds + 1):
        took = bench.run(f"benchmarks-assay-{i}", i,
                         [bench.work / "forecast.test", "-test.v", "-test.run", "^TestBenchmarksHaveThePublishedAccuracyOnM4Weekly$"],
                         cwd=bench.root / "internal/measure/forecast")
        if took:
            found = dict(re.findall(r"(\w+) +sMAPE ([\d.]+)", took.answer["text"]))
            assay.add(i, took, **{f"sMAPE {m}": float(found[m]) for m in ("SES", "Holt", "Damped", "Theta", "Comb")})
        sides = [(peer, statsforecast(bench, bench.work / "m4.csv", "benchmarks", WEEKS, 1, "none"))]
        if has_r and len(r.runs) < 2:  # over a minute each
            sides.append((r, ["Rscript", bench.here / "peer/forecast_m4.R", bench.work / "m4.csv", str(WEEKS)]))
        for side, command in sides:
            took = bench.run(f"benchmarks-{side.name.split()[0].lower()}-{i}", i, command)
            if took:
                side.add(i, took, **{f"sMAPE {n}": theirs(series, took.answer, k)["sMAPE"] for n, k in
                                     (("SES", "ses"), ("Holt", "holt"), ("Damped", "damped"), ("Theta", "theta"))},
                         **{"sMAPE Comb": combined(series, took.answer)["sMAPE"]})
    if not has_r:
        print("\nR forecast was not run: Rscript is missing (Debian: apt-get install r-cran-forecast)")
    table(f"**Eight benchmark methods, M4 weekly, {len(series)} series** (Naive, sNaive, Naive2, SES, Holt, Damped, Theta, Comb; points only)",
          [s for s in (assay, peer, r) if s.runs], [f"sMAPE {n}" for n in ("SES", "Holt", "Damped", "Theta", "Comb")])


def one_by_one(bench, series):
    """A chosen model with 80 % and 95 % intervals for each series."""
    columns = ["sMAPE", "MASE", "OWA", "inside 95 %"]
    for title, model, season, peers in (
        ("Theta, no season", "theta", 1, [("theta", 1)]),
        ("ETS chosen by AICc, no season", "ets", 1, [("ets", 1)]),
        ("ARIMA chosen stepwise, no season", "arima", 1, [("arima", 1)]),
        ("Season of 52: the pool compared with the long-season models of statsforecast", "pool", 52, [("mstl", 52), ("dynamic", 52)]),
    ):
        assay = Side(f"assay {model}")
        others = [Side(f"statsforecast {name}") for name, _ in peers]
        for i in range(1, bench.rounds + 1):
            took = bench.run(f"m4-assay-{model}-{i}", i, lab(bench, bench.work / "m4.csv", WEEKS, season, model))
            if took:
                assay.add(i, took, **ours(series, took.answer))
            for side, (name, s) in zip(others, peers):
                took = bench.run(f"m4-statsforecast-{name}-{i}", i, statsforecast(bench, bench.work / "m4.csv", name, WEEKS, s))
                if took:
                    side.add(i, took, **theirs(series, took.answer, name))
        table(f"**{title}, M4 weekly, {len(series)} series, 80 % and 95 % intervals**", [assay, *others], columns)


def daily(bench):
    """The last two years of Peyton Manning's page views but for 28 days, which are forecast."""
    with open(bench.data / "forecast/peyton_manning_daily.csv") as file:
        values = [float(row["y"]) for row in csv.DictReader(file)][-730 - 28:]
    series = {"views": (values[:730], values[730:])}
    path = bench.work / "daily.csv"
    path.write_text("id,t,value\n" + "".join(f"views,{t},{v}\n" for t, v in enumerate(values[:730])))
    assay = Side("assay pool")
    peers = [Side(f"statsforecast {n}") for n in ("ets", "ets,arima,dynamic,ces")]
    for i in range(1, bench.rounds + 1):
        took = bench.run(f"daily-assay-{i}", i, lab(bench, path, 28, 7, "pool"))
        if took:
            assay.add(i, took, **ours(series, took.answer))
        for side in peers:
            names = side.name.split()[1]
            took = bench.run(f"daily-statsforecast-{names.count(',') + 1}-{i}", i, statsforecast(bench, path, names, 28, 7))
            if took:
                side.add(i, took, **(theirs(series, took.answer, names) if "," not in names else pooled(series, took.answer)))
    table("**One daily series of two years, 28 days ahead, season of 7, 80 % and 95 % intervals**",
          [assay, *peers], ["sMAPE", "MASE", "inside 95 %"])


def pooled(series, answer):
    """The median of the four models, the combination that did well in the competition; it has no interval of its own."""
    rows = answer["series"]
    return score(series, {i: [sorted(v)[1] / 2 + sorted(v)[2] / 2 for v in zip(r["ets"], r["arima"], r["dynamic"], r["ces"])]
                          for i, r in rows.items()})


def compare(bench):
    series = m4(bench)
    daily(bench)
    one_by_one(bench, series)
    benchmarks(bench, series)
