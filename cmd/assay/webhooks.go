package main

import (
	"context"
	"fmt"
	"io"
	"os"
	"time"

	"github.com/jedib0t/go-pretty/v6/table"

	"assay/internal/control"
	"assay/internal/fault"
	"assay/internal/measure"
	"assay/internal/operation"
)

type webhooksCommand struct {
	Add    webhooksAdd    `cmd:"" help:"Add the signing secret of a Shopify store, read from standard input."`
	List   webhooksList   `cmd:"" help:"List webhook secrets (IDs only)."`
	Remove webhooksRemove `cmd:"" help:"Remove a webhook secret. Webhooks signed with this secret are then rejected."`
}

type webhooksAdd struct {
	dataFlag
	Workspace string `required:"" placeholder:"W" help:"Workspace of the store."`
	Shop      string `placeholder:"S" help:"Domain of the shop, such as acme.myshopify.com. Default: any shop with this secret."`
}

// Run stores the secret and prints its ID. The secret is not an argument, because other users of the machine can see
// arguments.
func (c *webhooksAdd) Run(ctx context.Context, con *console) error {
	secret, err := io.ReadAll(io.LimitReader(os.Stdin, 4096))
	if err != nil {
		return fault.Invalid("standard input is not readable").Wrap(err)
	}
	id, err := do(ctx, con, c.dataFlag, operation.AddWebhookSecret, "webhooks add", c.Workspace, operation.WebhookSecret{Shop: c.Shop, Secret: string(secret)})
	if err != nil {
		return err
	}
	fmt.Fprintln(con.out, id)
	fmt.Fprintf(con.errs, "next: in Shopify, create webhooks in JSON format with the URL BASE-URL/api/webhooks/shopify/%s\n", c.Workspace)
	return nil
}

type webhooksList struct {
	dataFlag
	Workspace string `required:"" placeholder:"W" help:"Workspace of the secrets."`
	JSON      bool   `name:"json" help:"Print JSON."`
}

type webhookLine struct {
	ID        control.HookSecretID `json:"id"`
	Shop      string               `json:"shop,omitempty"`
	CreatedAt *time.Time           `json:"created_at"`
}

// Run lists the secrets.
func (c *webhooksList) Run(ctx context.Context, con *console) error {
	store, err := c.open(ctx, con)
	if err != nil {
		return err
	}
	defer store.Close()
	ws := measure.WorkspaceID(c.Workspace)
	if _, err := store.Store.Workspace(ctx, ws); err != nil {
		return err
	}
	all, err := store.Store.HookSecrets(ctx, ws)
	if err != nil {
		return err
	}
	lines := make([]webhookLine, 0, len(all))
	for _, h := range all {
		lines = append(lines, webhookLine{ID: h.ID, Shop: h.Shop, CreatedAt: instant(h.CreatedAt)})
	}
	if c.JSON {
		return printJSON(con.out, lines)
	}
	if len(lines) == 0 {
		fmt.Fprintf(con.errs, "no webhook secrets; add one with: assay webhooks add --workspace %s\n", c.Workspace)
		return nil
	}
	t := newTable(con.out)
	t.AppendHeader(table.Row{"id", "shop", "added"})
	for _, h := range all {
		shop := h.Shop
		if shop == "" {
			shop = "any"
		}
		t.AppendRow(table.Row{h.ID, shop, orNever(h.CreatedAt)})
	}
	t.Render()
	return nil
}

type webhooksRemove struct {
	dataFlag
	Workspace string               `required:"" placeholder:"W" help:"Workspace of the secret."`
	ID        control.HookSecretID `arg:"" help:"ID of the secret (assay webhooks list)."`
}

// Run removes the secret.
func (c *webhooksRemove) Run(ctx context.Context, con *console) error {
	_, err := do(ctx, con, c.dataFlag, operation.RemoveWebhookSecret, "webhooks remove", c.Workspace, c.ID)
	return err
}
