-- The orders with codes that now belong to another channel or creator.
INSERT INTO touched
SELECT DISTINCT c.source, c.key FROM {{order_coupons}} c
SEMI JOIN (SELECT upper(code) AS code FROM {{.from}}) m ON m.code = c.code
