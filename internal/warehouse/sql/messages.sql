-- One row per campaign or flow of messages, largest claimed revenue first, as the sending tools report them. Days are
-- the sending tool's. An empty channel or entity selects all. since_rows is the number of rows with totals since
-- sending instead of totals of one day.
SELECT
    channel, entity, entity_id, max(entity_name) AS latest_name, count(*) AS report_rows,
    CAST(sum(recipients) AS BIGINT) AS sum_recipients, CAST(sum(delivered) AS BIGINT) AS sum_delivered,
    CAST(sum(opens) AS BIGINT) AS sum_opens, CAST(sum(clicks) AS BIGINT) AS sum_clicks,
    CAST(sum(conversions) AS BIGINT) AS sum_conversions, CAST(sum(revenue) AS BIGINT) AS sum_revenue,
    CAST(sum(unsubscribes) AS BIGINT) AS sum_unsubscribes, CAST(sum(spam) AS BIGINT) AS sum_spam,
    CAST(sum(bounces) AS BIGINT) AS sum_bounces,
    CAST(sum(CASE WHEN since_send THEN 1 ELSE 0 END) AS BIGINT) AS since_rows,
    min(day) AS first_day, max(day) AS last_day
FROM {{message_days}}
WHERE day >= CAST($first AS DATE) AND day <= CAST($last AS DATE)
    AND ($channel = '' OR channel = $channel) AND ($entity = '' OR entity = $entity)
GROUP BY channel, entity, entity_id
ORDER BY sum_revenue DESC, channel, entity, entity_id
