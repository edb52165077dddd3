-- At most one row: the order with a key of a source. Instants are UTC; updated_at is NULL if unknown.
-- heavy: scans all orders.
SELECT
    name, placed_at, day, surface, customer, channel, charged, tax, shipping, discounts, original, original_currency, status,
    cancelled, test, country, region, units, updated_at
FROM {{orders}}
WHERE source = $source AND key = $key
