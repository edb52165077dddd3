-- One row per import, newest first. Instants are UTC; the days are NULL when no day changed.
SELECT
    i.id AS id, i.source AS source, i.file AS file, i.file_hash AS file_hash, i.imported_at AS imported_at,
    coalesce(t.inserted, 0) AS inserted, coalesce(t.updated, 0) AS updated, coalesce(t.unchanged, 0) AS unchanged,
    coalesce(t.removed, 0) AS removed, i.first_day AS first_day, i.last_day AS last_day
FROM {{imports}} AS i
LEFT JOIN (
    SELECT
        import_id, CAST(sum(inserted) AS BIGINT) AS inserted, CAST(sum(updated) AS BIGINT) AS updated,
        CAST(sum(unchanged) AS BIGINT) AS unchanged, CAST(sum(removed) AS BIGINT) AS removed
    FROM {{import_tables}}
    GROUP BY import_id
) AS t ON t.import_id = i.id
WHERE $id = 0 OR i.id = $id
ORDER BY i.id DESC
LIMIT $limit
