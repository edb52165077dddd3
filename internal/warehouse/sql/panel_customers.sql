-- One row per customer of the panel: the day of the first order in the workspace's zone, and the channel that last touch
-- credits with it.
SELECT id, day, channel
FROM {{panel_customers}}
ORDER BY id
