-- One version of each customer's profile, from the versions in the relation . of the template. The column came is the
-- order of import. A version with a date is preferred to a version without a date, in any order of import. If both
-- dates are missing or equal, the later import is used.
SELECT source, customer, phone,
    min(since) OVER (PARTITION BY source, customer) AS since,
    coalesce(first_value(nullif(email, '') IGNORE NULLS) OVER by_email, '') AS email,
    coalesce(first_value(nullif(sms, '') IGNORE NULLS) OVER by_sms, '') AS sms,
    country, region,
    max(orders) OVER (PARTITION BY source, customer) AS orders,
    updated_at,
    max(CASE WHEN email <> '' THEN email_at END) OVER (PARTITION BY source, customer) AS email_at,
    max(CASE WHEN sms <> '' THEN sms_at END) OVER (PARTITION BY source, customer) AS sms_at
FROM {{.}}
WINDOW
    by_email AS (
        PARTITION BY source, customer ORDER BY email_at DESC NULLS LAST, came DESC
        ROWS BETWEEN UNBOUNDED PRECEDING AND UNBOUNDED FOLLOWING
    ),
    by_sms AS (
        PARTITION BY source, customer ORDER BY sms_at DESC NULLS LAST, came DESC
        ROWS BETWEEN UNBOUNDED PRECEDING AND UNBOUNDED FOLLOWING
    )
QUALIFY row_number() OVER (PARTITION BY source, customer ORDER BY updated_at DESC NULLS LAST, came DESC) = 1
