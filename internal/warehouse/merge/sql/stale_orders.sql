-- The imported orders that are older than the stored versions. Two versions with dates are compared by date. If one has
-- no date, progress decides: a canceled order stays canceled, refunds only grow, and a payment goes from pending to
-- paid to refunded. With equal progress, a version with a date is preferred, in any order of import. If both versions
-- have no date, the later import is used. See docs/decisions/0011.
CREATE TEMP MACRO paid_step(status) AS (
    CASE replace(replace(replace(lower(status), 'wc-', ''), '_', ' '), '-', ' ')
        WHEN 'pending' THEN 1 WHEN 'pending payment' THEN 1 WHEN 'authorized' THEN 1 WHEN 'on hold' THEN 1
        WHEN 'unpaid' THEN 1 WHEN 'draft' THEN 1 WHEN 'checkout draft' THEN 1 WHEN 'failed' THEN 1
        WHEN 'partially paid' THEN 2
        WHEN 'paid' THEN 3 WHEN 'processing' THEN 3 WHEN 'completed' THEN 3 WHEN 'shipped' THEN 3 WHEN 'unshipped' THEN 3
        WHEN 'partially refunded' THEN 4
        WHEN 'refunded' THEN 5
        ELSE 0
    END
);

INSERT INTO stale
SELECT source, key
FROM (
    SELECT v.source, v.key, v.came_at, v.had_at,
        CASE
            WHEN v.ended <> v.had_ended THEN CAST(v.ended AS INTEGER) - CAST(v.had_ended AS INTEGER)
{{- if .refunds}}
            WHEN coalesce(c.amount, 0) <> coalesce(h.amount, 0) THEN sign(coalesce(c.amount, 0) - coalesce(h.amount, 0))
{{- end}}
            WHEN v.step = 0 OR v.had_step = 0 THEN 0
            ELSE v.step - v.had_step
        END AS further
    FROM (
        SELECT s.source, s.key, s.updated_at AS came_at, b.updated_at AS had_at,
            paid_step(s.status) AS step, paid_step(b.status) AS had_step,
            s.cancelled AND paid_step(s.status) <> 1 AS ended, b.cancelled AND paid_step(b.status) <> 1 AS had_ended
        FROM stage_orders s JOIN before_orders b ON b.source = s.source AND b.key = s.key
    ) v
{{- if .refunds}}
    LEFT JOIN (
        SELECT source, key, sum(amount) AS amount
        FROM (SELECT source, key, refund, max(amount) AS amount FROM stage_refunds GROUP BY source, key, refund)
        GROUP BY source, key
    ) c ON c.source = v.source AND c.key = v.key
    LEFT JOIN (
        SELECT r.source, r.key, sum(r.amount) AS amount
        FROM {{refunds}} r SEMI JOIN stage_orders s ON s.source = r.source AND s.key = r.key
        GROUP BY r.source, r.key
    ) h ON h.source = v.source AND h.key = v.key
{{- end}}
)
WHERE CASE
    WHEN came_at IS NOT NULL AND had_at IS NOT NULL THEN came_at < had_at
    ELSE further < 0 OR further = 0 AND came_at IS NULL AND had_at IS NOT NULL
END
