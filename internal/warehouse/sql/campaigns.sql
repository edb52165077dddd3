-- One row per campaign with reports in the window, with the orders that last touch credits to it (0 if none). Names
-- are the latest in the window. Campaigns without spend have no ROAS and sort last. Days are in the ad account's time
-- zone. An empty platform or campaign selects all.
SELECT
    r.platform AS platform, r.campaign_id AS campaign_id, r.latest_channel AS channel,
    r.latest_account AS account, r.latest_campaign_name AS campaign_name, r.latest_attribution AS attribution,
    r.first_day AS first_day, r.last_day AS last_day, r.sum_spend AS spend, r.sum_impressions AS impressions,
    r.sum_clicks AS clicks, r.sum_conversions AS conversions, r.sum_value AS value,
    coalesce(c.sum_orders, 0) AS credited_orders, coalesce(c.sum_charged, 0) AS credited_charged,
    coalesce(c.sum_tax, 0) AS credited_tax, coalesce(c.sum_shipping, 0) AS credited_shipping,
    coalesce(c.sum_discounts, 0) AS credited_discounts, coalesce(c.sum_refunds, 0) AS credited_refunds,
    coalesce(c.sum_undated, 0) AS credited_undated, coalesce(c.sum_new_orders, 0) AS credited_new_orders,
    coalesce(c.sum_units, 0) AS credited_units
FROM (
    SELECT
        platform, campaign_id, argMax(channel, day) AS latest_channel, argMax(account, day) AS latest_account,
        argMax(campaign_name, day) AS latest_campaign_name, argMax(attribution, day) AS latest_attribution,
        min(day) AS first_day, max(day) AS last_day,
        CAST(sum(spend) AS BIGINT) AS sum_spend, CAST(sum(impressions) AS BIGINT) AS sum_impressions,
        CAST(sum(clicks) AS BIGINT) AS sum_clicks, CAST(sum(conversions) AS BIGINT) AS sum_conversions,
        CAST(sum(value) AS BIGINT) AS sum_value
    FROM {{campaign_days}}
    WHERE day >= CAST($recent_first AS DATE) AND day <= CAST($recent_last AS DATE)
        AND ($platform = '' OR platform = $platform) AND ($campaign = '' OR campaign_id = $campaign)
    GROUP BY platform, campaign_id
) AS r
LEFT JOIN (
    SELECT
        platform, campaign_id,
        CAST(sum(orders) AS BIGINT) AS sum_orders, CAST(sum(charged) AS BIGINT) AS sum_charged,
        CAST(sum(tax) AS BIGINT) AS sum_tax, CAST(sum(shipping) AS BIGINT) AS sum_shipping,
        CAST(sum(discounts) AS BIGINT) AS sum_discounts, CAST(sum(refunds) AS BIGINT) AS sum_refunds,
        CAST(sum(undated) AS BIGINT) AS sum_undated, CAST(sum(new_orders) AS BIGINT) AS sum_new_orders,
        CAST(sum(units) AS BIGINT) AS sum_units
    FROM {{campaign_credit_days}}
    WHERE day >= CAST($recent_first AS DATE) AND day <= CAST($recent_last AS DATE)
    GROUP BY platform, campaign_id
) AS c ON c.platform = r.platform AND c.campaign_id = r.campaign_id
ORDER BY
    CASE
        WHEN $sort = 'revenue' THEN CAST(r.sum_value AS DOUBLE)
        WHEN $sort = 'conversions' THEN CAST(r.sum_conversions AS DOUBLE)
        WHEN $sort = 'roas' THEN CASE WHEN r.sum_spend > 0 THEN CAST(r.sum_value AS DOUBLE) / r.sum_spend ELSE NULL END
        ELSE CAST(r.sum_spend AS DOUBLE)
    END DESC NULLS LAST,
    r.platform, r.campaign_id
LIMIT $limit OFFSET $offset
