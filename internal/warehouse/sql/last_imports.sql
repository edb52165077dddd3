-- One row per reader and fact table: the time of the last import with rows for it, in UTC.
SELECT i.source AS source, t.fact AS fact, max(i.imported_at) AS imported_at
FROM {{imports}} AS i
INNER JOIN {{import_tables}} AS t ON t.import_id = i.id
GROUP BY i.source, t.fact
ORDER BY i.source, t.fact
