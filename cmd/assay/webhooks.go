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
)

type webhooksCommand struct {
	Add    webhooksAdd    `cmd:"" help:"Keep the secret that a Shopify store signs its webhooks with, read from standard input."`
	List   webhooksList   `cmd:"" help:"List a workspace's webhook secrets, without what they are."`
	Remove webhooksRemove `cmd:"" help:"Remove a webhook secret: what is signed with it is refused from now on."`
}

type webhooksAdd struct {
	dataFlag
	Workspace string `required:"" placeholder:"W" help:"Workspace that the messages are for."`
	Shop      string `placeholder:"S" help:"Domain of the shop, such as acme.myshopify.com. Default: any shop that knows the secret."`
}

// Run keeps the secret and prints its id. The secret is not an argument: those are seen by other users of the machine.
func (c *webhooksAdd) Run(ctx context.Context, con *console) error {
	secret, err := io.ReadAll(io.LimitReader(os.Stdin, 4096))
	if err != nil {
		return fault.Invalid("standard input cannot be read").Wrap(err)
	}
	store, err := c.open(ctx, con, false)
	if err != nil {
		return err
	}
	defer store.Close()
	id, err := store.AddHookSecret(ctx, measure.WorkspaceID(c.Workspace), c.Shop, string(secret), control.By{Actor: "assay webhooks add", At: con.now()})
	if err != nil {
		return err
	}
	fmt.Fprintln(con.out, id)
	fmt.Fprintf(con.errs, "next: in Shopify, point webhooks in JSON at BASE-URL/api/webhooks/shopify/%s\n", c.Workspace)
	return nil
}

type webhooksList struct {
	dataFlag
	Workspace string `required:"" placeholder:"W" help:"Workspace whose secrets are listed."`
	JSON      bool   `name:"json" help:"Print JSON."`
}

type webhookLine struct {
	ID        string     `json:"id"`
	Shop      string     `json:"shop,omitempty"`
	CreatedAt *time.Time `json:"created_at"`
}

// Run lists the secrets.
func (c *webhooksList) Run(ctx context.Context, con *console) error {
	store, err := c.open(ctx, con, false)
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
	Workspace string `required:"" placeholder:"W" help:"Workspace of the secret."`
	ID        string `arg:"" help:"Id of the secret."`
}

// Run removes the secret.
func (c *webhooksRemove) Run(ctx context.Context, con *console) error {
	store, err := c.open(ctx, con, false)
	if err != nil {
		return err
	}
	defer store.Close()
	return store.Store.RemoveHookSecret(ctx, measure.WorkspaceID(c.Workspace), c.ID, control.By{Actor: "assay webhooks remove", At: con.now()})
}
