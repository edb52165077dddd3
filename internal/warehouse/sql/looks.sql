-- One row per part, day of import and imported range of days that overlaps a period. Ranges include unchanged days.
SELECT part, seen, first_day, last_day
FROM {{told_days}}
WHERE kind = $kind AND first_day <= CAST($last AS DATE) AND last_day >= CAST($first AS DATE)
ORDER BY part, seen, first_day, last_day
