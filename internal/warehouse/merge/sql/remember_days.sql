-- The days in the import, changed or not. Rows that were written directly into an empty table are the first of their
-- days and need no such entry. A feed contains all changes, on any day.
CREATE TEMP TABLE days_now AS
SELECT DISTINCT n.kind, n.part, i.seen, n.first_day, n.last_day
FROM (
{{- if .orders}}
    SELECT '{{.order_totals}}', surface, {{if .feed}}DATE '1900-01-01', DATE '2199-12-31'{{else}}min(day), max(day){{end}}
    FROM stage_orders
    GROUP BY surface
{{- end}}
{{- if and .orders .ads}}
    UNION ALL
{{- end}}
{{- if .ads}}
    SELECT '{{.spend_totals}}', platform, min(day), max(day) FROM window_days GROUP BY source, platform, account
{{- end}}
) n(kind, part, first_day, last_day)
JOIN {{imports}} i ON i.id = (SELECT max(id) FROM {{imports}});

DELETE FROM {{told_days}} t USING days_now n
WHERE n.kind = t.kind AND n.part = t.part AND n.seen = t.seen AND n.first_day <= t.first_day AND n.last_day >= t.last_day;
INSERT INTO {{told_days}} SELECT * FROM days_now ORDER BY kind, part, first_day
