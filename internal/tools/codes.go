package tools

import (
	"cmp"
	"slices"
)

// WarningCode identifies a kind of warning. Programs read it, so a code never changes.
type WarningCode string

// The kinds of warnings. Those of [ranked] come first in an answer; the others follow in the order in which they were added.
const (
	warnNoData            WarningCode = "no_data"
	warnNoTargets         WarningCode = "no_targets"
	warnModelStale        WarningCode = "model_stale"
	warnHold              WarningCode = "hold"
	warnBeyondData        WarningCode = "beyond_data"
	warnNoTouchpoints     WarningCode = "no_touchpoints"
	warnNoCreatives       WarningCode = "no_creatives"
	warnNoSurvey          WarningCode = "no_survey"
	warnMarginUnknown     WarningCode = "margin_unknown"
	warnNotProjected      WarningCode = "not_projected"
	warnValueNotProjected WarningCode = "value_not_projected"
	warnPlatformReported  WarningCode = "platform_reported"
	warnSurveyWeight      WarningCode = "survey_weight"
	warnLevelAssumed      WarningCode = "level_assumed"
	warnHaloNotEstimable  WarningCode = "halo_not_estimable"
	warnSeasonUnknown     WarningCode = "season_unknown"
	warnFalseAlarms       WarningCode = "false_alarms"
	warnNotForecast       WarningCode = "not_forecast"
	warnCorrelational     WarningCode = "correlational"
	warnConflictsUnknown  WarningCode = "conflicts_unknown"
	warnLowSample         WarningCode = "low_sample"
	warnLowResponse       WarningCode = "low_response"
	warnSinceSend         WarningCode = "since_send"
	warnUnequalLengths    WarningCode = "unequal_lengths"
	warnOverlap           WarningCode = "overlap"
	warnSpendUnknown      WarningCode = "spend_unknown"
	warnDataStart         WarningCode = "data_start"
	warnBooksYoung        WarningCode = "books_young"
	warnSample            WarningCode = "sample"
	warnPartialDay        WarningCode = "partial_day"
	warnUndatedRefunds    WarningCode = "undated_refunds"
	warnDataEnd           WarningCode = "data_end"
	warnSourceStale       WarningCode = "source_stale"
	warnProvisional       WarningCode = "provisional"
	warnNotJudged         WarningCode = "not_judged"
	warnPartlyJudged      WarningCode = "partly_judged"
	warnCodeOrders        WarningCode = "code_orders"
	warnCodesNotCleaned   WarningCode = "codes_not_cleaned"
	warnGrouped           WarningCode = "grouped"
	warnNoFactor          WarningCode = "no_factor"
	warnNotApplied        WarningCode = "not_applied"
	warnNotCovered        WarningCode = "not_covered"
	warnOldTest           WarningCode = "old_test"
	warnOpensInflated     WarningCode = "opens_inflated"
	warnRanking           WarningCode = "ranking"
	warnRunning           WarningCode = "running"
	warnTestContradicts   WarningCode = "test_contradicts"
	warnTrainingRefused   WarningCode = "training_refused"
)

// ranked lists kinds of warnings, those first without which the figures would be misread.
var ranked = []WarningCode{
	warnNoData,
	warnNoTargets,
	warnModelStale,
	warnHold,
	warnBeyondData,
	warnNoTouchpoints,
	warnNoCreatives,
	warnNoSurvey,
	warnMarginUnknown,
	warnNotProjected,
	warnValueNotProjected,
	warnPlatformReported,
	warnSurveyWeight,
	warnLevelAssumed,
	warnHaloNotEstimable,
	warnSeasonUnknown,
	warnFalseAlarms,
	warnNotForecast,
	warnCorrelational,
	warnConflictsUnknown,
	warnLowSample,
	warnLowResponse,
	warnSinceSend,
	warnUnequalLengths,
	warnOverlap,
	warnSpendUnknown,
	warnDataStart,
	warnBooksYoung,
	warnSample,
	warnPartialDay,
	warnUndatedRefunds,
	warnDataEnd,
	warnSourceStale,
	warnProvisional,
	warnNotJudged,
	warnPartlyJudged,
}

// byRank sorts warnings, the most important first. Those of one rank stay in their order.
func byRank(warnings []Warning) {
	rank := func(w Warning) int {
		if at := slices.Index(ranked, w.Code); at >= 0 {
			return at
		}
		return len(ranked)
	}
	slices.SortStableFunc(warnings, func(a, b Warning) int { return cmp.Compare(rank(a), rank(b)) })
}
