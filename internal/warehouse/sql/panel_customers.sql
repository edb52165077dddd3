-- One row per customer of the panel: the day of the first order in the workspace's time zone, and its last-touch
-- channel.
SELECT id, day, channel
FROM {{panel_customers}}
ORDER BY id
