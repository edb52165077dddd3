package sqlstore

import (
	"context"
	"database/sql"
	"fmt"

	"assay/internal/control"
	"assay/internal/measure"
)

// ForgetCustomers records the keyed hashes of customers. The data of these customers must be deleted. A customer who is
// already recorded gets no second audit event, so an interrupted deletion can be repeated. An unknown workspace is a
// fault of kind not_found.
func (s *forgottenStore) ForgetCustomers(ctx context.Context, id measure.WorkspaceID, customers []string, by control.By) error {
	err := s.change(ctx, func(tx *sql.Tx) error {
		if _, err := workspace(ctx, tx, id); err != nil {
			return err
		}
		noted := int64(0)
		for _, customer := range customers {
			made, err := tx.ExecContext(ctx, `
				INSERT INTO forgotten_customers (workspace, customer, at) VALUES ($1, $2, $3)
				ON CONFLICT (workspace, customer) DO NOTHING`, id, customer, micros(by.At))
			if err != nil {
				return err
			}
			n, err := made.RowsAffected()
			if err != nil {
				return err
			}
			noted += n
		}
		if noted == 0 {
			return nil
		}
		return record(ctx, tx, id, control.CustomerForgotten, by, customers[0], "")
	})
	if err != nil {
		return fmt.Errorf("forgotten customers of workspace %q: %w", id, err)
	}
	return nil
}

// ForgottenCustomers returns the keyed hashes of a workspace's forgotten customers. The data of these customers must be
// deleted.
func (s *forgottenStore) ForgottenCustomers(ctx context.Context, id measure.WorkspaceID) (map[string]struct{}, error) {
	customers, err := collect(ctx, s.read, func(row scanner) (customer string, err error) {
		err = row.Scan(&customer)
		return customer, engineFault(err)
	}, `SELECT customer FROM forgotten_customers WHERE workspace = $1`, id)
	if err != nil {
		return nil, fmt.Errorf("forgotten customers of workspace %q: %w", id, err)
	}
	known := make(map[string]struct{}, len(customers))
	for _, c := range customers {
		known[c] = struct{}{}
	}
	return known, nil
}
