-- One row per order of a customer, with all stored columns, including canceled and test orders. The customer is a
-- keyed hash.
-- heavy: reads all orders.
SELECT
    source, key, name, placed_at, day, surface, channel, charged, tax, shipping, discounts, original, original_currency,
    status, cancelled, test, country, region, units, updated_at
FROM {{orders}}
WHERE customer = $customer AND customer <> ''
ORDER BY source, key
