package console

import (
	"cmp"
	"context"
	"fmt"
	"maps"
	"math"
	"net/http"
	"net/url"
	"slices"
	"strconv"
	"time"

	"assay/internal/civil"
	"assay/internal/control"
	"assay/internal/fault"
	"assay/internal/measure/mix"
	"assay/internal/measure/mmm"
	"assay/internal/operation"
)

// Models has the workspaces' media mix models.
type Models interface {
	// State returns the workspace's model and how it stands today.
	State(ctx context.Context, w control.Workspace) (ModelState, error)
}

// ModelState is a model and how it stands.
type ModelState struct {
	mix.Held
	Status mix.Status    // "" where there is no model
	Why    []string      // it is not active
	Left   time.Duration // until the training that runs is done; 0 when that cannot be told yet
	Failed string        // why the last training came to no end; "" where it did
	Next   time.Time     // when the schedule trains next; zero when it does not
}

// modelsView is what the page of the media mix model shows.
type modelsView struct {
	place
	ModelState
	Trains   bool   // the visitor may train
	Problem  string // of a form that was sent
	Verdict  []string
	Channels []channelRow
	Beliefs  []beliefRow
	Tests    []testRow
	LeftOut  []string
	Plan     planView
	Cadences []control.Cadence
	Hours    []int
	Query    string // that pictures and exports of this model are asked for with
}

// Usable reports whether there are figures.
func (v modelsView) Usable() bool { return v.Model != nil && v.Model.Status != mix.Refused }

// channelRow is a channel in words. Money is a month's.
type channelRow struct {
	Channel                                      string
	Spend, Brought, Share, ROAS, Marginal, Spare string
	Curve                                        string // query of its picture
}

// testRow is a completed test in words, beside what the weeks alone say.
type testRow struct {
	Channel, Days, Found, Weeks, Before, After, Verdict string
	Contradicts                                         bool
}

type beliefRow struct{ Channel, What, Before, After, Narrowed string }

func (c *Console) modelsPage(w http.ResponseWriter, v visit) {
	if p, ok := c.placeOf(w, v, v.URL.Query().Get("workspace")); ok {
		c.showModels(w, v, http.StatusOK, p, "")
	}
}

func (c *Console) showModels(w http.ResponseWriter, v visit, status int, p place, problem string) {
	state, err := c.models.State(v.Context(), p.Workspace)
	if err != nil {
		c.fail(w, v.Request, err)
		return
	}
	view := modelsView{place: p, ModelState: state, Trains: p.Role.Writes(), Problem: problem, Cadences: control.Cadences()}
	for hour := range 24 {
		view.Hours = append(view.Hours, hour)
	}
	if view.Usable() {
		query := url.Values{"workspace": {string(p.Workspace.ID)}, "v": {strconv.Itoa(state.Model.Version)}}
		view.Query = query.Encode()
		view.Verdict = verdict(state.Model)
		view.Plan = c.planOf(state.Model, p.Workspace, v.URL.Query())
		view.Channels = channelRows(state.Model, query, view.Plan)
		view.Beliefs = beliefRows(state.Model)
		view.Tests = testRows(state.Model)
		for _, l := range state.Model.LeftOut {
			view.LeftOut = append(view.LeftOut, fmt.Sprintf("%s: %s", l.Channel, l.Reason))
		}
	}
	c.render(w, v.Request, status, page{name: "models", title: "Media mix model", view: view, visitor: &v.visitor, wide: true})
}

// verdict says in plain words what the gate and the weeks say of the model.
func verdict(m *mix.Model) []string {
	var out []string
	if d := m.Diagnostics; d != nil {
		out = append(out, fmt.Sprintf("The sampler converged: its chains agree (R-hat %.3f; below 1.01 passes), the draws are worth at least %.0f independent ones (above 400 passes), and %s of its steps diverged (none passes).",
			float64(d.RHatMax), math.Min(float64(d.ESSBulkMin), float64(d.ESSTailMin)), noneOr(d.Divergences)))
	}
	if a := m.Accuracy; a != nil {
		out = append(out, fmt.Sprintf("It explains %.0f %% of the variance of its own %d weeks, and misses a week by %.1f %% on average.", 100*a.R2, m.Weeks, 100*a.WMAPE))
	}
	if h := m.Holdout; h != nil {
		out = append(out, fmt.Sprintf("Hold-out: a fit that did not see the last %d weeks foretold them with a mean miss of %.1f %%.", mix.HoldoutWeeks, 100*h.WMAPE))
	} else {
		out = append(out, fmt.Sprintf("Hold-out: how well the last %d weeks can be foretold is not known, because the fit without them did not converge or was not made.", mix.HoldoutWeeks))
	}
	return append(out, "None of this proves causes: spend that follows demand looks like its cause, and only an experiment can tell them apart.")
}

func noneOr(n int) string {
	if n == 0 {
		return "none"
	}
	return strconv.Itoa(n)
}

func channelRows(m *mix.Model, query url.Values, plan planView) []channelRow {
	effects := slices.Clone(m.Effects)
	slices.SortStableFunc(effects, func(a, b mmm.ChannelEffect) int {
		return cmp.Compare(b.Contribution.Mean, a.Contribution.Mean)
	})
	var rows []channelRow
	for _, e := range effects {
		if e.ROAS == nil || e.MarginalROAS == nil {
			continue
		}
		reach, months := m.Reach(e.Channel), m.Months()
		q := url.Values{"of": {"curve"}, "channel": {string(e.Channel)}}
		maps.Copy(q, query)
		if planned, ok := plan.monthly[e.Channel]; ok {
			q.Set("plan", strconv.FormatFloat(planned, 'f', 0, 64))
		}
		rows = append(rows, channelRow{
			Channel: string(e.Channel), Spend: amount(e.Spend / months),
			Brought: between(amount(e.Contribution.Mean/months), amount(e.Contribution.Q05/months), amount(e.Contribution.Q95/months)),
			Share:   fmt.Sprintf("%.1f %%", 100*e.Share.Mean),
			ROAS:    between(ratio(e.ROAS.Mean), ratio(e.ROAS.Q05), ratio(e.ROAS.Q95)),
			Marginal: between(ratio(e.MarginalROAS.Mean), ratio(e.MarginalROAS.Q05),
				ratio(e.MarginalROAS.Q95)),
			Spare: fmt.Sprintf("%.0f %%", 100*reach.Saturation.Mean), Curve: q.Encode(),
		})
	}
	return rows
}

// parameterNames say what the parameters mean.
var parameterNames = map[string]string{
	"roi": "revenue per unit of spend", "alpha": "share of a week's effect that carries over to the next", "lam": "bend of the curve (0: straight)",
	"elasticity": "what the next unit brings at the usual spend, as a share of what the mean unit brings",
	"sharpness":  "where the curve bends (small: all along; large: at a ceiling)",
}

func beliefRows(m *mix.Model) []beliefRow {
	var rows []beliefRow
	for _, b := range m.PriorPosteriors() {
		narrowed := "not narrower"
		if b.Narrowed > 0.01 {
			narrowed = fmt.Sprintf("%.0f %% narrower", 100*b.Narrowed)
		}
		say := func(i mix.Interval) string { return between(ratio(i.Mean), ratio(i.Low), ratio(i.High)) }
		rows = append(rows, beliefRow{string(b.Channel), parameterNames[b.Parameter], say(b.Before), say(b.After), narrowed})
	}
	return rows
}

func testRows(m *mix.Model) []testRow {
	say := func(i mix.Interval) string { return between(ratio(i.Mean), ratio(i.Low), ratio(i.High)) }
	var rows []testRow
	for _, t := range m.Tests {
		row := testRow{Channel: string(t.Channel), Days: spanWords(t.Days), Found: "–", Weeks: "–", Before: "–", After: "–"}
		if !t.Used() {
			row.Verdict = "Not part of the model: " + t.Why + "."
			rows = append(rows, row)
			continue
		}
		row.Found, row.Verdict = say(t.PerCost()), "Part of the model. The weeks alone carry no model to compare it with."
		for _, e := range m.Effects {
			if e.Channel == t.Channel && e.ROAS != nil {
				row.After = between(ratio(e.ROAS.Mean), ratio(e.ROAS.Q05), ratio(e.ROAS.Q95))
			}
		}
		if a := t.Observational; a != nil {
			row.Weeks, row.Before = say(t.FitPerCost()), between(ratio(a.ROAS.Mean), ratio(a.ROAS.Q05), ratio(a.ROAS.Q95))
			row.Verdict = fmt.Sprintf("Part of the model. Test and weeks agree: they are %.1f standard deviations apart.", math.Abs(a.ZScore))
			if t.FitMorePrecise() {
				row.Verdict += " The weeks are surer and are taken at their word."
			}
			if row.Contradicts = t.Contradicts(); row.Contradicts {
				row.Verdict = fmt.Sprintf("Part of the model, but test and weeks contradict each other: they are %.1f standard deviations apart. One of them is wrong.", math.Abs(a.ZScore))
			}
		}
		rows = append(rows, row)
	}
	return rows
}

// amount writes money in whole units of its currency.
func amount(v float64) string {
	if v < 0 {
		return "−" + count(int64(math.Round(-v)))
	}
	return count(int64(math.Round(v)))
}

func ratio(v float64) string { return strconv.FormatFloat(v, 'f', 2, 64) }

// between writes an estimate with its interval.
func between(value, low, high string) string { return value + " (" + low + " to " + high + ")" }

// changeModels takes the forms of the page: train, cancel, schedule.
func (c *Console) changeModels(w http.ResponseWriter, v visit) {
	p, ok := c.placeOf(w, v, v.PostForm.Get("workspace"))
	if !ok {
		return
	}
	if !p.Role.Writes() {
		c.Refuse(w, v.Request, http.StatusForbidden, "Viewers do not train models. Ask an analyst, an admin or an owner.")
		return
	}
	var err error
	switch v.PostForm.Get("action") {
	case "train":
		_, err = operation.StartTraining.Do(v.Context(), c.operations, v.calls(p.Workspace.ID), operation.None{})
	case "cancel":
		_, err = operation.CancelTraining.Do(v.Context(), c.operations, v.calls(p.Workspace.ID), operation.None{})
		if fault.KindOf(err) == fault.KindNotFound { // it ended meanwhile
			err = nil
		}
	case "schedule":
		if !p.Manages() {
			c.Refuse(w, v.Request, http.StatusForbidden, "Only owners and admins of a workspace change its settings.")
			return
		}
		err = c.schedule(v, p.Workspace)
	default:
		err = fault.Invalid("this form asks for nothing that is known")
	}
	_, _, public := fault.Public(err)
	switch {
	case err == nil:
		see(w, modelsPath+"?"+url.Values{"workspace": {string(p.Workspace.ID)}}.Encode())
	case public && fault.KindOf(err) != fault.KindForbidden:
		c.showModels(w, v, http.StatusUnprocessableEntity, p, told(err))
	default:
		c.fail(w, v.Request, err)
	}
}

// schedule changes when the model is trained by itself.
func (c *Console) schedule(v visit, w control.Workspace) error {
	hour, err := strconv.Atoi(v.PostForm.Get("hour"))
	if err != nil {
		return fault.Invalid("the hour is missing or no number").WithHint("choose 0 to 23")
	}
	retrain := control.Retrain{Cadence: control.Cadence(v.PostForm.Get("cadence")), Hour: hour}
	_, err = operation.UpdateWorkspace.Do(v.Context(), c.operations, v.calls(w.ID), operation.Settings{Retrain: &retrain})
	return err
}

// spanWords writes the days of a window.
func spanWords(r civil.Range) string { return r.First.String() + " to " + r.Last.String() }

// cadenceWords says in words how often something happens.
func cadenceWords(c control.Cadence) string {
	switch c {
	case control.Never:
		return "never"
	case control.Weekly:
		return "every week, on Mondays"
	case control.Monthly:
		return "every month, on the first"
	}
	return string(c)
}

// left writes a time that is left, roughly.
func left(d time.Duration) string {
	switch {
	case d <= 0:
		return ""
	case d < 10*time.Second:
		return "a few seconds left"
	case d < 90*time.Second:
		return fmt.Sprintf("about %d seconds left", int(d.Round(10*time.Second).Seconds()))
	}
	return fmt.Sprintf("about %d minutes left", int(math.Ceil(d.Minutes())))
}

// picture is a chart of the model on its page.
type picture struct{ Address, Alt string }

// pictureOf returns the picture that a query asks for; of is what it shows where the query does not say it.
func pictureOf(query, of, alt string) picture {
	if of != "" {
		query += "&of=" + of
	}
	return picture{Address: modelsPath + "/chart.svg?" + query, Alt: alt}
}

// scheduleForm is the form of the schedule, which needs the page's token.
type scheduleForm struct {
	View  modelsView
	Token string
}

func scheduleOf(v modelsView, token string) scheduleForm { return scheduleForm{v, token} }
