-- One row per customer of the panel and day with orders or refunds, in the workspace's time zone. costed is the part
-- of net (charged for lines) with a known cost.
SELECT id, day, orders, charged, tax, shipping, refunds, net, costed, cost
FROM {{panel_days}}
ORDER BY id, day
