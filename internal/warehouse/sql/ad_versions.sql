-- One row per version before an instant, in order of time: of every campaign, and of the ad sets and ads with a version
-- in the period. The currency is the latest of the account's reports, or '' if they have none. An empty platform or
-- campaign selects all.
-- heavy: reads the currencies of all reports.
SELECT
    s.platform AS platform, s.level AS level, s.id AS id, s.since AS since, s.name AS name, s.status AS status, s.told AS told,
    s.budget AS budget, s.budget_unit AS budget_unit, s.budget_per AS budget_per, coalesce(c.currency, '') AS currency
FROM {{ad_states}} AS s
LEFT JOIN (
    SELECT platform, account, argMax(original_currency, day) AS currency FROM {{ad_days}} GROUP BY platform, account
) AS c ON c.platform = s.platform AND c.account = s.account
WHERE s.since < CAST($until AS TIMESTAMP) AND ($platform = '' OR s.platform = $platform)
    AND ($campaign = '' OR s.level = 'campaign' AND s.id = $campaign OR s.campaign_id = $campaign)
    AND (s.level = 'campaign' OR concat(s.platform, ' ', s.level, ' ', s.id) IN (
        SELECT concat(platform, ' ', level, ' ', id)
        FROM {{ad_states}}
        WHERE since >= CAST($since AS TIMESTAMP) AND since < CAST($until AS TIMESTAMP)
    ))
ORDER BY s.platform, s.level, s.id, s.since
