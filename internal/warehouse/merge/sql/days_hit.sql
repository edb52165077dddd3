-- One row: the first, the last and the number of changed days.
SELECT min(day), max(day), count(DISTINCT day)
FROM (SELECT day FROM dirty UNION ALL SELECT day FROM spend_dirty UNION ALL SELECT day FROM other_dirty)
WHERE day IS NOT NULL
