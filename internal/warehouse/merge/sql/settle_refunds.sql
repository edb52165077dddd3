-- Refunds with a day remain if an import contains only the refunded total of their order. The total is reduced by them,
-- so no refund is counted twice, in any order of import. The staged refunds are complete for their orders. Refunds and
-- totals that one import contains together do not change.
CREATE TEMP TABLE refund_totals AS
SELECT s.source, s.key FROM stage_refunds s SEMI JOIN imported_orders o ON o.source = s.source AND o.key = s.key
GROUP BY s.source, s.key HAVING bool_and(s.date_unknown);

INSERT INTO stage_refunds
SELECT t.* FROM {{refunds}} t
SEMI JOIN refund_totals u ON u.source = t.source AND u.key = t.key
ANTI JOIN stage_refunds s ON s.source = t.source AND s.key = t.key AND s.refund = t.refund
WHERE NOT t.date_unknown;

-- A total that is imported with its order covers all refunds. A stored total is already reduced by the stored refunds.
CREATE TEMP TABLE refunds_dated AS
SELECT source, key, CAST(sum(amount) AS BIGINT) AS amount
FROM (
    SELECT s.source, s.key, s.amount FROM stage_refunds s SEMI JOIN refund_totals u ON u.source = s.source AND u.key = s.key
    WHERE NOT s.date_unknown
    UNION ALL
    SELECT s.source, s.key, s.amount FROM stage_refunds s
    ANTI JOIN imported_orders o ON o.source = s.source AND o.key = s.key
    ANTI JOIN totals_came c ON c.source = s.source AND c.key = s.key
    WHERE NOT s.date_unknown
    UNION ALL
    SELECT t.source, t.key, -t.amount FROM {{refunds}} t
    SEMI JOIN stage_refunds s ON s.source = t.source AND s.key = t.key
    ANTI JOIN imported_orders o ON o.source = t.source AND o.key = t.key
    ANTI JOIN totals_came c ON c.source = t.source AND c.key = t.key
    WHERE NOT t.date_unknown
)
GROUP BY source, key
HAVING sum(amount) <> 0;

UPDATE stage_refunds s SET amount = s.amount - d.amount FROM refunds_dated d
WHERE s.date_unknown AND d.source = s.source AND d.key = s.key;

DELETE FROM stage_refunds s USING refunds_dated d
WHERE s.date_unknown AND s.amount <= 0 AND d.source = s.source AND d.key = s.key
