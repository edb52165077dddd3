-- One row per kind of orders.
SELECT kind, source, surface, channel, original_currency, status, cancelled, test FROM {{order_kinds}}
