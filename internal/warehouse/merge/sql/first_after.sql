-- The new first orders of these customers, by time and then by key. If orders were only added, the first order is a new
-- order or the previous first order, so other orders are not read.
CREATE TEMP TABLE first_after AS
SELECT customer, f.placed_at AS first_at, f.day AS day, f.kind AS kind, f.key AS key
FROM (
{{- if .added}}
    SELECT customer, min(f) AS f
    FROM (
        SELECT o.customer, {'placed_at': o.placed_at, 'key': o.key, 'source': k.source, 'day': o.day, 'kind': o.kind} AS f
        FROM {{order_rows}} o INNER JOIN {{order_kinds}} k ON k.kind = o.kind
        SEMI JOIN changed_orders n ON n.source = k.source AND n.key = o.key
        WHERE o.customer <> '' AND NOT k.cancelled AND NOT k.test AND {{within "o" "came"}}
        UNION ALL
        SELECT b.customer, {'placed_at': b.first_at, 'key': b.key, 'source': k.source, 'day': b.day, 'kind': b.kind}
        FROM first_before b INNER JOIN {{order_kinds}} k ON k.kind = b.kind
    )
    GROUP BY customer
{{- else}}
    SELECT o.customer,
        min({'placed_at': o.placed_at, 'key': o.key, 'source': k.source, 'day': o.day, 'kind': o.kind}) AS f
    FROM {{order_rows}} o INNER JOIN {{order_kinds}} k ON k.kind = o.kind
    SEMI JOIN touched_customers t ON t.customer = o.customer
    WHERE o.customer <> '' AND NOT k.cancelled AND NOT k.test
    GROUP BY o.customer
{{- end}}
)
