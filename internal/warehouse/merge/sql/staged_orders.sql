-- The imported orders with all texts, without duplicates. The latest version of an order is used. If versions have the
-- same date, the last version in the import is used.
CREATE TEMP TABLE stage_orders AS
SELECT k.source, r.key, coalesce(r.name, r.key) AS name, r.placed_at, r.day, k.surface, r.customer, k.channel,
    r.charged, r.tax, r.shipping, r.discounts, r.original, k.original_currency, k.status, k.cancelled, k.test,
    p.country, p.region, r.units, r.updated_at
FROM stage_order_rows r
INNER JOIN {{order_kinds}} k ON k.kind = r.kind
INNER JOIN {{order_places}} p ON p.place = r.place
{{- if .unordered}}
QUALIFY row_number() OVER (PARTITION BY k.source, r.key
    ORDER BY coalesce(r.updated_at, TIMESTAMP '9999-12-31 00:00:00') DESC, r.rowid DESC) = 1
{{- end}};
DROP TABLE stage_order_rows
