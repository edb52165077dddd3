package connector

import (
	"assay/internal/ingest/adstate"
	"assay/internal/ingest/source"
	"assay/internal/ingest/tabular"
	"assay/internal/measure"
	"assay/internal/warehouse"
)

// accounts are the columns that name the account of an advertiser.
var accounts = []string{"account id", "customer id", "customer.id", "advertiser id", "ad account id", "profile id"}

// stateColumns are the columns of a table of names that tell how its rows stand; -1: none.
type stateColumns struct {
	account, status, period int
	budgets                 []adstate.BudgetColumn
	at                      []int // of budgets
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

// of reads the version that a row tells.
func (c *stateColumns) of(rec tabular.Record, n *warehouse.AdName, h source.Header) (measure.AdState, error) {
	told := source.Cell(rec.Fields, c.status)
	s := measure.AdState{
		Platform: n.Platform, Level: n.Level, ID: n.ID, Since: n.UpdatedAt, Account: source.Cell(rec.Fields, c.account), Name: n.Name,
		Campaign: n.Campaign, Status: adstate.StatusOf(told), Told: told,
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
