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

	"assay/internal/control"
	"assay/internal/fault"
	"assay/internal/measure"
	"assay/internal/operation"
)

type userCommand struct {
	Create        userCreate        `cmd:"" help:"Create an account and assign a role in a workspace."`
	List          userList          `cmd:"" help:"List accounts and their roles."`
	ResetPassword userResetPassword `cmd:"" name:"reset-password" help:"Set a new password and end all sessions of the account."`
}

// passwordFlag selects the source of a password. A password is never an argument, because other users of the machine
// can see arguments.
type passwordFlag struct {
	PasswordStdin bool `help:"Read the password from standard input. Default: generate a password and show it once."`
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

type userCreate struct {
	dataFlag
	passwordFlag
	Email     string `arg:"" help:"Email address for signing in."`
	Workspace string `required:"" placeholder:"W" help:"Workspace of the role."`
	Role      string `default:"owner" placeholder:"owner" help:"Role: owner, admin, analyst or viewer."`
}

// Run creates the account, or assigns the role to an existing account.
func (c *userCreate) Run(ctx context.Context, con *console) error {
	role, err := control.ParseRole(c.Role)
	if err != nil {
		return err
	}
	add := operation.NewMember{Email: c.Email, Role: role}
	account, err := findUser(ctx, con, c.dataFlag, c.Email)
	made := false
	switch {
	case err == nil && c.PasswordStdin:
		return fault.Conflict("%s already has an account", c.Email).WithHint("omit --password-stdin to assign only the role, or use assay user reset-password")
	case err == nil:
		fmt.Fprintf(con.errs, "%s already has an account; the password is unchanged\n", account.Email)
	case fault.KindOf(err) == fault.KindNotFound:
		if add.Password, made, err = c.password(); err != nil {
			return err
		}
	default:
		return err
	}
	user, err := do(ctx, con, c.dataFlag, operation.AddMember, "user create", c.Workspace, add)
	if err != nil {
		return err
	}
	if made {
		fmt.Fprintln(con.out, add.Password)
		fmt.Fprintln(con.errs, "the password is shown only now")
	}
	fmt.Fprintf(con.errs, "%s is %s of %s\n", user.Email, role, c.Workspace)
	return nil
}

// findUser returns the account with the given ID or email address.
func findUser(ctx context.Context, con *console, d dataFlag, name string) (control.User, error) {
	store, err := d.open(ctx, con)
	if err != nil {
		return control.User{}, err
	}
	defer store.Close()
	return store.People.Find(ctx, name)
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
	store, err := c.open(ctx, con)
	if err != nil {
		return err
	}
	defer store.Close()
	accounts := store.People
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
	user, err := findUser(ctx, con, c.dataFlag, c.User)
	if err != nil {
		return err
	}
	password, made, err := c.password()
	if err != nil {
		return err
	}
	if _, err := do(ctx, con, c.dataFlag, operation.ResetPassword, "user reset-password", "", operation.NewPassword{User: user.ID, Password: password}); err != nil {
		return err
	}
	if made {
		fmt.Fprintln(con.out, password)
	}
	fmt.Fprintf(con.errs, "%s has a new password; all sessions have ended\n", user.Email)
	return nil
}
