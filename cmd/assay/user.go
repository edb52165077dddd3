package main

import (
	"bufio"
	"context"
	"crypto/rand"
	"fmt"
	"os"
	"slices"
	"strings"
	"time"

	"github.com/jedib0t/go-pretty/v6/table"

	"assay/internal/app"
	"assay/internal/control"
	"assay/internal/fault"
	"assay/internal/measure"
	"assay/internal/oauth/people"
)

type userCommand struct {
	Create        userCreate        `cmd:"" help:"Create an account and assign a role in a workspace."`
	List          userList          `cmd:"" help:"List accounts and their roles."`
	ResetPassword userResetPassword `cmd:"" name:"reset-password" help:"Set a new password and end all sessions of the account."`
}

// passwordFlag selects the source of a password. It is never an argument: other users of the machine see arguments.
type passwordFlag struct {
	PasswordStdin bool `help:"Read the password from standard input. Default: generate one and show it once."`
}

func (p passwordFlag) password() (password string, made bool, err error) {
	if !p.PasswordStdin {
		return rand.Text(), true, nil
	}
	line, err := bufio.NewReader(os.Stdin).ReadString('\n')
	if password = strings.TrimRight(line, "\r\n"); password == "" {
		return "", false, fault.Invalid("standard input has no password").Wrap(err)
	}
	return password, false, nil
}

func peopleOf(store *app.Control, con *console) *people.People {
	return people.New(people.Options{Store: store.Store, Now: con.now})
}

type userCreate struct {
	dataFlag
	passwordFlag
	Email     string `arg:"" help:"Email address for signing in."`
	Workspace string `required:"" placeholder:"W" help:"Workspace of the role."`
	Role      string `default:"owner" placeholder:"owner" help:"Role: owner, admin, analyst or viewer."`
}

// Run creates the account, or assigns the role to an existing one.
func (c *userCreate) Run(ctx context.Context, con *console) error {
	role, err := control.ParseRole(c.Role)
	if err != nil {
		return err
	}
	store, err := c.open(ctx, con, false)
	if err != nil {
		return err
	}
	defer store.Close()
	workspace, err := store.Store.Workspace(ctx, measure.WorkspaceID(c.Workspace))
	if err != nil {
		return err
	}
	const actor = "assay user create"
	accounts := peopleOf(store, con)
	user, err := accounts.Find(ctx, c.Email)
	switch {
	case err == nil && c.PasswordStdin:
		return fault.Conflict("%s has an account already", c.Email).WithHint("omit --password-stdin to assign only the role, or use assay user reset-password")
	case err == nil:
		fmt.Fprintf(con.errs, "%s has an account already and keeps its password\n", user.Email)
	case fault.KindOf(err) == fault.KindNotFound:
		if user, err = c.make(ctx, con, accounts, actor); err != nil {
			return err
		}
	default:
		return err
	}
	if err := accounts.SetRole(ctx, user.ID, workspace.ID, role, actor); err != nil {
		return err
	}
	fmt.Fprintf(con.errs, "%s is %s of %s\n", user.Email, role, workspace.ID)
	return nil
}

func (c *userCreate) make(ctx context.Context, con *console, accounts *people.People, actor string) (control.User, error) {
	password, made, err := c.password()
	if err != nil {
		return control.User{}, err
	}
	user, err := accounts.Create(ctx, c.Email, password, actor)
	if err == nil && made {
		fmt.Fprintln(con.out, password)
		fmt.Fprintln(con.errs, "the password is shown only now")
	}
	return user, err
}

type userList struct {
	dataFlag
	JSON bool `name:"json" help:"Print JSON."`
}

type userLine struct {
	ID        control.UserID                       `json:"id"`
	Email     string                               `json:"email"`
	Roles     map[measure.WorkspaceID]control.Role `json:"roles"`
	CreatedAt *time.Time                           `json:"created_at"`
}

// Run lists the accounts.
func (c *userList) Run(ctx context.Context, con *console) error {
	store, err := c.open(ctx, con, false)
	if err != nil {
		return err
	}
	defer store.Close()
	accounts := peopleOf(store, con)
	users, err := accounts.List(ctx)
	if err != nil {
		return err
	}
	lines := make([]userLine, 0, len(users))
	for _, u := range users {
		memberships, err := accounts.Memberships(ctx, u.ID)
		if err != nil {
			return err
		}
		roles := map[measure.WorkspaceID]control.Role{}
		for _, m := range memberships {
			roles[m.Workspace.ID] = m.Role
		}
		lines = append(lines, userLine{ID: u.ID, Email: u.Email, Roles: roles, CreatedAt: instant(u.CreatedAt)})
	}
	if c.JSON {
		return printJSON(con.out, lines)
	}
	if len(lines) == 0 {
		fmt.Fprintln(con.errs, "no accounts; create one with: assay user create EMAIL --workspace W")
		return nil
	}
	t := newTable(con.out)
	t.AppendHeader(table.Row{"id", "email", "roles", "created"})
	for i, l := range lines {
		var roles []string
		for workspace, role := range l.Roles {
			roles = append(roles, fmt.Sprintf("%s of %s", role, workspace))
		}
		t.AppendRow(table.Row{l.ID, l.Email, strings.Join(slices.Sorted(slices.Values(roles)), ", "), orNever(users[i].CreatedAt)})
	}
	t.Render()
	return nil
}

type userResetPassword struct {
	dataFlag
	passwordFlag
	User string `arg:"" help:"Email address or account ID."`
}

// Run sets the password.
func (c *userResetPassword) Run(ctx context.Context, con *console) error {
	store, err := c.open(ctx, con, false)
	if err != nil {
		return err
	}
	defer store.Close()
	accounts := peopleOf(store, con)
	user, err := accounts.Find(ctx, c.User)
	if err != nil {
		return err
	}
	password, made, err := c.password()
	if err != nil {
		return err
	}
	if err := accounts.SetPassword(ctx, user.ID, password, "assay user reset-password"); err != nil {
		return err
	}
	if made {
		fmt.Fprintln(con.out, password)
	}
	fmt.Fprintf(con.errs, "%s has a new password; all sessions are ended\n", user.Email)
	return nil
}
