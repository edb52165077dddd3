-- One row: the number of the next ledger entry.
SELECT coalesce(max(id), 0) + 1 FROM {{imports}}
