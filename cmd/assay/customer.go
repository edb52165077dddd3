package main

import (
	"context"
	"fmt"

	"assay/internal/fault"
	"assay/internal/operation"
)

type customerCommand struct {
	Forget customerForget `cmd:"" help:"Remove a customer from all stored orders and from later imports."`
}

type customerForget struct {
	dataFlag
	Customer  string `arg:"" help:"Email address, phone number or shop customer ID."`
	Workspace string `required:"" placeholder:"W" help:"Workspace of the store."`
	Yes       bool   `help:"Confirm. You cannot undo the removal."`
	JSON      bool   `name:"json" help:"Print JSON."`
}

// Run forgets the customer.
func (c *customerForget) Run(ctx context.Context, con *console) error {
	if !c.Yes {
		return fault.Invalid("the confirmation is missing: forgetting a customer cannot be undone, and the orders remain without a customer").WithHint("repeat with --yes to confirm")
	}
	result, err := do(ctx, con, c.dataFlag, operation.ForgetCustomer, "customer forget", c.Workspace, operation.Customer{Name: c.Customer})
	if err != nil {
		return err
	}
	if c.JSON {
		return printJSON(con.out, result)
	}
	fmt.Fprintf(con.errs, "customer forgotten; orders made anonymous: %d\n", result.Orders)
	return nil
}
