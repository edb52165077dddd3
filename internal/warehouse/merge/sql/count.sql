-- One row: the number of rows.
SELECT count(*) FROM {{.from}}
