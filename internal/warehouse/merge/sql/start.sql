-- share(amount, lower, upper, whole) is the part of an amount between two points of a whole, as
-- floor(amount × upper / whole) - floor(amount × lower / whole). Adjacent shares add up to the amount exactly, also for
-- negative amounts. Dividing first keeps the products within 64 bits if the whole is below 2^31; a larger whole needs a
-- HUGEINT amount. Most shares are of the whole amount and need no division.
CREATE TEMP MACRO floor_quotient(x, y) AS x // y - CAST(x % y < 0 AS BIGINT);
CREATE TEMP MACRO up_to(amount, point, whole) AS
    (amount // whole) * point + floor_quotient((amount % whole) * point, whole);
CREATE TEMP MACRO share(amount, lower, upper, whole) AS
    CASE WHEN lower = 0 AND upper = whole THEN amount ELSE up_to(amount, upper, whole) - up_to(amount, lower, whole) END;

-- The tables that collect changed orders, their customers, and the days to rebuild or report.
CREATE TEMP TABLE touched (source VARCHAR, key VARCHAR);
CREATE TEMP TABLE touched_customers (customer VARCHAR);
CREATE TEMP TABLE stale (source VARCHAR, key VARCHAR);
CREATE TEMP TABLE dirty (day DATE);
CREATE TEMP TABLE spend_dirty (day DATE);
CREATE TEMP TABLE other_dirty (day DATE);
