-- The counts of a fact table in the ledger.
INSERT INTO {{import_tables}} VALUES ($1, $2, $3, $4, $5, $6)
