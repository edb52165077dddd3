-- One row per day and pair of currencies: what one unit of the first is worth in the second, as an exact decimal. A
-- day without a row has no rate.
SELECT day, from_currency, to_currency, rate, source
FROM {{fx_rates}}
ORDER BY day, from_currency, to_currency
