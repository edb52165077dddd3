package health

import (
	"context"
	"fmt"
	"time"

	"assay/internal/ads"
	"assay/internal/answer"
	"assay/internal/control"
	"assay/internal/toolkit"
)

// tokenEndsSoon is the remaining lifetime from which an expiring token is reported.
const tokenEndsSoon = 14 * 24 * time.Hour

// checkAccounts checks the connected ad accounts. A workspace without connections has nothing to check.
func checkAccounts(ctx context.Context, c *toolkit.Call) ([]Finding, error) {
	if c.Accounts == nil {
		return nil, nil
	}
	all, err := c.Accounts.Connections(ctx, c.Workspace.ID)
	if err != nil {
		return nil, err
	}
	var found []Finding
	for _, each := range all {
		found = append(found, checkAccount(c, each))
	}
	return found, nil
}

func checkAccount(c *toolkit.Call, a control.Connection) Finding {
	name := "Account " + a.Account + " of " + ads.DisplayName(a.Platform)
	f := Finding{Check: "connection_" + ads.WritingName(a.Platform), Severity: SeverityOK}
	left := a.Expires.Sub(c.Real)
	switch {
	case a.Sandbox && a.Status != control.ConnectionError:
		f.Finding = name + " is connected to a simulated platform."
	case a.Status == control.ConnectionError:
		f.Severity, f.Finding, f.Fix = SeverityError, name+" does not work. "+answer.Clean(a.Problem), answer.Clean(a.Hint)
		if f.Fix == "" {
			f.Fix = "Test the connection again on the Connections page, or add the connection again with new credentials."
		}
		f.about = "an ad account does not work"
	case a.Status != control.ConnectionOK:
		f.Severity, f.Finding, f.Fix = SeverityInfo, name+" has not been tested.", "assay connections test "+ads.WritingName(a.Platform)+" --workspace "+string(c.Workspace.ID)
	case !a.Expires.IsZero() && left <= 0:
		f.Severity, f.Finding = SeverityError, fmt.Sprintf("The token of account %s on %s expired on %s.", a.Account, ads.DisplayName(a.Platform), day(a.Expires))
		f.Fix, f.about = renewal, "the token of an ad account expired"
	case !a.Expires.IsZero() && left < tokenEndsSoon:
		f.Severity, f.Finding = SeverityWarning, fmt.Sprintf("The token of account %s on %s expires on %s.", a.Account, ads.DisplayName(a.Platform), day(a.Expires))
		f.Fix, f.about = renewal, "the token of an ad account expires soon"
	default:
		f.Finding = name + " is connected."
	}
	return f
}

const renewal = "Create a new token on the platform and add the connection again."

func day(t time.Time) string { return t.UTC().Format(time.DateOnly) }
