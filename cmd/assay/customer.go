package main

import (
	"context"
	"fmt"

	"assay/internal/app"
	"assay/internal/fault"
	"assay/internal/measure"
)

type customerCommand struct {
	Forget customerForget `cmd:"" help:"Take a customer off all orders, now and in what is imported later."`
}

type customerForget struct {
	dataFlag
	Customer  string `arg:"" help:"Mail address, telephone number or the shop's id of the customer."`
	Workspace string `required:"" placeholder:"W" help:"Workspace of the store."`
	Yes       bool   `help:"Forget without asking. It cannot be undone."`
	JSON      bool   `name:"json" help:"Print JSON."`
}

// Run forgets the customer.
func (c *customerForget) Run(ctx context.Context, con *console) error {
	if !c.Yes {
		return fault.Invalid("a customer who is forgotten cannot be had back: the orders stay, as orders of nobody").WithHint("repeat with --yes if that is meant")
	}
	settings, err := c.settings()
	if err != nil {
		return err
	}
	result, err := app.ForgetCustomer(ctx, settings, app.ForgetRequest{
		Workspace: measure.WorkspaceID(c.Workspace), Customer: c.Customer, Actor: "assay customer forget",
	}, con.now)
	if err != nil {
		return err
	}
	if c.JSON {
		return printJSON(con.out, result)
	}
	fmt.Fprintf(con.errs, "the customer is forgotten: orders that were theirs and are nobody's now: %d\n", result.Orders)
	return nil
}
