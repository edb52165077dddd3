package connector

import (
	"assay/internal/ingest/adstate"
	"assay/internal/ingest/source"
	"assay/internal/ingest/tabular"
	"assay/internal/measure"
	"assay/internal/warehouse"
)

// accounts lists the columns with an advertiser's account.
var accounts = []string{"account id", "customer id", "customer.id", "advertiser id", "ad account id", "profile id"}

// stateColumns contains the indexes of the status, budget and account columns in a table of names. A missing column is
// -1.
type stateColumns struct {
	account, status, period int
	budgets                 []adstate.BudgetColumn
	at                      []int // columns of budgets
}

func newStateColumns(p measure.Platform, h source.Header) stateColumns {
	c := stateColumns{account: h.Index(accounts...), status: h.Index(adstate.Statuses...), period: h.Index(adstate.Periods...)}
	for _, column := range adstate.Budgets(p) {
		if at := h.Index(column.Names...); at >= 0 {
			c.budgets, c.at = append(c.budgets, column), append(c.at, at)
		}
	}
	return c
}

// of returns the state in a row.
func (c *stateColumns) of(rec tabular.Record, n *warehouse.AdName, h source.Header) (measure.AdState, error) {
	status := source.Cell(rec.Fields, c.status)
	s := measure.AdState{
		Platform: n.Platform, Level: n.Level, ID: n.ID, Since: n.UpdatedAt, Account: source.Cell(rec.Fields, c.account), Name: n.Name,
		Campaign: n.Campaign, Status: adstate.StatusOf(status), Told: status,
	}
	for i, column := range c.budgets {
		cell := source.Cell(rec.Fields, c.at[i])
		var err error
		if s.Budget, err = column.Read(cell, source.Cell(rec.Fields, c.period)); err != nil {
			return s, source.Unreadable(rec.Line, h.Name(c.at[i]), cell, err)
		}
		if s.Budget.Per != measure.NoBudget {
			break
		}
	}
	return s, nil
}
