-- The orders stored under a name with a changed customer.
INSERT INTO touched
SELECT k.source, r.key FROM {{order_rows}} r
SEMI JOIN moved v ON v.name = r.customer
INNER JOIN {{order_kinds}} k ON k.kind = r.kind
