-- One row per window: the totals of the ads with reports in it, and their number. 0 is the recent window, 1 the
-- earlier one. A window without reports has no row. Days are in the ad account's time zone. An empty platform or
-- campaign selects all.
SELECT
    r.period AS period, count(*) AS entries, min(r.first_day) AS first_day, max(r.last_day) AS last_day,
    CAST(sum(r.sum_spend) AS BIGINT) AS total_spend,
    CAST(sum(r.sum_impressions) AS BIGINT) AS total_impressions,
    CAST(sum(r.sum_clicks) AS BIGINT) AS total_clicks,
    CAST(sum(r.sum_conversions) AS BIGINT) AS total_conversions,
    CAST(sum(r.sum_value) AS BIGINT) AS total_value
FROM (
    SELECT
        period, platform, campaign_id, ad_set_id, ad_id, min(day) AS first_day, max(day) AS last_day,
        CAST(sum(spend) AS BIGINT) AS sum_spend, CAST(sum(impressions) AS BIGINT) AS sum_impressions,
        CAST(sum(clicks) AS BIGINT) AS sum_clicks, CAST(sum(conversions) AS BIGINT) AS sum_conversions,
        CAST(sum(value) AS BIGINT) AS sum_value
    FROM (
        SELECT 0 AS period, platform, campaign_id, ad_set_id, ad_id, day, spend, impressions, clicks, conversions,
            value
        FROM {{creative_days}}
        WHERE day >= CAST($recent_first AS DATE) AND day <= CAST($recent_last AS DATE)
            AND ($platform = '' OR platform = $platform) AND ($campaign = '' OR campaign_id = $campaign)
        UNION ALL
        SELECT 1, platform, campaign_id, ad_set_id, ad_id, day, spend, impressions, clicks, conversions, value
        FROM {{creative_days}}
        WHERE day >= CAST($earlier_first AS DATE) AND day <= CAST($earlier_last AS DATE)
            AND ($platform = '' OR platform = $platform) AND ($campaign = '' OR campaign_id = $campaign)
    ) AS days
    GROUP BY period, platform, campaign_id, ad_set_id, ad_id
) AS r
GROUP BY r.period
