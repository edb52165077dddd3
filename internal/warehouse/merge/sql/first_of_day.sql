-- Changes the data version if the import is the first of its source and file name on its day. The days of imports show
-- which days are complete.
UPDATE {{data_version}} SET version = version + 1
WHERE NOT EXISTS (SELECT 1 FROM {{imports}} WHERE source = $1 AND file = $2 AND seen = CAST($3 AS DATE))
