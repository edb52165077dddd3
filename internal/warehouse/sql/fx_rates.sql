-- One row per day, currency pair and source: the value of one unit of the first currency in the second, as an exact
-- decimal. A day without a row has no rate. If several sources have a rate for a day, the last rate in this order is
-- used.
SELECT day, from_currency, to_currency, rate, source
FROM {{fx_rates}}
ORDER BY day, from_currency, to_currency, source
