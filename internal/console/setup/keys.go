package setup

import (
	"net/http"
	"net/url"
	"slices"
	"strconv"
	"time"

	"assay/internal/auth"
	"assay/internal/console/frame"
	"assay/internal/control"
	"assay/internal/fault"
	"assay/internal/operation"
)

// keysView is the view of the API keys.
type keysView struct {
	frame.Place
	frame.Messages
	Heading, Lead string
	Keys          []keyRow
	Past          []keyRow        // revoked and expired
	Scopes        []control.Scope // scopes that the visitor can grant
	Tools         []string
	Made          string     // secret of a new key; shown once
	Form          url.Values // values of the form: the defaults, or those of a rejected form
}

type keyRow struct {
	control.Key
	State string // active, revoked, expired or replaced
	Live  bool
	Soon  bool // expires within [keySoon]
}

// keySoon is the remaining lifetime below which the page marks a key as expiring soon.
const keySoon = 14 * 24 * time.Hour

func (c *settingsPages) keysPage(w http.ResponseWriter, v frame.Visit) {
	if p, ok := c.PlaceOf(w, v, v.URL.Query().Get("workspace")); ok {
		c.showKeys(w, v, http.StatusOK, keysView{Place: p})
	}
}

func (c *settingsPages) showKeys(w http.ResponseWriter, v frame.Visit, status int, view keysView) {
	keys, err := c.Keys.List(v.Context(), view.Workspace.ID)
	if err != nil {
		c.Fail(w, v.Request, err)
		return
	}
	now := c.Now()
	for _, k := range slices.Backward(keys) { // newest first
		row := keyRow{Key: k, State: "active", Live: k.Valid(now)}
		row.Soon = row.Live && !k.ExpiresAt.IsZero() && k.ExpiresAt.Before(now.Add(keySoon))
		switch {
		case !k.RevokedAt.IsZero():
			row.State = "revoked"
		case !row.Live:
			row.State = "expired"
		case k.ReplacedBy != "":
			row.State = "replaced"
		}
		if row.Live {
			view.Keys = append(view.Keys, row)
		} else {
			view.Past = append(view.Past, row)
		}
	}
	view.Scopes, view.Tools = view.Role.Scopes(), c.tools
	if view.Form == nil {
		view.Form = url.Values{"scope": {string(control.ScopeRead)}, "days": {"90"}}
	}
	view.describe()
	c.Render(w, v.Request, status, frame.Page{Name: "keys", Title: "API keys", View: view, Visitor: &v.Visitor})
}

// Selected reports whether the value of a field is selected in the form.
func (v keysView) Selected(field, value string) bool { return slices.Contains(v.Form[field], value) }

// describe sets the heading and the lead: the number of active keys, and the keys that need attention.
func (v *keysView) describe() {
	approve, endless, soon := 0, 0, 0
	for _, k := range v.Keys {
		if slices.Contains(k.Scopes, control.ScopeApprove) {
			approve++
		}
		if k.ExpiresAt.IsZero() {
			endless++
		}
		if k.Soon {
			soon++
		}
	}
	v.Heading = frame.Plural(len(v.Keys), "active key") + "."
	v.Lead = "No key can change budgets."
	if approve > 0 {
		v.Lead = frame.Plural(approve, "key") + " can change budgets."
	}
	if endless > 0 {
		v.Lead += " Without expiry: " + frame.Plural(endless, "key") + "."
	}
	if soon > 0 {
		v.Lead += " Expiring within 14 days: " + frame.Plural(soon, "key") + "."
	}
}

// changeKeys creates, rotates or revokes a key.
func (c *settingsPages) changeKeys(w http.ResponseWriter, v frame.Visit) {
	p, ok := c.PlaceOf(w, v, v.PostForm.Get("workspace"))
	if !ok {
		return
	}
	if !p.Manages() {
		c.Refuse(w, v.Request, http.StatusForbidden, "Only owners and admins of a workspace can create, rotate and revoke API keys. Ask an owner or admin.")
		return
	}
	view := keysView{Place: p}
	var err error
	var made auth.Secret
	switch v.PostForm.Get("action") {
	case "create":
		if made, err = c.createKey(v, p); err != nil {
			view.Form = v.PostForm
		}
	case "rotate":
		made, err = c.rotateKey(v, p)
	case "revoke":
		_, err = operation.RevokeKey.Do(v.Context(), c.Operations, v.Calls(p.Workspace.ID), control.KeyID(v.PostForm.Get("id")))
	default:
		err = frame.ErrUnknownAction
	}
	view.Made = string(made)
	_, _, public := fault.Public(err)
	switch {
	case err == nil && view.Made == "":
		frame.See(w, keysPath+"?"+url.Values{"workspace": {string(p.Workspace.ID)}}.Encode())
	case err == nil:
		c.showKeys(w, v, http.StatusOK, view)
	case fault.KindOf(err) == fault.KindForbidden:
		c.Fail(w, v.Request, err)
	case public:
		view.Problem = frame.PublicText(err)
		c.showKeys(w, v, http.StatusUnprocessableEntity, view)
	default:
		c.Fail(w, v.Request, err)
	}
}

func (c *settingsPages) createKey(v frame.Visit, p frame.Place) (auth.Secret, error) {
	scopes, err := control.ParseScopes(v.PostForm["scope"])
	if err != nil {
		return "", err
	}
	n := auth.NewKey{
		Workspace: p.Workspace.ID, Name: v.PostForm.Get("name"), Scopes: p.Role.Within(scopes), Tools: v.PostForm["tool"],
	}
	if len(scopes) == 0 {
		return "", fault.Invalid("the key has no permissions").WithHint("select at least one permission")
	}
	if days := v.PostForm.Get("days"); days == "never" {
		n.NoExpiry = true
	} else {
		count, err := strconv.Atoi(days)
		if err != nil || count < 1 || count > 3650 {
			return "", fault.Invalid("the key has no valid lifetime").WithHint("choose a lifetime from the list")
		}
		n.Lifetime = time.Duration(count) * 24 * time.Hour
	}
	made, err := operation.CreateKey.Do(v.Context(), c.Operations, v.Calls(p.Workspace.ID), n)
	return made.Secret, err
}

// maxOverlapHours is the maximum time that a rotated key stays valid together with its successor: one week.
const maxOverlapHours = 7 * 24

func (c *settingsPages) rotateKey(v frame.Visit, p frame.Place) (auth.Secret, error) {
	overlap := auth.DefaultOverlap
	if text := v.PostForm.Get("hours"); text != "" {
		hours, err := strconv.Atoi(text)
		if err != nil || hours < 1 || hours > maxOverlapHours {
			return "", fault.Invalid("the remaining lifetime of the old key is invalid").WithHint("choose 1 to %d hours", maxOverlapHours)
		}
		overlap = time.Duration(hours) * time.Hour
	}
	made, err := operation.RotateKey.Do(v.Context(), c.Operations, v.Calls(p.Workspace.ID), operation.Rotation{ID: control.KeyID(v.PostForm.Get("id")), Overlap: overlap})
	return made.Secret, err
}
