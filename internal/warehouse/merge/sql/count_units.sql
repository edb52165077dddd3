-- Orders have the units of their computed lines.
UPDATE {{order_rows}} r SET units = u.units
FROM (
    SELECT k.kind, l.key, CAST(sum(l.quantity) AS BIGINT) AS units
    FROM lines_made l INNER JOIN {{order_kinds}} k ON k.source = l.source GROUP BY k.kind, l.key
) u
WHERE r.kind = u.kind AND r.key = u.key AND r.units <> u.units
