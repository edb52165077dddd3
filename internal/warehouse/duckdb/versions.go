package duckdb

import (
	"context"
	"fmt"
)

// dropStale drops versions of orders that are older than the stored ones. Two versions with dates are compared by
// date. If one has no date, progress decides: a canceled order stays canceled, refunds only grow, and a payment goes
// from pending to paid to refunded. With equal progress, a version with a date is preferred, in any order of import,
// and of two without a date the later import counts. An order has the latest date of all its versions. An import
// marked as the latest is never older. See docs/decisions/0011.
func (m *merge) dropStale(ctx context.Context) error {
	if !m.spec.Latest {
		came, had := "(SELECT '' AS source, '' AS key, 0 AS amount LIMIT 0)", "(SELECT '' AS source, '' AS key, 0 AS amount LIMIT 0)"
		if m.buffers.of(refunds).rows > 0 { // otherwise the import has no refunds
			came = `(
    SELECT source, key, sum(amount) AS amount
    FROM (SELECT source, key, refund, max(amount) AS amount FROM stage_refunds GROUP BY source, key, refund)
    GROUP BY source, key
)`
			had = "(SELECT r.source, r.key, sum(r.amount) AS amount FROM {{refunds}} r SEMI JOIN stage_orders s ON s.source = r.source AND s.key = r.key GROUP BY r.source, r.key)"
		}
		err := m.exec(ctx, fmt.Sprintf(`
CREATE TEMP MACRO paid_step(status) AS (
    CASE replace(replace(replace(lower(status), 'wc-', ''), '_', ' '), '-', ' ')
        WHEN 'pending' THEN 1 WHEN 'pending payment' THEN 1 WHEN 'authorized' THEN 1 WHEN 'on hold' THEN 1 WHEN 'unpaid' THEN 1
        WHEN 'draft' THEN 1 WHEN 'checkout draft' THEN 1 WHEN 'failed' THEN 1
        WHEN 'partially paid' THEN 2
        WHEN 'paid' THEN 3 WHEN 'processing' THEN 3 WHEN 'completed' THEN 3 WHEN 'shipped' THEN 3 WHEN 'unshipped' THEN 3
        WHEN 'partially refunded' THEN 4
        WHEN 'refunded' THEN 5
        ELSE 0
    END
);
INSERT INTO stale
SELECT source, key
FROM (
    SELECT v.source, v.key, v.came_at, v.had_at,
        CASE
            WHEN v.ended <> v.had_ended THEN CAST(v.ended AS INTEGER) - CAST(v.had_ended AS INTEGER)
            WHEN coalesce(c.amount, 0) <> coalesce(h.amount, 0) THEN sign(coalesce(c.amount, 0) - coalesce(h.amount, 0))
            WHEN v.step = 0 OR v.had_step = 0 THEN 0
            ELSE v.step - v.had_step
        END AS further
    FROM (
        SELECT s.source, s.key, s.updated_at AS came_at, b.updated_at AS had_at,
            paid_step(s.status) AS step, paid_step(b.status) AS had_step,
            s.cancelled AND paid_step(s.status) <> 1 AS ended, b.cancelled AND paid_step(b.status) <> 1 AS had_ended
        FROM stage_orders s JOIN before_orders b ON b.source = s.source AND b.key = s.key
    ) v
    LEFT JOIN %s c ON c.source = v.source AND c.key = v.key
    LEFT JOIN %s h ON h.source = v.source AND h.key = v.key
)
WHERE CASE
    WHEN came_at IS NOT NULL AND had_at IS NOT NULL THEN came_at < had_at
    ELSE further < 0 OR further = 0 AND came_at IS NULL AND had_at IS NOT NULL
END`, came, had))
		if err != nil {
			return err
		}
	}
	// A dropped version passes on its date, but is removed from imported_orders: its rows do not count.
	err := m.exec(ctx, `
CREATE TEMP TABLE dated AS
SELECT b.* REPLACE (s.updated_at AS updated_at)
FROM before_orders b
JOIN stage_orders s ON s.source = b.source AND s.key = b.key
SEMI JOIN stale o ON o.source = b.source AND o.key = b.key
WHERE b.updated_at IS NULL AND s.updated_at IS NOT NULL;
DELETE FROM stage_orders s USING stale o WHERE o.source = s.source AND o.key = s.key;
DELETE FROM before_orders b USING stale o WHERE o.source = b.source AND o.key = b.key
    AND NOT EXISTS (SELECT 1 FROM dated d WHERE d.source = b.source AND d.key = b.key);
INSERT INTO stage_orders SELECT * FROM dated;
UPDATE stage_orders s SET updated_at = b.updated_at FROM before_orders b
WHERE b.source = s.source AND b.key = s.key AND b.updated_at IS NOT NULL AND (s.updated_at IS NULL OR s.updated_at < b.updated_at);`)
	if err != nil {
		return err
	}
	if m.stale, err = m.count(ctx, "SELECT count(*) FROM stale"); err != nil {
		return err
	}
	return m.keepUnits(ctx)
}

// joinProfiles leaves one version of each customer's profile, from the imported ones and, if a table is named, the
// stored ones: see [warehouse.Profile]. A version with a date is preferred to one without, in any order of import. Of
// two without a date, or with the same, the later import counts.
func (m *merge) joinProfiles(ctx context.Context, before string) error {
	had := ""
	if before != "" {
		had = "UNION ALL SELECT *, -1 FROM " + before
	}
	return m.exec(ctx, "CREATE OR REPLACE TEMP TABLE stage_profiles AS "+joined("(SELECT *, rowid AS came FROM stage_profiles "+had+")"))
}

// joined returns the query for one version of each customer's profile. The later of two rows is the later import.
func joined(versions string) string {
	return `
SELECT source, customer, phone,
    min(since) OVER (PARTITION BY source, customer) AS since,
    coalesce(first_value(nullif(email, '') IGNORE NULLS) OVER by_email, '') AS email,
    coalesce(first_value(nullif(sms, '') IGNORE NULLS) OVER by_sms, '') AS sms,
    country, region,
    max(orders) OVER (PARTITION BY source, customer) AS orders,
    updated_at,
    max(CASE WHEN email <> '' THEN email_at END) OVER (PARTITION BY source, customer) AS email_at,
    max(CASE WHEN sms <> '' THEN sms_at END) OVER (PARTITION BY source, customer) AS sms_at
FROM ` + versions + `
WINDOW
    by_email AS (
        PARTITION BY source, customer ORDER BY email_at DESC NULLS LAST, came DESC
        ROWS BETWEEN UNBOUNDED PRECEDING AND UNBOUNDED FOLLOWING
    ),
    by_sms AS (
        PARTITION BY source, customer ORDER BY sms_at DESC NULLS LAST, came DESC
        ROWS BETWEEN UNBOUNDED PRECEDING AND UNBOUNDED FOLLOWING
    )
QUALIFY row_number() OVER (PARTITION BY source, customer ORDER BY updated_at DESC NULLS LAST, came DESC) = 1`
}

// dropEarlier drops rows that are older versions of stored ones. A version with a date is preferred to one without,
// in any order of import.
func (m *merge) dropEarlier(ctx context.Context, t *table) error {
	return m.exec(ctx, fmt.Sprintf(`
DELETE FROM stage_%[1]s s USING before_%[1]s b
WHERE %[2]s AND b.%[3]s IS NOT NULL AND (s.%[3]s IS NULL OR s.%[3]s < b.%[3]s)`, t.name, same("b", "s", t.key), t.version))
}

// meetCampaigns merges totals of a campaign from an export and from a Singer tap. Their days are in the time zone of
// an account or of the workspace: the stored day stays. Some exports have the campaign's name instead of its ID: then
// name and day identify it, and the ID is kept, in any order of import. Totals of the whole campaign replace totals
// of its messages.
func (m *merge) meetCampaigns(ctx context.Context) error {
	return m.exec(ctx, `
UPDATE stage_message_days s SET entity_id = t.entity_id
FROM (
    SELECT source, channel, entity, entity_name, day, min(entity_id) AS entity_id
    FROM {{message_days}}
    WHERE since_send AND entity_id <> entity_name
    GROUP BY source, channel, entity, entity_name, day
    HAVING count(DISTINCT entity_id) = 1
) t
WHERE s.since_send AND s.entity_id = s.entity_name AND t.source = s.source AND t.channel = s.channel
    AND t.entity = s.entity AND t.entity_name = s.entity_name AND t.day = s.day;
UPDATE stage_message_days s SET day = t.day
FROM {{message_days}} t
WHERE s.since_send AND t.since_send AND t.source = s.source AND t.channel = s.channel AND t.entity = s.entity
    AND t.entity_id = s.entity_id AND t.message_id = s.message_id AND abs(t.day - s.day) = 1;
DELETE FROM {{message_days}} t USING stage_message_days s
WHERE s.since_send AND t.since_send AND t.source = s.source AND t.channel = s.channel AND t.entity = s.entity AND (
    t.entity_id = s.entity_id AND t.message_id <> '' AND s.message_id = ''
    OR t.entity_id = t.entity_name AND s.entity_id <> s.entity_name AND t.entity_name = s.entity_name AND t.day = s.day
);`)
}
