package setup

import (
	"encoding/json"
	"net/http"
	"net/url"
	"slices"
	"strings"

	"assay/internal/ads"
	"assay/internal/console/frame"
	"assay/internal/fault"
	"assay/internal/measure"
	"assay/internal/operation"
)

const connectionsPath = "/connections"

// adPlatform is an ad platform on the Connections page.
type adPlatform struct {
	ID      string // as written in commands
	Name    string
	Prepare string // what the visitor needs
	Fields  []credentialField
}

// credentialField is a member of the credentials of a platform.
type credentialField struct {
	Name, Label string
	Secret      bool // never shown again
	Optional    bool
}

// adPlatforms lists the ad platforms with the fields of their credentials.
var adPlatforms = []adPlatform{
	{
		ID: ads.WritingName(measure.Facebook), Name: ads.DisplayName(measure.Facebook),
		Prepare: "an app with the Marketing API, and a system user's access token with the ads_management permission",
		Fields: []credentialField{
			{Name: "account_id", Label: "Ad account ID"},
			{Name: "access_token", Label: "Access token", Secret: true},
			{Name: "app_secret", Label: "App secret", Secret: true, Optional: true},
		},
	},
	{
		ID: ads.WritingName(measure.Google), Name: ads.DisplayName(measure.Google),
		Prepare: "a Google Cloud project with the Google Ads API, an OAuth client of type Desktop, and a refresh token with the adwords scope",
		Fields: []credentialField{
			{Name: "customer_id", Label: "Customer ID"},
			{Name: "client_id", Label: "OAuth client ID"},
			{Name: "client_secret", Label: "OAuth client secret", Secret: true},
			{Name: "refresh_token", Label: "Refresh token", Secret: true},
			{Name: "login_customer_id", Label: "Manager account ID", Optional: true},
			{Name: "developer_token", Label: "Developer token", Secret: true, Optional: true},
		},
	},
	{
		ID: ads.WritingName(measure.TikTok), Name: ads.DisplayName(measure.TikTok),
		Prepare: "an app with the Ads Management write permission, and a long-lived access token for the advertiser account",
		Fields: []credentialField{
			{Name: "advertiser_id", Label: "Advertiser ID"},
			{Name: "access_token", Label: "Access token", Secret: true},
		},
	},
}

// platformNamed returns a platform of the page, or nil for an unknown name.
func platformNamed(id string) *adPlatform {
	at := slices.IndexFunc(adPlatforms, func(p adPlatform) bool { return p.ID == id })
	if at < 0 {
		return nil
	}
	return &adPlatforms[at]
}

// connectionsView is the view of the connected ad accounts.
type connectionsView struct {
	frame.Place
	frame.Messages
	Rows      []connectionRow
	Platforms []adPlatform
	Adding    *adPlatform    // platform with the shown form; nil: none
	Leaving   *connectionRow // connection to remove after a confirmation; nil: none
	Writes    bool           // the visitor can test connections
	Form      url.Values     // submitted values that are not secret, after an error
}

// Heading states how many accounts are connected and whether one needs attention.
func (v connectionsView) Heading() string {
	broken := 0
	for _, r := range v.Rows {
		if r.Words() == "Error" {
			broken++
		}
	}
	switch {
	case len(v.Rows) == 0:
		return "No ad account is connected."
	case broken > 0:
		return frame.Plural(len(v.Rows), "ad account") + ", " + frame.Count(int64(broken)) + " with an error."
	}
	return frame.Plural(len(v.Rows), "connected ad account") + "."
}

// Lead states the purpose of a connection.
func (v connectionsView) Lead() string {
	return "A connection lets Assay read and change the campaigns of an ad account. A connection does not import spend. Import ad reports on the Data page."
}

type connectionRow struct{ operation.ConnectionLine }

// PlatformName returns the display name of the platform.
func (r connectionRow) PlatformName() string {
	if p := platformNamed(r.Platform); p != nil {
		return p.Name
	}
	return r.Platform
}

// Words describes the status.
func (r connectionRow) Words() string {
	return map[string]string{"ok": "Connected", "error": "Error", "untested": "Not tested"}[string(r.Status)]
}

func (c *settingsPages) connectionsPage(w http.ResponseWriter, v frame.Visit) {
	query := v.URL.Query()
	p, ok := c.PlaceOf(w, v, query.Get("workspace"))
	if !ok {
		return
	}
	view := connectionsView{Place: p, Messages: frame.Messages{Done: map[string]string{
		"tested": "Connections tested.", "connected": "Ad account connected.", "disconnected": "Ad account disconnected. Its credentials are deleted.",
	}[query.Get("done")]}}
	if p.Manages() {
		view.Adding = platformNamed(query.Get("connect"))
	}
	c.showConnections(w, v, http.StatusOK, view, query.Get("disconnect"), query.Get("account"))
}

// showConnections shows the Connections page. If the parameters leaving and account name a connection, the page asks
// whether to remove the connection.
func (c *settingsPages) showConnections(w http.ResponseWriter, v frame.Visit, status int, view connectionsView, leaving, account string) {
	view.Here, view.Platforms, view.Writes = connectionsPath, adPlatforms, view.Role.Writes()
	lines, err := operation.ListConnections.Do(v.Context(), c.Operations, v.Calls(view.Workspace.ID), operation.None{})
	if err != nil {
		c.Fail(w, v.Request, err)
		return
	}
	for _, line := range lines {
		view.Rows = append(view.Rows, connectionRow{line})
	}
	if leaving != "" && view.Manages() {
		at := slices.IndexFunc(view.Rows, func(r connectionRow) bool { return r.Platform == leaving && r.Account == account })
		if at < 0 {
			c.Refuse(w, v.Request, http.StatusNotFound, "This ad account is not connected. Reload the page.")
			return
		}
		view.Leaving = &view.Rows[at]
	}
	c.Render(w, v.Request, status, frame.Page{Name: "connections", Title: "Connections", View: view, Visitor: &v.Visitor})
}

// changeConnections connects, tests or disconnects an ad account.
func (c *settingsPages) changeConnections(w http.ResponseWriter, v frame.Visit) {
	p, ok := c.PlaceOf(w, v, v.PostForm.Get("workspace"))
	if !ok {
		return
	}
	form, call, view := v.PostForm, v.Calls(p.Workspace.ID), connectionsView{Place: p}
	var err error
	done := ""
	switch form.Get("action") {
	case "connect":
		done = "connected"
		var line operation.ConnectionLine
		if line, err = c.connect(v, p, &view); err == nil && line.Problem != "" {
			done = "" // the row shows the problem
		}
	case "test":
		done = "tested"
		_, err = operation.TestConnections.Do(v.Context(), c.Operations, call, operation.TestedConnections{Platform: form.Get("platform")})
	case "disconnect":
		done = "disconnected"
		if form.Get("account") == "" {
			err = fault.Invalid("the ad account is missing").WithHint("reload the page and try again")
			break
		}
		_, err = operation.RemoveConnection.Do(v.Context(), c.Operations, call,
			operation.OldConnection{Platform: form.Get("platform"), Account: form.Get("account")})
	default:
		err = frame.ErrUnknownAction
	}
	_, _, public := fault.Public(err)
	switch {
	case err == nil:
		to := url.Values{"workspace": {string(p.Workspace.ID)}}
		if done != "" {
			to.Set("done", done)
		}
		frame.See(w, connectionsPath+"?"+to.Encode())
	case public && fault.KindOf(err) != fault.KindForbidden && fault.KindOf(err) != fault.KindUnavailable:
		view.Problem = frame.PublicText(err)
		c.showConnections(w, v, http.StatusUnprocessableEntity, view, "", "")
	default:
		c.Fail(w, v.Request, err)
	}
}

// connect stores and tests the credentials of the form. After an error the view has the values that are not secret.
func (c *settingsPages) connect(v frame.Visit, p frame.Place, view *connectionsView) (line operation.ConnectionLine, err error) {
	if !p.Manages() {
		return line, fault.Forbidden("only owners and admins of a workspace can connect ad accounts").WithHint("ask an owner or an admin of the workspace to connect the account")
	}
	platform := platformNamed(v.PostForm.Get("platform"))
	if platform == nil {
		return line, fault.Invalid("the ad platform is missing or unknown").WithHint("choose Meta, Google Ads or TikTok")
	}
	view.Adding, view.Form = platform, url.Values{}
	credentials := map[string]string{}
	for _, f := range platform.Fields {
		value := strings.TrimSpace(v.PostForm.Get(f.Name))
		if value == "" && !f.Optional {
			return line, fault.Invalid("the field %q is empty", f.Label).WithHint("fill in the field, and enter the secrets again, because the form does not show them")
		}
		if value != "" {
			credentials[f.Name] = value
		}
		if !f.Secret {
			view.Form.Set(f.Name, value)
		}
	}
	text, err := json.Marshal(credentials)
	if err != nil {
		return line, err
	}
	return operation.AddConnection.Do(v.Context(), c.Operations, v.Calls(p.Workspace.ID),
		operation.NewConnection{Platform: platform.ID, Credentials: string(text)})
}
