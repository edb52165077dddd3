-- At most one row: the latest import of a file, if no later import changed any of its tables or the exchange rates. Then
-- importing the file again would change nothing.
SELECT max(id) AS id
FROM {{imports}}
WHERE file_hash = $file_hash AND id >= (
    SELECT coalesce(max(import_id), 0) FROM {{import_tables}} WHERE fact = 'fx_rates' AND inserted + updated + removed > 0
) AND id NOT IN (
    SELECT older.import_id
    FROM {{import_tables}} AS older
    INNER JOIN {{import_tables}} AS later ON later.fact = older.fact
    WHERE later.import_id > older.import_id AND later.inserted + later.updated + later.removed > 0
)
HAVING count(*) > 0
