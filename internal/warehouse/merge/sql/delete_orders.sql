-- The stored versions of changed_orders.
DELETE FROM {{order_rows}} r USING changed_orders o, {{order_kinds}} k
WHERE k.kind = r.kind AND k.source = o.source AND r.key = o.key
