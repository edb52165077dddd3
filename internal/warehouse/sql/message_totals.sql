-- One row per window, message channel and kind of entity, as the sending tools report them. 0 is the recent window, 1
-- the earlier one. Days are the sending tool's. Opens and clicks are unique within a report row. since_rows is the
-- number of rows with totals since sending instead of totals of one day.
SELECT
    period, channel, entity, count(*) AS report_rows,
    CAST(sum(recipients) AS BIGINT) AS sum_recipients, CAST(sum(delivered) AS BIGINT) AS sum_delivered,
    CAST(sum(opens) AS BIGINT) AS sum_opens, CAST(sum(clicks) AS BIGINT) AS sum_clicks,
    CAST(sum(conversions) AS BIGINT) AS sum_conversions, CAST(sum(revenue) AS BIGINT) AS sum_revenue,
    CAST(sum(unsubscribes) AS BIGINT) AS sum_unsubscribes, CAST(sum(spam) AS BIGINT) AS sum_spam,
    CAST(sum(bounces) AS BIGINT) AS sum_bounces,
    CAST(sum(CASE WHEN since_send THEN 1 ELSE 0 END) AS BIGINT) AS since_rows,
    min(day) AS first_day, max(day) AS last_day
FROM (
    SELECT 0 AS period, channel, entity, day, recipients, delivered, opens, clicks, conversions, revenue, unsubscribes, spam,
        bounces, since_send
    FROM {{message_days}}
    WHERE day >= CAST($recent_first AS DATE) AND day <= CAST($recent_last AS DATE)
    UNION ALL
    SELECT 1, channel, entity, day, recipients, delivered, opens, clicks, conversions, revenue, unsubscribes, spam,
        bounces, since_send
    FROM {{message_days}}
    WHERE day >= CAST($earlier_first AS DATE) AND day <= CAST($earlier_last AS DATE)
) AS days
GROUP BY period, channel, entity
ORDER BY period, channel, entity
