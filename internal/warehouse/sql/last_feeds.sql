-- One row: the times, in UTC, of the last import of webhooks and of the end of the last run of a tap that read orders. A
-- time is NULL if there is none.
SELECT
    max(CASE WHEN file = $webhooks THEN imported_at END) AS webhook_at,
    max(CASE WHEN file = $tap_run THEN imported_at END) AS run_at
FROM {{imports}}
WHERE feed
