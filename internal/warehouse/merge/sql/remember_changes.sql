-- The changed totals of days, under the import's ledger entry.
INSERT INTO {{day_history}}
SELECT (SELECT max(id) FROM {{imports}}), * FROM changed_versions ORDER BY day, kind, part
