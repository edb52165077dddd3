-- The orders whose survey answers changed.
INSERT INTO touched SELECT DISTINCT order_source, order_key FROM {{.from}}
