-- The orders with changed survey answers.
INSERT INTO touched SELECT DISTINCT order_source, order_key FROM {{.from}}
