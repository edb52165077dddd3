"""The national model compared with Google's Meridian, whose closest model has other curves. See
peer/meridian_mix.py for what differs."""

from mixes import example, side_by_side


def compare(bench):
    side_by_side(bench, "pymc_mmm_example, Meridian's nearest model", example(bench), 500 if bench.quick else 1000,
                 {"Meridian": ("meridian_mix", "meridian")})
