-- One row: 1 if there is any row, else 0.
SELECT count(*) FROM (SELECT 1 FROM {{.from}} LIMIT 1)
