-- One row per place of orders.
SELECT place, country, region FROM {{order_places}}
