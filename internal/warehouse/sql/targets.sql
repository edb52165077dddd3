-- One row per target: a metric, a kind of period, its first day and a channel, '' for the whole store. Days are in
-- the workspace's time zone. Money is in whole units of the workspace's currency.
SELECT metric, period, start_day, coalesce(channel, '') AS goal_channel, value
FROM {{targets}}
ORDER BY start_day, period, metric, goal_channel
