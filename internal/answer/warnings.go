package answer

import (
	"cmp"
	"slices"
)

// WarningCode identifies a kind of warning. Programs read it, so a code never changes.
type WarningCode string

// The kinds of warnings. An answer lists the kinds in [ranked] first; the others follow in the order in which they were
// added.
const (
	WarnNoData            WarningCode = "no_data"
	WarnNoTargets         WarningCode = "no_targets"
	WarnModelStale        WarningCode = "model_stale"
	WarnLosesMoney        WarningCode = "loses_money"
	WarnHold              WarningCode = "hold"
	WarnBeyondData        WarningCode = "beyond_data"
	WarnNoTouchpoints     WarningCode = "no_touchpoints"
	WarnNoCreatives       WarningCode = "no_creatives"
	WarnNoSurvey          WarningCode = "no_survey"
	WarnMarginUnknown     WarningCode = "margin_unknown"
	WarnNotProjected      WarningCode = "not_projected"
	WarnValueNotProjected WarningCode = "value_not_projected"
	WarnPlatformReported  WarningCode = "platform_reported"
	WarnSurveyWeight      WarningCode = "survey_weight"
	WarnLevelAssumed      WarningCode = "level_assumed"
	WarnHaloNotEstimable  WarningCode = "halo_not_estimable"
	WarnSeasonUnknown     WarningCode = "season_unknown"
	WarnFalseAlarms       WarningCode = "false_alarms"
	WarnNotForecast       WarningCode = "not_forecast"
	WarnCorrelational     WarningCode = "correlational"
	WarnConflictsUnknown  WarningCode = "conflicts_unknown"
	WarnLowSample         WarningCode = "low_sample"
	WarnLowResponse       WarningCode = "low_response"
	WarnSinceSend         WarningCode = "since_send"
	WarnUnequalLengths    WarningCode = "unequal_lengths"
	WarnOverlap           WarningCode = "overlap"
	WarnSpendUnknown      WarningCode = "spend_unknown"
	WarnDataStart         WarningCode = "data_start"
	WarnBooksYoung        WarningCode = "books_young"
	WarnSample            WarningCode = "sample"
	WarnPartialDay        WarningCode = "partial_day"
	WarnUndatedRefunds    WarningCode = "undated_refunds"
	WarnDataEnd           WarningCode = "data_end"
	WarnSourceStale       WarningCode = "source_stale"
	WarnProvisional       WarningCode = "provisional"
	WarnNotJudged         WarningCode = "not_judged"
	WarnPartlyJudged      WarningCode = "partly_judged"
	WarnCodeOrders        WarningCode = "code_orders"
	WarnCodesNotCleaned   WarningCode = "codes_not_cleaned"
	WarnGrouped           WarningCode = "grouped"
	WarnNoFactor          WarningCode = "no_factor"
	WarnNotApplied        WarningCode = "not_applied"
	WarnNotCovered        WarningCode = "not_covered"
	WarnOldTest           WarningCode = "old_test"
	WarnInconclusive      WarningCode = "inconclusive"
	WarnOpensInflated     WarningCode = "opens_inflated"
	WarnRanking           WarningCode = "ranking"
	WarnRunning           WarningCode = "running"
	WarnTestContradicts   WarningCode = "test_contradicts"
	WarnTrainingRefused   WarningCode = "training_refused"
)

// ranked lists kinds of warnings, most important first.
var ranked = []WarningCode{
	WarnNoData,
	WarnNoTargets,
	WarnModelStale,
	WarnLosesMoney,
	WarnHold,
	WarnBeyondData,
	WarnNoTouchpoints,
	WarnNoCreatives,
	WarnNoSurvey,
	WarnMarginUnknown,
	WarnNotProjected,
	WarnValueNotProjected,
	WarnPlatformReported,
	WarnSurveyWeight,
	WarnLevelAssumed,
	WarnHaloNotEstimable,
	WarnSeasonUnknown,
	WarnFalseAlarms,
	WarnNotForecast,
	WarnCorrelational,
	WarnConflictsUnknown,
	WarnLowSample,
	WarnLowResponse,
	WarnSinceSend,
	WarnUnequalLengths,
	WarnOverlap,
	WarnSpendUnknown,
	WarnDataStart,
	WarnBooksYoung,
	WarnSample,
	WarnPartialDay,
	WarnUndatedRefunds,
	WarnDataEnd,
	WarnSourceStale,
	WarnProvisional,
	WarnNotJudged,
	WarnPartlyJudged,
}

// byRank sorts warnings, most important first. The sort is stable.
func byRank(warnings []Warning) {
	rank := func(w Warning) int {
		if at := slices.Index(ranked, w.Code); at >= 0 {
			return at
		}
		return len(ranked)
	}
	slices.SortStableFunc(warnings, func(a, b Warning) int { return cmp.Compare(rank(a), rank(b)) })
}
