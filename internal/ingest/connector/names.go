package connector

import (
	"slices"
	"time"

	"assay/internal/ingest/source"
	"assay/internal/ingest/tabular"
	"assay/internal/measure"
	"assay/internal/warehouse"
)

// Names returns the readers of tables with the names and parents of campaigns, ad sets and ads. Tables of spend contain
// only IDs. If a table contains several versions of a name, the latest version applies.
func Names() []source.Reader {
	readers := make([]source.Reader, 0, len(names))
	for i := range names {
		readers = append(readers, &names[i])
	}
	return readers
}

// nameTables describes the tables of a platform.
type nameTables struct {
	name, title string
	platform    measure.Platform
	tables      []nameTable
}

// nameTable describes the table of names of one ad level. Columns are folded names, the preferred names first.
type nameTable struct {
	level           measure.AdLevel
	id, name        []string
	campaign, adSet []string   // parents
	all             [][]string // one column of each list is required
	none            []string   // columns of other tables
}

// figures lists columns that reports have and tables of names do not have.
var figures = []string{
	"date", "date day", "date start", "segments.date", "segments date", "stat time day", "stat time hour", "impressions", "metrics.impressions",
	"spend", "cost", "cost micros", "match type", "keyword text",
}

// changed lists columns with the time of a change on the platform. synced lists columns with the time at which a
// connector read the change.
var (
	changed  = []string{"updated time", "updated at", "last updated date", "modified time", "last modified time", "modify time"}
	synced   = []string{"fivetran synced", "airbyte extracted at"}
	versions = slices.Concat(changed, synced)
)

var (
	plainID, plainName = []string{"id"}, []string{"name"}
	ofCampaign         = []string{"campaign id"}
	ofAdGroup          = []string{"ad group id"}
)

var names = []nameTables{
	{name: "facebook_names", title: "Names of Meta campaigns, ad sets and ads (warehouse table)", platform: measure.Facebook, tables: []nameTable{
		{level: measure.AdItself, id: plainID, name: plainName, campaign: ofCampaign, adSet: []string{"ad set id", "adset id"}, all: [][]string{{"ad set id", "adset id"}, ofCampaign}},
		{
			level: measure.AdSet, id: plainID, name: plainName, campaign: ofCampaign, all: [][]string{ofCampaign, {"account id"}, {"updated time", "effective status"}},
			none: []string{"ad set id", "adset id"},
		},
		{level: measure.AdCampaign, id: plainID, name: plainName, all: [][]string{{"account id"}, {"updated time", "effective status"}}, none: ofCampaign},
	}},
	{name: "google_names", title: "Names of Google campaigns, ad groups and ads (warehouse table)", platform: measure.Google, tables: []nameTable{
		{
			level: measure.AdItself, id: []string{"id", "ad group ad.ad.id"}, name: []string{"name", "ad group ad.ad.name"}, adSet: []string{"ad group id", "ad group.id"},
			all: [][]string{{"ad group id", "ad group.id"}, {"final urls", "display url", "ad group ad.ad.final urls"}},
		},
		{
			level: measure.AdSet, id: []string{"id", "ad group.id"}, name: []string{"name", "ad group.name"}, campaign: []string{"campaign id", "campaign.id"},
			all: [][]string{{"campaign name", "ad group.type", "base campaign"}, {"campaign id", "campaign.id"}}, none: []string{"account id", "advertiser id", "adgroup id"},
		},
		{
			level: measure.AdCampaign, id: []string{"id", "campaign.id"}, name: []string{"name", "campaign.name"},
			all: [][]string{{"advertising channel type", "campaign.advertising channel type"}}, none: []string{"ad group id"},
		},
	}},
	{name: "tiktok_names", title: "Names of TikTok campaigns, ad groups and ads (warehouse table)", platform: measure.TikTok, tables: []nameTable{
		{level: measure.AdItself, id: []string{"ad id"}, name: []string{"ad name"}, campaign: ofCampaign, adSet: []string{"adgroup id"}, all: [][]string{{"advertiser id"}, {"adgroup id"}}},
		{
			level: measure.AdSet, id: []string{"adgroup id"}, name: []string{"adgroup name"}, campaign: ofCampaign, all: [][]string{{"advertiser id"}, ofCampaign},
			none: []string{"ad id"},
		},
		{level: measure.AdCampaign, id: ofCampaign, name: []string{"campaign name"}, all: [][]string{{"advertiser id"}}, none: []string{"adgroup id", "ad id"}},
	}},
	{name: "pinterest_names", title: "Names of Pinterest campaigns, ad groups and ads (warehouse table)", platform: measure.Pinterest, tables: []nameTable{
		{level: measure.AdItself, id: plainID, name: plainName, adSet: ofAdGroup, all: [][]string{ofAdGroup, {"pin id"}}},
		{level: measure.AdSet, id: plainID, name: plainName, campaign: ofCampaign, all: [][]string{ofCampaign, {"placement group", "pacing delivery type"}}},
		{
			level: measure.AdCampaign, id: plainID, name: plainName,
			all: [][]string{{"default ad group budget in micro currency", "is campaign budget optimization"}},
		},
	}},
	{name: "snapchat_names", title: "Names of Snapchat campaigns, ad squads and ads (warehouse table)", platform: measure.Snapchat, tables: []nameTable{
		{level: measure.AdItself, id: plainID, name: plainName, adSet: []string{"ad squad id"}, all: [][]string{{"ad squad id"}}},
		{
			level: measure.AdSet, id: plainID, name: plainName, campaign: ofCampaign, all: [][]string{ofCampaign, {"fivetran synced", "optimization goal"}},
			none: []string{"account id", "ad account id", "modified time", "updated time", "last updated date", "campaign name", "ad set id", "adset id", "placement group"},
		},
		{
			level: measure.AdCampaign, id: plainID, name: plainName, all: [][]string{{"ad account id"}},
			none: []string{"web view url", "campaign id", "ad group id", "ad squad id", "pin id"},
		},
	}},
	{name: "amazon_names", title: "Names of Amazon campaigns and ad groups (warehouse table)", platform: measure.Amazon, tables: []nameTable{
		{level: measure.AdSet, id: plainID, name: plainName, campaign: ofCampaign, all: [][]string{ofCampaign, {"default bid"}}},
		{level: measure.AdCampaign, id: plainID, name: plainName, all: [][]string{{"targeting type"}}, none: ofCampaign},
	}},
	{name: "microsoft_names", title: "Names of Microsoft campaigns, ad groups and ads (warehouse table)", platform: measure.Microsoft, tables: []nameTable{
		{level: measure.AdItself, id: plainID, name: []string{"title", "title part 1"}, adSet: ofAdGroup, all: [][]string{{"modified time"}, ofAdGroup}},
		{level: measure.AdSet, id: plainID, name: plainName, campaign: ofCampaign, all: [][]string{{"modified time"}, ofCampaign}},
		{level: measure.AdCampaign, id: plainID, name: plainName, all: [][]string{{"modified time"}, {"account id"}}, none: []string{"campaign id", "ad group id"}},
	}},
}

// Name implements [source.Reader].
func (n *nameTables) Name() string { return n.name }

// Title implements [source.Reader].
func (n *nameTables) Title() string { return n.title }

// Fit implements [source.Reader]. It returns the best fit of the platform's tables.
func (n *nameTables) Fit(h source.Header) source.Fit {
	_, fit := n.table(h)
	return fit
}

// table returns the table that a header fits best, and the fit.
func (n *nameTables) table(h source.Header) (best *nameTable, fit source.Fit) {
	for i := range n.tables {
		t := &n.tables[i]
		f := t.fit(h)
		if best == nil || f.OK() && !fit.OK() || f.OK() == fit.OK() && f.Known > fit.Known {
			best, fit = t, f
		}
	}
	return best, fit
}

func (t *nameTable) fit(h source.Header) (fit source.Fit) {
	for _, one := range slices.Concat([][]string{t.id, t.name}, t.all) {
		if h.Index(one...) >= 0 {
			fit.Known++
		} else {
			fit.Missing = append(fit.Missing, one[0])
		}
	}
	for _, optional := range [][]string{t.campaign, t.adSet, versions} {
		if optional != nil && h.Index(optional...) >= 0 {
			fit.Known++
		}
	}
	for _, other := range slices.Concat(figures, t.none) {
		if h.Index(other) >= 0 {
			fit.Missing = append(fit.Missing, "a table without "+other)
		}
	}
	return fit
}

// Columns implements [source.Described]. It returns the columns of the table of campaigns, and additional columns of
// more detailed tables.
func (n *nameTables) Columns() []source.Column {
	coarsest := n.tables[len(n.tables)-1]
	columns := []source.Column{{Field: "id", Names: coarsest.id}, {Field: "name", Names: coarsest.name}}
	for _, one := range coarsest.all {
		columns = append(columns, source.Column{Field: one[0], Names: one})
	}
	for _, t := range n.tables {
		for _, parent := range [][]string{t.campaign, t.adSet} {
			known := func(c source.Column) bool { return slices.Equal(c.Names, parent) }
			if parent != nil && !slices.ContainsFunc(columns, known) {
				columns = append(columns, source.Column{Field: parent[0], Names: parent})
			}
		}
	}
	dated := func(c source.Column) bool { return slices.Contains(versions, c.Names[0]) }
	if !slices.ContainsFunc(columns, dated) {
		columns = append(columns, source.Column{Field: "updated", Names: versions})
	}
	return columns
}

// Needs implements [source.Described].
func (n *nameTables) Needs() []string {
	needs := []string{"id", "name"}
	for _, one := range n.tables[len(n.tables)-1].all {
		needs = append(needs, one[0])
	}
	return needs
}

// Open implements [source.Reader].
func (n *nameTables) Open(t source.Table, o source.Options) (source.Rows, error) {
	table, _ := n.table(t.Header)
	h := t.Header
	return &nameRows{
		platform: n.platform, level: table.level, header: h, notes: o.Notes,
		id: h.Index(table.id...), name: h.Index(table.name...), campaign: h.Index(table.campaign...), adSet: h.Index(table.adSet...),
		changed: h.Index(changed...), synced: h.Index(synced...), state: newStateColumns(n.platform, h),
	}, nil
}

// nameRows reads a table of names.
type nameRows struct {
	platform                  measure.Platform
	level                     measure.AdLevel
	header                    source.Header
	notes                     *source.Notes
	id, name, campaign, adSet int // columns; -1: none
	changed, synced           int
	state                     stateColumns
}

// Skip implements [source.Rows].
func (r *nameRows) Skip([]string) bool { return false }

// Add implements [source.Rows].
func (r *nameRows) Add(rec tabular.Record, b *warehouse.Batch) error {
	n := warehouse.AdName{
		Platform: r.platform, Level: r.level, ID: source.Cell(rec.Fields, r.id), Name: source.Cell(rec.Fields, r.name),
		Campaign: source.Cell(rec.Fields, r.campaign), AdSet: source.Cell(rec.Fields, r.adSet),
	}
	for _, cell := range []struct {
		at int
		id string
	}{{r.id, n.ID}, {r.campaign, n.Campaign}, {r.adSet, n.AdSet}} {
		if source.Shortened(cell.id) {
			return source.ShortenedID(rec.Line, r.header.Name(cell.at), cell.id, "import the table as the connector wrote it")
		}
	}
	if n.ID == "" {
		return &source.RowError{Line: rec.Line, Column: r.header.Name(r.id), Reason: "the row has no ID"}
	}
	at, err := r.instant(rec, r.changed)
	if err != nil {
		return err
	}
	read, err := r.instant(rec, r.synced)
	if err != nil {
		return err
	}
	if n.UpdatedAt = at; at.IsZero() {
		n.UpdatedAt = read
	}
	state, err := r.state.of(rec, &n, r.header)
	if err != nil {
		return err
	}
	if state.Read = read; state.Tells() {
		b.AdStates = append(b.AdStates, state)
	}
	if n.Name == "" && n.Campaign == "" && n.AdSet == "" {
		if !state.Tells() {
			r.notes.Add("names_empty", "rows with neither a name nor a parent are skipped")
		}
		return nil
	}
	b.AdNames = append(b.AdNames, n)
	return nil
}

// instant reads a time. It returns the zero time for a missing column or an empty cell.
func (r *nameRows) instant(rec tabular.Record, column int) (time.Time, error) {
	cell := source.Cell(rec.Fields, column)
	if cell == "" {
		return time.Time{}, nil
	}
	at, err := source.ParseInstant(cell, source.UnknownOrder, time.UTC)
	if err != nil {
		return time.Time{}, source.Unreadable(rec.Line, r.header.Name(column), cell, err)
	}
	return at, nil
}

// Close implements [source.Rows].
func (r *nameRows) Close(*warehouse.Batch) (source.Summary, error) {
	return source.Summary{Totals: source.NewTotals()}, nil
}
