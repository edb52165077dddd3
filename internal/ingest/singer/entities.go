package singer

import (
	"strings"
	"time"

	"assay/internal/ingest/adstate"
	"assay/internal/ingest/document"
	"assay/internal/ingest/source"
	"assay/internal/measure"
	"assay/internal/warehouse"
)

// entities collects names, parents, statuses and budgets of campaigns, ad sets and ads.
type entities struct {
	words *source.Words
	loads map[shape]*load
}

func newEntities() *entities { return &entities{words: source.NewWords(), loads: map[shape]*load{}} }

// advertiser names the properties of a platform's streams of campaigns, ad sets and ads. The first level with an ID
// determines the level of a record.
type advertiser struct {
	source            string // source of the reader of the same platform's tables
	platform          measure.Platform
	account           []string
	levels            []entityLevel
	campaign, set     []string
	changed, statuses []string
	periods           []string
	budgets           []adstate.BudgetColumn
}

type entityLevel struct {
	level     measure.AdLevel
	signature []string // one of these properties identifies the level; nil: all remaining records
	id, name  []string
}

var advertisers = map[shape]*advertiser{
	metaEntities: newAdvertiser(advertiser{
		source: "facebook_names", platform: measure.Facebook, account: []string{"account_id"}, campaign: []string{"campaign_id"}, set: []string{"adset_id"},
		levels: []entityLevel{
			{measure.AdItself, []string{"adset_id"}, []string{"id"}, []string{"name"}},
			{measure.AdSet, []string{"campaign_id"}, []string{"id"}, []string{"name"}},
			{measure.AdCampaign, nil, []string{"id"}, []string{"name"}},
		},
	}),
	googleEntities: newAdvertiser(advertiser{
		source: "google_names", platform: measure.Google, account: []string{"customer_id"},
		levels: []entityLevel{{measure.AdCampaign, nil, []string{"id", "campaign_id"}, []string{"name", "campaign_name"}}},
	}),
	tiktokEntities: newAdvertiser(advertiser{
		source: "tiktok_names", platform: measure.TikTok, account: []string{"advertiser_id"}, campaign: []string{"campaign_id"}, set: []string{"adgroup_id"},
		levels: []entityLevel{
			{measure.AdItself, []string{"ad_id"}, []string{"ad_id"}, []string{"ad_name"}},
			{measure.AdSet, []string{"adgroup_id"}, []string{"adgroup_id"}, []string{"adgroup_name"}},
			{measure.AdCampaign, nil, []string{"campaign_id"}, []string{"campaign_name"}},
		},
	}),
}

// newAdvertiser adds the names of the properties with status, budget and time of change. The properties are named like
// the columns in connectors' tables.
func newAdvertiser(a advertiser) *advertiser {
	a.changed, a.statuses, a.periods = []string{"updated_time", "modify_time", "updated_at"}, members(adstate.Statuses), members(adstate.Periods)
	for _, column := range adstate.Budgets(a.platform) {
		column.Names = members(column.Names)
		a.budgets = append(a.budgets, column)
	}
	return &a
}

// members converts folded column names to names of properties.
func members(columns []string) []string {
	names := make([]string, len(columns))
	for i, column := range columns {
		names[i] = strings.NewReplacer(" ", "_", ".", "_").Replace(column)
	}
	return names
}

// add adds a campaign, an ad set or an ad. The state starts at the time of the record's change. If this time is
// unknown, the state starts at the time at which the tap read the record. Without either time, add stores only names.
// Its error is a [*source.RowError].
func (c *entities) add(s *stream, record *document.Object, extracted string, line int) error {
	a := advertisers[s.shape]
	cell := func(names []string) string { return c.words.Of(strings.TrimSpace(record.First(names...).Text())) }
	level := a.levels[len(a.levels)-1]
	for _, l := range a.levels {
		if l.signature != nil && cell(l.signature) != "" {
			level = l
			break
		}
	}
	state := measure.AdState{Platform: a.platform, Level: level.level, ID: cell(level.id), Name: cell(level.name), Account: cell(a.account), Told: cell(a.statuses)}
	if state.ID == "" {
		return &source.RowError{Line: line, Column: level.id[0], Reason: "is missing"}
	}
	name := warehouse.AdName{Platform: a.platform, Level: level.level, ID: state.ID, Name: state.Name}
	if level.level != measure.AdCampaign {
		name.Campaign = cell(a.campaign)
		state.Campaign = name.Campaign
	}
	if level.level == measure.AdItself {
		name.AdSet = cell(a.set)
	}
	state.Status = adstate.StatusOf(state.Told)
	var err error
	if state.Read, err = instantOf(extracted, "time_extracted", line); err != nil {
		return err
	}
	if state.Since, err = instantOf(cell(a.changed), a.changed[0], line); err != nil {
		return err
	}
	if state.Since.IsZero() {
		state.Since = state.Read
	}
	name.UpdatedAt = state.Since
	if state.Budget, err = a.budget(record, line); err != nil {
		return err
	}
	l := c.loads[s.shape]
	if l == nil {
		l = &load{source: a.source, what: "campaigns and ads"}
		c.loads[s.shape] = l
	}
	if state.Tells() {
		l.batch.AdStates = append(l.batch.AdStates, state)
	}
	if name.Name != "" || name.Campaign != "" || name.AdSet != "" {
		l.batch.AdNames = append(l.batch.AdNames, name)
	}
	return nil
}

func (a *advertiser) budget(record *document.Object, line int) (budget measure.AdBudget, err error) {
	for _, column := range a.budgets {
		value := record.First(column.Names...)
		if value == "" {
			continue
		}
		cell := value.Text()
		if budget, err = column.Read(cell, record.First(a.periods...).Text()); err != nil {
			return budget, source.Unreadable(line, column.Names[0], cell, err)
		}
		if budget.Per != measure.NoBudget {
			return budget, nil
		}
	}
	return budget, nil
}

func instantOf(cell, field string, line int) (time.Time, error) {
	if cell == "" {
		return time.Time{}, nil
	}
	at, err := source.ParseInstant(cell, source.UnknownOrder, time.UTC)
	if err != nil {
		return at, source.Unreadable(line, field, cell, err)
	}
	return at, nil
}

// take returns the facts that were added since the last call.
func (c *entities) take() []load {
	var all []load
	for _, s := range []shape{metaEntities, googleEntities, tiktokEntities} {
		if l := c.loads[s]; l != nil && l.batch.Len() > 0 {
			all = append(all, *l)
		}
		delete(c.loads, s)
	}
	return all
}
