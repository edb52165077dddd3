-- One row per window: the totals of the campaigns with reports in it, and their number. 0 is the recent window, 1 the
-- earlier one. A window without reports has no row. Days are in the ad account's time zone. An empty platform or
-- campaign selects all.
SELECT
    r.period AS period, count(*) AS entries, min(r.first_day) AS first_day, max(r.last_day) AS last_day,
    CAST(sum(r.sum_spend) AS BIGINT) AS total_spend,
    CAST(sum(r.sum_impressions) AS BIGINT) AS total_impressions,
    CAST(sum(r.sum_clicks) AS BIGINT) AS total_clicks,
    CAST(sum(r.sum_conversions) AS BIGINT) AS total_conversions,
    CAST(sum(r.sum_value) AS BIGINT) AS total_value,
    CAST(sum(coalesce(c.sum_orders, 0)) AS BIGINT) AS credited_orders,
    CAST(sum(coalesce(c.sum_charged, 0)) AS BIGINT) AS credited_charged,
    CAST(sum(coalesce(c.sum_tax, 0)) AS BIGINT) AS credited_tax,
    CAST(sum(coalesce(c.sum_shipping, 0)) AS BIGINT) AS credited_shipping,
    CAST(sum(coalesce(c.sum_discounts, 0)) AS BIGINT) AS credited_discounts,
    CAST(sum(coalesce(c.sum_refunds, 0)) AS BIGINT) AS credited_refunds,
    CAST(sum(coalesce(c.sum_undated, 0)) AS BIGINT) AS credited_undated,
    CAST(sum(coalesce(c.sum_new_orders, 0)) AS BIGINT) AS credited_new_orders,
    CAST(sum(coalesce(c.sum_units, 0)) AS BIGINT) AS credited_units
FROM (
    SELECT
        period, platform, campaign_id, min(day) AS first_day, max(day) AS last_day,
        CAST(sum(spend) AS BIGINT) AS sum_spend, CAST(sum(impressions) AS BIGINT) AS sum_impressions,
        CAST(sum(clicks) AS BIGINT) AS sum_clicks, CAST(sum(conversions) AS BIGINT) AS sum_conversions,
        CAST(sum(value) AS BIGINT) AS sum_value
    FROM (
        SELECT 0 AS period, platform, campaign_id, day, spend, impressions, clicks, conversions, value
        FROM {{campaign_days}}
        WHERE day >= CAST($recent_first AS DATE) AND day <= CAST($recent_last AS DATE)
            AND ($platform = '' OR platform = $platform) AND ($campaign = '' OR campaign_id = $campaign)
        UNION ALL
        SELECT 1, platform, campaign_id, day, spend, impressions, clicks, conversions, value
        FROM {{campaign_days}}
        WHERE day >= CAST($earlier_first AS DATE) AND day <= CAST($earlier_last AS DATE)
            AND ($platform = '' OR platform = $platform) AND ($campaign = '' OR campaign_id = $campaign)
    ) AS days
    GROUP BY period, platform, campaign_id
) AS r
LEFT JOIN (
    SELECT
        period, platform, campaign_id,
        CAST(sum(orders) AS BIGINT) AS sum_orders, CAST(sum(charged) AS BIGINT) AS sum_charged,
        CAST(sum(tax) AS BIGINT) AS sum_tax, CAST(sum(shipping) AS BIGINT) AS sum_shipping,
        CAST(sum(discounts) AS BIGINT) AS sum_discounts, CAST(sum(refunds) AS BIGINT) AS sum_refunds,
        CAST(sum(undated) AS BIGINT) AS sum_undated, CAST(sum(new_orders) AS BIGINT) AS sum_new_orders,
        CAST(sum(units) AS BIGINT) AS sum_units
    FROM (
        SELECT 0 AS period, platform, campaign_id, orders, charged, tax, shipping, discounts, refunds, undated,
            new_orders, units
        FROM {{campaign_credit_days}}
        WHERE day >= CAST($recent_first AS DATE) AND day <= CAST($recent_last AS DATE)
        UNION ALL
        SELECT 1, platform, campaign_id, orders, charged, tax, shipping, discounts, refunds, undated, new_orders,
            units
        FROM {{campaign_credit_days}}
        WHERE day >= CAST($earlier_first AS DATE) AND day <= CAST($earlier_last AS DATE)
    ) AS credits
    GROUP BY period, platform, campaign_id
) AS c ON c.period = r.period AND c.platform = r.platform AND c.campaign_id = r.campaign_id
GROUP BY r.period
