"""statsforecast on series in a long CSV (id,t,value): `models horizon season levels jobs`. Models: names joined by commas,
or benchmarks, the eight of the M4 competition as far as they are its classes."""

import sys

import pandas as pd
from phases import Phases

path, names, horizon, season, levels, jobs = sys.argv[1], sys.argv[2], *map(int, sys.argv[3:5]), sys.argv[5], int(sys.argv[6])
from statsforecast import StatsForecast
from statsforecast import models as m

known = {
    "ets": lambda: m.AutoETS(season_length=season, alias="ets"),
    "arima": lambda: m.AutoARIMA(season_length=season, alias="arima"),
    "theta": lambda: m.Theta(season_length=season, alias="theta"),
    "autotheta": lambda: m.AutoTheta(season_length=season, alias="autotheta"),
    "dynamic": lambda: m.DynamicOptimizedTheta(season_length=season, alias="dynamic"),
    "ces": lambda: m.AutoCES(season_length=season, alias="ces"),
    "mstl": lambda: m.MSTL(season_length=season, alias="mstl"),
    "naive": lambda: m.Naive(alias="naive"),
    "snaive": lambda: m.SeasonalNaive(season_length=season, alias="snaive"),
    "naive2": lambda: m.Naive(alias="naive2"),  # the same as naive where there is no season
    "ses": lambda: m.SimpleExponentialSmoothingOptimized(alias="ses"),
    "holt": lambda: m.AutoETS(season_length=1, model="AAN", damped=False, alias="holt"),
    "damped": lambda: m.AutoETS(season_length=1, model="AAN", damped=True, alias="damped"),
}
names = ["naive", "snaive", "naive2", "ses", "holt", "damped", "theta"] if names == "benchmarks" else names.split(",")
level = [int(x) for x in levels.split(",")] if levels != "none" else None
phases = Phases("statsforecast", "coreforecast", "numpy")
data = pd.read_csv(path).rename(columns={"id": "unique_id", "t": "ds", "value": "y"})


with phases.measured():
    out = StatsForecast(models=[known[n]() for n in names], freq=1, n_jobs=jobs).forecast(df=data, h=horizon, level=level)
answer = {}
for id, rows in out.groupby("unique_id", sort=False):
    rows = rows.sort_values("ds")
    answer[str(id)] = {c: [round(float(v), 6) for v in rows[c]] for c in rows.columns if c not in ("unique_id", "ds")}
phases.print(series=answer)
