"""Budget optimization compared with scipy's SLSQP, which PyMC-Marketing uses: how far plans are from the best known, and the time."""

import json
import statistics
import subprocess

from measured import short


def divided(bench, *args):
    out = subprocess.run([bench.work / "budgets", *args], check=True, capture_output=True, text=True).stdout
    return out, [json.loads(line) for line in out.splitlines()]


def peer(bench, problems, starts):
    out = subprocess.run([bench.python("forecast"), bench.here / "peer/slsqp.py", str(starts)], input=problems, check=True,
                         capture_output=True, text=True).stdout
    answer = json.loads(out)
    bench.versions.update(answer["versions"])
    return answer["rows"]


def gaps(rows, which):
    """How far below the best plan that any side found, in per cent."""
    return [100 * max(0, 1 - r[which] / max(r["ours"], r["slsqp"], r["best"])) for r in rows]


def compare(bench):
    n = 100 if bench.quick else 1000
    text, ours = divided(bench, "--problems", str(n))
    rows = peer(bench, text, 9)
    print(f"\n**{n} budgets, ten channels, Hill slopes 0.6 to 3, any share of the budget each**: below the best plan that any found, in %\n")
    print("| | mean | worst tenth | worst | more than 0.1 % below | CPU each, ms |\n|---|---|---|---|---|---|")
    for name, which, cpu in (("assay", "ours", [p["cpu"] for p in ours]), ("SLSQP, from an equal split", "slsqp", [r["cpu"] for r in rows]),
                             ("SLSQP, best of ten starts", "best", [])):
        g = sorted(gaps(rows, which))
        print(f"| {name} | {short(statistics.fmean(g))} | {short(g[int(.9 * len(g))])} | {short(g[-1])} | {short(100 * sum(v > .1 for v in g) / n)} % | "
              f"{short(1000 * statistics.median(cpu)) if cpu else ''} |")
    print(f"\nAssay's widest gap to its own certificate: {short(100 * max(p['gap'] for p in ours))} %; "
          f"SLSQP said that it had not succeeded in {sum(not r['success'] for r in rows)} of {n}.")
    text, ours = divided(bench, "--problems", str(bench.rounds + 1), "--draws", "4000")
    rows = peer(bench, text, 9)
    print("\n**Ten channels, 4,000 draws, moves of 60 %, the mean is maximised**, from draws to plan\n")
    print("| | CPU, ms | wall, ms | worst, below the best, % |\n|---|---|---|---|")
    print(f"| assay | {short(1000 * statistics.median(p['cpu'] for p in ours[1:]))} | {short(1000 * statistics.median(p['wall'] for p in ours[1:]))} | {short(max(gaps(rows, 'ours')))} |")
    print(f"| SLSQP on NumPy | {short(1000 * statistics.median(r['cpu'] for r in rows[1:]))} | | {short(max(gaps(rows, 'slsqp')))} |")
