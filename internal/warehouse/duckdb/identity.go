package duckdb

import (
	"context"
	"fmt"
)

// unite gives everything of a customer one hash, using the ties in the import and in the store. Stored facts under
// another hash are updated; imported ones get the hash before the comparison. See docs/decisions/0015.
func (i identities) unite(ctx context.Context) error {
	if i.buffers.of(customerTies).rows > 0 {
		if err := i.tie(ctx); err != nil {
			return err
		}
		if err := i.move(ctx); err != nil {
			return err
		}
	}
	n, err := i.count(ctx, "SELECT count(*) FROM (SELECT 1 FROM {{identities}} LIMIT 1)")
	if err != nil || n == 0 {
		return err
	}
	for _, t := range []*table{orders, profiles} {
		p := i.buffers.of(t)
		if p.rows == 0 {
			continue
		}
		into := stage(t)
		if p.direct {
			into, p.tied = "{{"+t.home()+"}}", true // orders at one instant may now belong to one customer
		}
		err := i.exec(ctx, fmt.Sprintf("UPDATE %s s SET customer = i.customer FROM {{identities}} i WHERE i.known_as = s.customer AND i.customer <> s.customer", into))
		if err != nil {
			return err
		}
	}
	return nil
}

// tie updates identities and creates moved: the hashes whose customer changed.
func (i identities) tie(ctx context.Context) error {
	from := stage(customerTies)
	if i.buffers.of(customerTies).direct {
		from = "{{" + customerTies.name + "}}"
	}
	err := i.exec(ctx, fmt.Sprintf(`
CREATE TEMP TABLE tied AS SELECT DISTINCT known_as, customer FROM %s;

-- Customers who are there already and are tied to others now come in with all that they are known by.
INSERT INTO tied
SELECT i.known_as, i.customer FROM {{identities}} i
SEMI JOIN (
    SELECT o.customer FROM {{identities}} o SEMI JOIN (SELECT known_as AS name FROM tied UNION SELECT customer FROM tied) t ON t.name = o.known_as
) c ON c.customer = i.customer;

-- Each name begins with the first address that it is tied to, an address with itself.
CREATE TEMP TABLE named AS
SELECT name, min(customer) AS customer
FROM (SELECT known_as AS name, customer FROM tied UNION ALL SELECT customer, customer FROM tied)
GROUP BY name`, from))
	if err != nil {
		return err
	}
	for changed := int64(1); changed > 0; { // each pass follows one more tie (connected components by minimum)
		done, err := i.conn.ExecContext(ctx, `
UPDATE named SET customer = nearer.customer
FROM (
    SELECT name, min(customer) AS customer
    FROM (
        SELECT t.known_as AS name, n.customer FROM tied t JOIN named n ON n.name = t.customer
        UNION ALL
        SELECT t.customer, n.customer FROM tied t JOIN named n ON n.name = t.known_as
    )
    GROUP BY name
) nearer
WHERE nearer.name = named.name AND nearer.customer < named.customer`)
		if err != nil {
			return err
		}
		if changed, err = done.RowsAffected(); err != nil {
			return err
		}
	}
	return i.exec(ctx, `
CREATE TEMP TABLE moved AS
SELECT n.name, n.customer FROM named n
ANTI JOIN {{identities}} i ON i.known_as = n.name AND i.customer = n.customer
WHERE n.name <> n.customer;
DELETE FROM {{identities}} i USING named n WHERE n.name = i.known_as;
INSERT INTO {{identities}} SELECT name, customer FROM named ORDER BY name`)
}

// move updates the hash of stored orders and profiles whose customer changed.
func (i identities) move(ctx context.Context) error {
	n, err := i.count(ctx, "SELECT count(*) FROM moved")
	if err != nil || n == 0 {
		return err
	}
	if !i.buffers.of(orders).direct { // otherwise everything stored is from this import
		err := i.exec(ctx, `
INSERT INTO touched
SELECT k.source, r.key FROM {{order_rows}} r
SEMI JOIN moved v ON v.name = r.customer
INNER JOIN {{order_kinds}} k ON k.kind = r.kind`)
		if err != nil {
			return err
		}
		if err := i.noteOrders(ctx); err != nil { // with the previous hash
			return err
		}
		if err := i.exec(ctx, "UPDATE {{order_rows}} r SET customer = v.customer FROM moved v WHERE v.name = r.customer"); err != nil {
			return err
		}
	}
	if i.buffers.of(profiles).direct {
		return nil
	}
	return i.exec(ctx, `
UPDATE {{profiles}} p SET customer = v.customer FROM moved v WHERE v.name = p.customer;
CREATE TEMP TABLE met AS
SELECT p.* FROM {{profiles}} p SEMI JOIN moved v ON v.customer = p.customer;
DELETE FROM {{profiles}} p USING moved v WHERE v.customer = p.customer;
INSERT INTO {{profiles}} `+joined("(SELECT *, rowid AS came FROM met)"))
}
