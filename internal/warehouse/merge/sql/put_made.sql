-- The computed parts replace the stored parts that differ.
DELETE FROM {{table .fact.Name}} t USING old_{{.part}}_made o WHERE {{same "o" "t" .fact.Key}};
INSERT INTO {{table .fact.Name}} SELECT * FROM new_{{.part}}_made ORDER BY {{columns "" .fact.Key}};
INSERT INTO touched SELECT source, key FROM new_{{.part}}_made UNION SELECT source, key FROM old_{{.part}}_made;
INSERT INTO {{assembled_orders}}
SELECT DISTINCT n.source, n.key, '{{.part}}' FROM new_{{.part}}_made n
ANTI JOIN (SELECT source, key FROM {{assembled_orders}} WHERE part = '{{.part}}') a ON a.source = n.source AND a.key = n.key
