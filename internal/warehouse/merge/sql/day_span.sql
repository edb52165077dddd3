-- One row: the first, the last and the number of days.
SELECT min(day), max(day), count(DISTINCT day) FROM {{.from}}
