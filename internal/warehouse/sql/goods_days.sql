-- One row per day and sales surface with order lines, by the orders' days in the workspace's time zone. costed is the
-- number of units with a known cost, costed_net is the amount charged for them, and cost is their cost of goods.
SELECT day, surface, units, net, costed, costed_net, cost
FROM {{goods_days}}
WHERE day >= CAST($first AS DATE) AND day <= CAST($last AS DATE)
ORDER BY day, surface
