-- Orders that were written into the empty table, without duplicates and sorted by time.
CREATE TEMP TABLE stage_order_rows AS
SELECT r.*
FROM {{order_rows}} r
INNER JOIN {{order_kinds}} k ON k.kind = r.kind
{{- if .unordered}}
QUALIFY row_number() OVER (PARTITION BY k.source, r.key
    ORDER BY coalesce(r.updated_at, TIMESTAMP '9999-12-31 00:00:00') DESC, r.rowid DESC) = 1
{{- end}};
DELETE FROM {{order_rows}};
INSERT INTO {{order_rows}} SELECT * FROM stage_order_rows ORDER BY placed_at, key;
DROP TABLE stage_order_rows
