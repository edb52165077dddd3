package merge

import (
	"context"

	"assay/internal/warehouse"
	"assay/internal/warehouse/facts"
)

// assembled lists the kinds of rows that connectors store in separate tables.
var assembled = []struct {
	part string
	of   *facts.Table
}{{"lines", facts.LinesTable}, {"codes", facts.CouponsTable}}

// assemble creates lines and coupons of orders from the separate tables of connectors, for the orders that the import
// affects. The result depends only on the tables' contents, not on the order of imports. It runs after the merge of
// orders and of the separate tables.
func (l landedParts) assemble(ctx context.Context) error {
	for _, t := range []*facts.Table{facts.LandedLinesTable, facts.LandedCodesTable} {
		any, err := l.any(ctx, t.Name)
		if err != nil {
			return err
		}
		if any {
			return l.assembleAsked(ctx)
		}
	}
	return nil
}

func (l landedParts) assembleAsked(ctx context.Context) error {
	if err := l.run(ctx, "sql/landed_asked", l.asked()); err != nil {
		return err
	}
	n, err := l.count(ctx, "landed_asked")
	if err != nil {
		return err
	}
	if n > 0 {
		if err := l.makeParts(ctx); err != nil {
			return err
		}
	}
	return l.countWaiting(ctx)
}

// makeParts computes the lines and coupons of the selected orders and writes them to the facts.
func (l landedParts) makeParts(ctx context.Context) error {
	for _, a := range assembled {
		of := l.of(a.of)
		if err := l.run(ctx, "sql/own_parts", args{"fact": a.of, "part": a.part, "staged": of.rows > 0 && !of.direct}); err != nil {
			return err
		}
	}
	if err := l.run(ctx, "rollups/landed", nil); err != nil {
		return err
	}
	for _, a := range assembled {
		if err := l.putParts(ctx, a.of, a.part); err != nil {
			return err
		}
	}
	return l.run(ctx, "sql/count_units", nil)
}

// asked returns the relations with imported or changed rows, for the query that finds orders with changed parts.
func (l landedParts) asked() args {
	changed := func(tables ...*facts.Table) (relations []string) {
		for _, t := range tables {
			of := l.of(t)
			switch {
			case of.rows == 0 || t == facts.OrdersTable && !of.direct: // the table touched contains changed orders
			case of.direct:
				relations = append(relations, l.texts.table(t.Name))
			default:
				relations = append(relations, "changed_"+t.Name)
			}
		}
		return relations
	}
	return args{
		"orders":    changed(facts.OrdersTable, facts.LandedOrdersTable),
		"parts":     changed(facts.LandedLinesTable, facts.LandedCodesTable),
		"discounts": changed(facts.LandedDiscountsTable),
	}
}

// putParts writes the computed parts of the orders and counts the changes.
func (l landedParts) putParts(ctx context.Context, t *facts.Table, part string) error {
	values := args{"fact": t, "part": part}
	if err := l.run(ctx, "sql/compare_made", values); err != nil {
		return err
	}
	var came, left, changed int64
	if err := l.one(ctx, "sql/tally_made", values, &came, &left, &changed); err != nil {
		return err
	}
	if came+left > 0 {
		c := l.counts[t.Name]
		l.counts[t.Name] = warehouse.Counts{
			Inserted: c.Inserted + came - changed, Updated: c.Updated + changed, Unchanged: c.Unchanged,
			Removed: c.Removed + left - changed,
		}
	}
	return l.run(ctx, "sql/put_made", values)
}

// countWaiting counts the orders with unusable parts in the import. Parts are unusable if the order is missing, or if
// the order's currency differs from the parts' currency.
func (l landedParts) countWaiting(ctx context.Context) error {
	for _, t := range []*facts.Table{facts.LandedLinesTable, facts.LandedCodesTable} {
		of := l.of(t)
		if of.rows == 0 {
			continue
		}
		var waiting int64
		if err := l.one(ctx, "sql/waiting", args{"from": l.from(of)}, &waiting); err != nil {
			return err
		}
		l.waiting += waiting
	}
	return nil
}
