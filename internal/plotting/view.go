package plotting

import (
	"encoding/json"
	"net/url"
	"strconv"

	"assay/internal/chart"
	"assay/internal/civil"
	"assay/internal/measure"
	"assay/internal/snapshot"
)

// Arguments returns the plot as arguments of the tool `chart`, without its metric. The days are always included, so the
// arguments describe the same plot on another day.
func (p Plot) Arguments() url.Values {
	v := url.Values{
		"chart_type": {string(p.Kind)}, "breakdown": {string(p.Breakdown)}, "granularity": {string(p.Granularity)},
		"start_date": {p.Days.First.String()}, "end_date": {p.Days.Last.String()}, "series_limit": {strconv.Itoa(p.Limit)},
	}
	if p.Title != "" {
		v.Set("title", p.Title)
	}
	if p.Channel != "" {
		v.Set("channel", string(p.Channel))
	}
	if len(p.Channels) > 0 {
		delete(v, "breakdown") // a list of channels implies the breakdown
	}
	for _, channel := range p.Channels {
		v.Add("channels", string(channel))
	}
	return v
}

// maxCells is the maximum number of values in the data of a view: about 100 KB.
const maxCells = 12_000

// viewData contains the figures of a chart for its interactive view. A figure has one value per period from First to
// Last. Unknown values are null. Money is in minor units, so that sums are exact.
type viewData struct {
	Title       string            `json:"title"`
	Summary     string            `json:"summary"`
	Metric      snapshot.Metric   `json:"metric"`
	Kind        chart.Kind        `json:"kind"`
	Granularity civil.Granularity `json:"granularity"` // granularity as requested
	Grain       civil.Granularity `json:"grain"`       // granularity of the values
	Currency    string            `json:"currency"`
	Exponent    int               `json:"exponent"` // decimals of the currency
	First       civil.Date        `json:"first,omitzero"`
	Last        civil.Date        `json:"last,omitzero"`
	Today       civil.Date        `json:"today"`
	Series      []viewSeries      `json:"series"`
	Marks       []Mark            `json:"marks,omitempty"`
}

type viewSeries struct {
	Name    string     `json:"name"`
	Revenue []*int64   `json:"revenue"`
	Orders  []*float64 `json:"orders"`
	Spend   []*int64   `json:"spend"`
}

// ViewData returns the figures of a chart for its interactive view: revenue, orders and spend of every series by day.
// If there are too many daily values, the figures are by week or month.
func (p Plot) ViewData(
	s *snapshot.Snapshot, shown []snapshot.NamedSeries, whole snapshot.Series, marks []Mark, summary string,
) (json.RawMessage, error) {
	picture := p.Chart(s, shown, nil)
	out := viewData{
		Title: picture.Title, Summary: summary, Metric: p.Metric, Kind: p.Kind, Granularity: p.Granularity, Grain: civil.ByDay,
		Currency: string(s.Workspace.Currency), Exponent: s.Workspace.Currency.Exponent(), Today: s.Today, Marks: marks,
		Series: []viewSeries{},
	}
	days := p.Days.Intersect(whole.Days)
	if len(shown) == 0 || days.Days() == 0 {
		return out.encoded()
	}
	out.First, out.Last = days.First, days.Last
	all := p.viewed(s, shown, whole)
	for _, grain := range []civil.Granularity{civil.ByDay, civil.ByWeek, civil.ByMonth} {
		out.Grain = grain
		if len(days.Buckets(grain))*len(all)*3 <= maxCells {
			break
		}
	}
	for _, series := range all {
		out.Series = append(out.Series, p.viewSeriesOf(s, series, days.Buckets(out.Grain)))
	}
	return out.encoded()
}

func (d viewData) encoded() (json.RawMessage, error) {
	return json.Marshal(map[string]viewData{"assay/chart": d})
}

// viewed returns the series of the view. A chart of all channels omits channels without values of its metric. The view
// also shows other metrics, so it combines the omitted channels as one series.
func (p Plot) viewed(s *snapshot.Snapshot, shown []snapshot.NamedSeries, whole snapshot.Series) []snapshot.NamedSeries {
	if p.Breakdown != ByChannel || p.Channel != "" || len(p.Channels) > 0 {
		return shown
	}
	var alone []snapshot.NamedSeries
	for _, d := range shown {
		if d.Name != OtherChannels && d.Name != measure.Unattributed {
			alone = append(alone, d)
		}
	}
	rest := snapshot.NamedSeries{Name: OtherChannels, Series: whole.Minus(snapshot.SumOf(alone))}
	total := rest.Total(p.Days)
	if total.Orders == 0 && total.Spend == 0 && s.Workspace.Basis.Revenue(total.Sums) == 0 {
		return alone
	}
	if last := shown[len(shown)-1]; last.Name == measure.Unattributed && last.Total(p.Days).Sums == total.Sums && total.Spend == 0 {
		rest.Name = measure.Unattributed
	}
	return append(alone, rest)
}

// viewSeriesOf returns the figures of a series. A channel without spend in the whole period has no spend values.
func (p Plot) viewSeriesOf(s *snapshot.Snapshot, of snapshot.NamedSeries, buckets []civil.Range) viewSeries {
	out := viewSeries{Name: string(of.Name)}
	spent := of.Name == "" || of.Total(p.Days).Spend != 0
	for _, bucket := range buckets {
		point := of.Point(bucket)
		var revenue, spend *int64
		var orders *float64
		if !point.RevenueUnknown {
			revenue, orders = new(s.Workspace.Basis.Revenue(point.Sums)), new(float64(point.Orders)/measure.Millionths)
		}
		if spent && point.SpendKnown {
			spend = new(point.Spend)
		}
		out.Revenue, out.Orders, out.Spend = append(out.Revenue, revenue), append(out.Orders, orders), append(out.Spend, spend)
	}
	return out
}
