-- The import's entry in the ledger.
INSERT INTO {{imports}}
VALUES ($1, $2, $3, $4, {{instant "$5"}}, CAST($6 AS DATE), CAST($7 AS DATE), $8, CAST($9 AS DATE), $10)
