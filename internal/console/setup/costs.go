package setup

import (
	"net/http"
	"net/url"
	"strings"

	"assay/internal/civil"
	"assay/internal/console/frame"
	"assay/internal/console/frame/plot"
	"assay/internal/fault"
	"assay/internal/ingest"
	"assay/internal/measure"
	"assay/internal/money"
	"assay/internal/operation"
)

// costSource is the source of tables with unit costs of products.
const costSource = "products"

// costsView is the view of the costs of a store.
type costsView struct {
	frame.Place
	frame.Messages
	Heading, Lead string
	KPIs          []frame.KPI
	Rules         []costRow
	Writes        bool // the visitor can enter and remove costs
	Kinds         []frame.Option
	Scopes        []costScope
	Form          url.Values // submitted values, after an error
}

// costRow is an entered cost as text.
type costRow struct {
	Kind, Name, Of, From, Value string
	Start                       civil.Date
	Sales                       string // see salesOf
}

// costScope is a group of choices in the form: the sales surfaces or the channels that a cost can apply to.
type costScope struct {
	Label string
	Parts []frame.Option
}

// Prefixes of the form value that selects the sales of a surface or a channel.
const (
	ofSurface = "surface:"
	ofChannel = "channel:"
)

// salesOf returns the form value and the name of the sales that a cost applies to. Both are "" for a cost of all sales.
func salesOf(r measure.CostRule) (value, name string) {
	switch {
	case r.Surface != "":
		return ofSurface + string(r.Surface), frame.Capitalized(frame.Words(string(r.Surface)))
	case r.Channel != "":
		return ofChannel + string(r.Channel), frame.ChannelName(r.Channel)
	}
	return "", ""
}

// costScopes returns the sales surfaces and channels that a cost can apply to.
func costScopes(channels []measure.Channel, chosen string) []costScope {
	surfaces, margins := costScope{Label: "Sales surface"}, costScope{Label: "Channel, gross margin only"}
	add := func(s *costScope, r measure.CostRule) {
		value, name := salesOf(r)
		s.Parts = append(s.Parts, frame.Option{Name: name, Address: value, Here: value == chosen})
	}
	for _, s := range measure.Surfaces() {
		add(&surfaces, measure.CostRule{Surface: s})
	}
	for _, c := range channels {
		add(&margins, measure.CostRule{Channel: c})
	}
	if len(margins.Parts) == 0 {
		return []costScope{surfaces}
	}
	return []costScope{surfaces, margins}
}

// costName returns the name of a kind of cost and the base of its percentage.
func costName(k measure.CostKind) (name, of string) {
	switch k {
	case measure.GrossMargin:
		return "Gross margin", "percent of merchandise revenue, for units without a unit cost"
	case measure.PaymentFee:
		return "Payment fees", "percent of the amount charged, and an amount per order"
	case measure.Shipping:
		return "Shipping", "an amount per order, and percent of the shipping charged to customers"
	case measure.Returns:
		return "Return handling", "percent of the refunded amount"
	}
	return frame.Capitalized(frame.Words(string(k))), ""
}

func (c *dataPages) costsPage(w http.ResponseWriter, v frame.Visit) {
	query := v.URL.Query()
	p, ok := c.PlaceOf(w, v, query.Get("workspace"))
	if !ok {
		return
	}
	done := map[string]string{"set": "The cost is saved. Contribution figures now include this cost.", "remove": "The cost is removed."}[query.Get("done")]
	c.showCosts(w, v, http.StatusOK, costsView{Place: p, Messages: frame.Messages{Done: done}})
}

func (c *dataPages) showCosts(w http.ResponseWriter, v frame.Visit, status int, view costsView) {
	all, err := operation.ListCosts.Do(v.Context(), c.Operations, v.Calls(view.Workspace.ID), operation.None{})
	if err != nil {
		c.Fail(w, v.Request, err)
		return
	}
	view.Writes = view.Role.Writes()
	for _, k := range measure.CostKinds() {
		name, of := costName(k)
		view.Kinds = append(view.Kinds, frame.Option{Name: name + ": " + of, Address: string(k), Here: view.Form.Get("kind") == string(k)})
	}
	for _, r := range all.Rules {
		name, of := costName(r.Kind)
		row := costRow{Kind: string(r.Kind), Name: name, Of: of, From: "the beginning", Value: costValue(r), Start: r.From}
		var part string
		if row.Sales, part = salesOf(r); part != "" {
			row.Name += ", " + part
		}
		if !r.From.IsZero() {
			row.From = r.From.Words()
		}
		view.Rules = append(view.Rules, row)
	}
	if view.Writes {
		channels, err := c.ChannelsOf(v, view.Place)
		if err != nil {
			c.Fail(w, v.Request, err)
			return
		}
		view.Scopes = costScopes(channels, view.Form.Get("sales"))
	}
	view.describe(all)
	c.Render(w, v.Request, status, frame.Page{Name: "costs", Title: "Costs", View: view, Visitor: &v.Visitor})
}

// costValue formats a cost: "2.9% and $0.30 per order".
func costValue(r measure.CostRule) string {
	each := money.Display(r.Fixed.Major(), r.Fixed.Currency.Exponent(), r.Fixed.Currency) + " per order"
	switch {
	case r.Fixed.Minor == 0:
		return r.Share.String()
	case r.Share == 0:
		return each
	}
	return r.Share.String() + " and " + each
}

// describe sets the heading and the coverage.
func (v *costsView) describe(all operation.Costs) {
	share := 0.0
	if all.Units > 0 {
		share = 100 * float64(all.Costed) / float64(all.Units)
	}
	covered := frame.Figure(share, 1) + "%"
	v.Heading = "Costs are known for " + covered + " of units."
	v.Lead = frame.Count(all.Costed) + " of " + frame.Count(all.Units) + " units sold (" + all.Days.Words() + ") have a unit cost."
	margin := frame.KPI{Name: "Contribution margin", Value: "unknown", Missing: true, From: "import unit costs or enter a gross margin"}
	even := frame.KPI{Name: "Break-even ROAS", Value: "unknown", Missing: true, From: "requires a positive contribution margin"}
	if all.Known {
		margin = frame.KPI{Name: "Contribution margin", Value: frame.Figure(100*all.Rate, 1) + "%", From: "before ad spend"}
		if all.Rate > 0 {
			even = frame.KPI{Name: "Break-even ROAS", Value: frame.Figure(1/all.Rate, 2), From: "where contribution equals spend"}
		}
	}
	if all.Units == 0 {
		v.Heading, v.Lead = "No unit was sold in the last 30 days.", "Without sold units, the share of units with a cost is unknown."
	}
	v.KPIs = []frame.KPI{
		{Name: "Units with a cost", Value: covered, From: "last 30 days", Spark: plot.Level(share, 100, 92, "accent")},
		margin, even,
		{Name: "Entered costs", Value: frame.Count(int64(len(all.Rules)))},
	}
}

// changeCosts enters or removes a cost. The operations check the permission.
func (c *dataPages) changeCosts(w http.ResponseWriter, v frame.Visit) {
	form := v.PostForm
	p, ok := c.PlaceOf(w, v, form.Get("workspace"))
	if !ok {
		return
	}
	call := v.Calls(p.Workspace.ID)
	rule, err := costRule(form)
	switch {
	case err != nil:
	case form.Get("action") == "set":
		if err = costAmounts(&rule, form, p.Workspace.Currency); err == nil {
			_, err = operation.SetCost.Do(v.Context(), c.Operations, call, rule)
		}
	case form.Get("action") == "remove":
		_, err = operation.RemoveCost.Do(v.Context(), c.Operations, call, rule)
	default:
		err = frame.ErrUnknownAction
	}
	_, _, public := fault.Public(err)
	kind := fault.KindOf(err)
	switch {
	case err == nil:
		frame.See(w, costsPath+"?"+url.Values{"workspace": {string(p.Workspace.ID)}, "done": {form.Get("action")}}.Encode())
	case public && (kind == fault.KindInvalid || kind == fault.KindConflict || kind == fault.KindNotFound):
		c.showCosts(w, v, http.StatusUnprocessableEntity, costsView{Place: p, Messages: frame.Messages{Problem: frame.PublicText(err)}, Form: form})
	default:
		c.Fail(w, v.Request, err)
	}
}

// costRule reads the kind, the sales surface or channel, and the first day of a cost.
func costRule(form url.Values) (r measure.CostRule, err error) {
	r.Kind = measure.CostKind(form.Get("kind"))
	sales := form.Get("sales")
	surface, ofOne := strings.CutPrefix(sales, ofSurface)
	channel, ofAds := strings.CutPrefix(sales, ofChannel)
	switch {
	case ofOne && surface != "":
		r.Surface = measure.Surface(surface)
	case ofAds && channel != "":
		r.Channel = measure.ParseChannel(channel)
	case !form.Has("sales") || sales != "":
		return r, fault.Invalid("%q is not a sales surface or channel", sales).WithHint("reload the page and choose an entry from the list")
	}
	text := strings.TrimSpace(form.Get("from"))
	if text == "" {
		return r, nil
	}
	if r.From, err = civil.Parse(text); err != nil {
		return r, fault.Invalid("the first day %q is not a calendar date", text).WithHint("use YYYY-MM-DD, such as 2026-10-01, or leave the field empty")
	}
	return r, nil
}

// costAmounts reads the percentage and the amount per order of a cost.
func costAmounts(r *measure.CostRule, form url.Values, currency money.Currency) (err error) {
	pct, each := strings.TrimSpace(form.Get("pct")), strings.TrimSpace(form.Get("per_order"))
	if pct == "" && each == "" {
		return fault.Invalid("the cost has no value").WithHint("enter a percentage, an amount per order, or both")
	}
	if pct != "" {
		if r.Share, err = measure.ParsePercent(pct); err != nil {
			return err
		}
	}
	if each != "" {
		if r.Fixed, err = money.Parse(each, currency, money.Point); err != nil || r.Fixed.Minor < 0 {
			return fault.Invalid("the amount per order %q is not an amount in %s", each, currency).WithHint("use an amount such as 0.30")
		}
	}
	return r.Check()
}

// costsTemplate sends a table to fill in with unit costs.
func (c *dataPages) costsTemplate(w http.ResponseWriter, v frame.Visit) {
	text, err := ingest.Template(costSource)
	if err != nil {
		c.Fail(w, v.Request, err)
		return
	}
	h := w.Header()
	h.Set("Content-Type", "text/csv; charset=utf-8")
	h.Set("Content-Disposition", `attachment; filename="unit-costs.csv"`)
	h.Set("Cache-Control", "no-store")
	h.Set("X-Content-Type-Options", "nosniff")
	if _, err := w.Write(text); err != nil {
		return // the browser closed the connection
	}
}
