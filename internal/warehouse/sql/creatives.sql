-- One row per ad with reports in the window. Names are the latest in the window. Ads without spend have no ROAS and
-- sort last. Days are in the ad account's time zone. An empty platform or campaign selects all.
SELECT
    r.platform AS platform, r.campaign_id AS campaign_id, r.ad_set_id AS ad_set_id, r.ad_id AS ad_id,
    r.latest_channel AS channel, r.latest_account AS account, r.latest_campaign_name AS campaign_name,
    r.latest_attribution AS attribution, r.latest_ad_set_name AS ad_set_name, r.latest_ad_name AS ad_name,
    r.first_day AS first_day, r.last_day AS last_day, r.sum_spend AS spend, r.sum_impressions AS impressions,
    r.sum_clicks AS clicks, r.sum_conversions AS conversions, r.sum_value AS value
FROM (
    SELECT
        platform, campaign_id, ad_set_id, ad_id, argMax(channel, day) AS latest_channel,
        argMax(account, day) AS latest_account, argMax(campaign_name, day) AS latest_campaign_name,
        argMax(attribution, day) AS latest_attribution, argMax(ad_set_name, day) AS latest_ad_set_name,
        argMax(ad_name, day) AS latest_ad_name, min(day) AS first_day, max(day) AS last_day,
        CAST(sum(spend) AS BIGINT) AS sum_spend, CAST(sum(impressions) AS BIGINT) AS sum_impressions,
        CAST(sum(clicks) AS BIGINT) AS sum_clicks, CAST(sum(conversions) AS BIGINT) AS sum_conversions,
        CAST(sum(value) AS BIGINT) AS sum_value
    FROM {{creative_days}}
    WHERE day >= CAST($recent_first AS DATE) AND day <= CAST($recent_last AS DATE)
        AND ($platform = '' OR platform = $platform) AND ($campaign = '' OR campaign_id = $campaign)
    GROUP BY platform, campaign_id, ad_set_id, ad_id
) AS r
ORDER BY
    CASE
        WHEN $sort = 'revenue' THEN CAST(r.sum_value AS DOUBLE)
        WHEN $sort = 'conversions' THEN CAST(r.sum_conversions AS DOUBLE)
        WHEN $sort = 'roas' THEN CASE WHEN r.sum_spend > 0 THEN CAST(r.sum_value AS DOUBLE) / r.sum_spend ELSE NULL END
        ELSE CAST(r.sum_spend AS DOUBLE)
    END DESC NULLS LAST,
    r.platform, r.campaign_id, r.ad_set_id, r.ad_id
LIMIT $limit OFFSET $offset
