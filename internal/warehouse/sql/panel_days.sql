-- One row per customer of the panel and day on which the customer ordered or was given money back, in the workspace's
-- zone. costed is the part of net, which is charged for lines, whose cost is known.
SELECT id, day, orders, charged, tax, shipping, refunds, net, costed, cost
FROM {{panel_days}}
ORDER BY id, day
