package mapper

import (
	"assay/internal/civil"
	"assay/internal/ingest/source"
	"assay/internal/warehouse"
)

// Fields of sessions and population by region and day.
const (
	regionDate = iota
	regionCountry
	regionName
	regionSessions
	regionPopulation
)

var regionForm = form{title: "sessions and population by region and day", columns: []source.Column{
	regionDate:       {Field: "date", Names: []string{"date", "day"}},
	regionCountry:    {Field: "country", Names: []string{"country", "country code", "country id"}},
	regionName:       {Field: "region", Names: []string{"region", "region code", "state", "province", "geo"}},
	regionSessions:   {Field: "sessions", Names: []string{"sessions", "visits"}},
	regionPopulation: {Field: "population", Names: []string{"population", "people", "inhabitants"}},
}, required: []string{"date", "region", "sessions"}, open: opening(newRegionRows)}

type regionKey struct {
	day             civil.Date
	country, region string
}

// newRegionRows reads sessions and population by region and day. A file with an additional dimension has several rows
// with the same region and day. newRegionRows sums the sessions of these rows. All of these rows have the same
// population.
func newRegionRows(b *binding) *factRows {
	countries := source.NewCountries()
	known := gathered[regionKey, warehouse.RegionDay]{}
	var rows *factRows
	rows = newFactRows(b, func(r *row, _ *warehouse.Batch) {
		name := r.text(regionName)
		if name == "" || name == "(not set)" || name == "(other)" {
			b.options.Notes.Add("region_not_set", "rows without a region are skipped")
			return
		}
		country, ok := countries.Code(r.text(regionCountry))
		if !ok {
			r.wrong(regionCountry, "is not a known country")
		}
		day, sessions, people := r.date(regionDate), r.counted(regionSessions), r.counted(regionPopulation)
		if r.fault != nil {
			return
		}
		rows.totals.See(day)
		d, _ := known.at(regionKey{day, country, source.Region(name, country)})
		d.Source, d.Day, d.Country, d.Region = b.origin(), day, country, source.Region(name, country)
		d.Sessions += sessions
		d.Population = max(d.Population, people)
	}, func(into *warehouse.Batch) { into.RegionDays = append(into.RegionDays, known.facts...) })
	return rows
}
