-- One row per part, day of import and range of days in the import, changed or not, that overlaps a period.
SELECT part, seen, first_day, last_day
FROM {{told_days}}
WHERE kind = $kind AND first_day <= CAST($last AS DATE) AND last_day >= CAST($first AS DATE)
ORDER BY part, seen, first_day, last_day
