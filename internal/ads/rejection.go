package ads

import (
	"cmp"
	"errors"
	"fmt"
	"strings"
	"time"

	"assay/internal/fault"
	"assay/internal/measure"
)

// Reason is the reason why a platform rejects a request, or why this package rejects it before sending.
type Reason string

// The reasons. docs/platforms.md explains each.
const (
	WrongBudgetLevel    Reason = "wrong_budget_level"
	LifetimeBudget      Reason = "lifetime_budget"
	CustomPeriodBudget  Reason = "custom_period_budget"
	SharedBudget        Reason = "shared_budget"
	OtherBudget         Reason = "other_budget"
	BelowMinimum        Reason = "below_minimum"
	AboveMaximum        Reason = "above_maximum"
	NotBillable         Reason = "not_a_billable_unit"
	WrongCurrency       Reason = "wrong_currency"
	CurrencyUnsupported Reason = "currency_unsupported"
	CampaignEnded       Reason = "archived_or_removed"
	StatusUnsupported   Reason = "status_unsupported"
	SmartPlusCampaign   Reason = "smart_plus_campaign"
	GMVMaxCampaign      Reason = "gmv_max_campaign"
	ExperimentCampaign  Reason = "experiment_campaign"
	CampaignNotFound    Reason = "campaign_not_found"
	ChangedMeanwhile    Reason = "changed_meanwhile"
	RateLimited         Reason = "rate_limited"
	TokenExpired        Reason = "token_expired"
	CredentialsRejected Reason = "credentials_rejected"
	PermissionMissing   Reason = "permission_missing"
	PolicyBlocked       Reason = "policy_blocked"
	VersionRetired      Reason = "version_retired"
	InvalidRequest      Reason = "invalid_request"
	Unavailable         Reason = "unavailable"
	NoReply             Reason = "no_reply"
	UnexpectedReply     Reason = "unexpected_reply"
)

// advice contains the text that callers read for each reason. The verb %s is replaced by the platform's name.
var advice = map[Reason]struct {
	kind       fault.Kind
	text, hint string
}{
	WrongBudgetLevel: {
		fault.KindConflict, "The campaign has no budget of its own; its ad sets have budgets.",
		"Change the ad sets' budgets on %s, or turn on the campaign budget there.",
	},
	LifetimeBudget: {
		fault.KindConflict, "The campaign has a lifetime budget.",
		"Assay changes only daily budgets. Change the lifetime budget on %s.",
	},
	CustomPeriodBudget: {
		fault.KindConflict, "The budget applies to a custom period.",
		"Assay changes only daily budgets. Change the budget on %s.",
	},
	SharedBudget: {
		fault.KindConflict, "The budget is shared by several campaigns.",
		"To change it for all of them, name the budget in platform_resource_ids.googleCampaignBudgetResourceName.",
	},
	OtherBudget: {
		fault.KindConflict, "The campaign does not use the named budget.",
		"Correct googleCampaignBudgetResourceName or omit it.",
	},
	BelowMinimum: {
		fault.KindInvalid, "The daily budget is below the minimum of %s.",
		"Use a higher daily budget. To stop the spend, pause the campaign.",
	},
	AboveMaximum: {
		fault.KindInvalid, "The daily budget is above the maximum of %s.",
		"Use a lower daily budget, or raise the account's maximum on the platform.",
	},
	NotBillable: {
		fault.KindInvalid, "The daily budget is not a multiple of the billable unit.",
		"Round the budget to the smallest unit that %s bills in this currency.",
	},
	WrongCurrency: {
		fault.KindInvalid, "The amount and the ad account have different currencies.",
		"Use the currency of the ad account.",
	},
	CurrencyUnsupported: {
		fault.KindInvalid, "The currency of the ad account is not in the published currency list of %s.",
		"The budget unit of this currency is unknown. Change the budget on %s.",
	},
	CampaignEnded: {
		fault.KindConflict, "The campaign is archived or removed.",
		"An archived or removed campaign cannot be changed. Choose another campaign or create one on %s.",
	},
	StatusUnsupported: {
		fault.KindConflict, "The status of the campaign is not supported.",
		"Change the campaign on %s.",
	},
	SmartPlusCampaign: {
		fault.KindConflict, "This is a Smart+ campaign, which TikTok manages.",
		"Change the campaign in TikTok Ads Manager.",
	},
	GMVMaxCampaign: {
		fault.KindConflict, "This is a GMV Max campaign, which TikTok manages.",
		"Change the campaign in TikTok Ads Manager or Seller Center.",
	},
	ExperimentCampaign: {
		fault.KindConflict, "The campaign belongs to an experiment on %s.",
		"End the experiment on %s first, or change its base campaign there.",
	},
	CampaignNotFound: {
		fault.KindNotFound, "The campaign is not in the connected account.",
		"Check the campaign ID and the account. If the campaign belongs to another account, connect that account.",
	},
	ChangedMeanwhile: {
		fault.KindConflict, "Someone else changed the campaign at the same time.",
		"Request a new preview and decide again.",
	},
	RateLimited: {
		fault.KindRateLimited, "The rate limit of %s is exceeded.",
		"Try again later.",
	},
	TokenExpired: {
		fault.KindMisconfigured, "The credential for %s has expired or was revoked.",
		"Create a new token on the platform and add the connection again: assay connections add.",
	},
	CredentialsRejected: {
		fault.KindMisconfigured, "%s rejects the credentials.",
		"Check the client ID, secrets and account IDs, then add the connection again: assay connections add.",
	},
	PermissionMissing: {
		fault.KindMisconfigured, "The credential for %s lacks a permission.",
		"Grant the permission on the platform (docs/platforms.md lists them), then test the connection.",
	},
	PolicyBlocked: {
		fault.KindForbidden, "%s blocks the action for policy reasons.",
		"Do not repeat the action. Resolve the block in the ads manager of the platform.",
	},
	VersionRetired: {
		fault.KindUnavailable, "%s no longer accepts the API version that this Assay release uses.",
		"Update Assay. If this is the newest release, check the endpoint setting and report the problem to the Assay project.",
	},
	InvalidRequest: {
		fault.KindInvalid, "%s rejects the request.",
		"Read the platform's message and correct the value, or make the change on the platform.",
	},
	Unavailable: {
		fault.KindUnavailable, "%s is not available.",
		"Try again in a few minutes. If the problem persists, check the network and the endpoint setting.",
	},
	NoReply: {
		fault.KindUnavailable, "%s did not answer in time.",
		"Try again in a few minutes.",
	},
	UnexpectedReply: {
		fault.KindUnavailable, "The response of %s does not match its API documentation.",
		"Check the endpoint setting and the proxies. Try again later.",
	},
}

// Rejection is a request that was not executed, or a reply that cannot be used. Its texts contain no secret.
type Rejection struct { //nolint:errname // callers handle it as a value with a reason
	Platform  measure.Platform
	Reason    Reason
	Text      string        // description of the problem, a plain sentence
	Hint      string        // what to do next
	Wait      time.Duration // for RateLimited: time until the next attempt can succeed; 0: unknown
	Code      string        // the platform's own code, such as "100/1885272"
	Said      string        // the platform's own message, cleaned
	RequestID string        // the platform's ID of the request
	cause     error
}

// Reject returns a rejection. If the format is empty, the text is the reason's default text.
func Reject(p measure.Platform, r Reason, format string, args ...any) *Rejection {
	a := advice[r]
	text := fmt.Sprintf(format, args...)
	return &Rejection{Platform: p, Reason: r, Text: cmp.Or(text, name(a.text, p)), Hint: name(a.hint, p)}
}

func name(text string, p measure.Platform) string {
	return strings.ReplaceAll(text, "%s", DisplayName(p))
}

// Because returns the rejection with its cause, which is logged and not shown.
func (r *Rejection) Because(err error) *Rejection {
	with := *r
	with.cause = err
	return &with
}

// Error returns the text with the platform's own message and code.
func (r *Rejection) Error() string {
	text := r.Text
	if r.Wait > 0 {
		text += fmt.Sprintf(" The wait is %s.", r.Wait.Round(time.Second))
	}
	if r.Said != "" {
		text += fmt.Sprintf(" %s says: %q.", DisplayName(r.Platform), r.Said)
	}
	var ids []string
	if r.Code != "" {
		ids = append(ids, "code "+r.Code)
	}
	if r.RequestID != "" {
		ids = append(ids, "request "+r.RequestID)
	}
	if len(ids) > 0 {
		text += " (" + strings.Join(ids, ", ") + ")"
	}
	return text
}

// Unwrap returns the rejection as a fault with its kind, text and hint.
func (r *Rejection) Unwrap() error {
	f := fault.New(advice[r.Reason].kind, "%s", r.Error()).WithHint("%s", r.Hint)
	if r.cause == nil {
		return f
	}
	return f.Wrap(r.cause)
}

// ReasonOf returns the reason of a [Rejection], and "" for other errors.
func ReasonOf(err error) Reason {
	if r, ok := errors.AsType[*Rejection](err); ok {
		return r.Reason
	}
	return ""
}

// Persistent returns the error of an optional read if the following required reads would fail too. It returns nil for
// other errors, such as the error for a field that the platform does not offer to the account.
func Persistent(err error) error {
	switch ReasonOf(err) {
	case TokenExpired, CredentialsRejected, RateLimited, NoReply, Unavailable, VersionRetired:
		return err
	default:
		return nil
	}
}

// AsRejection returns the error as a rejection, or nil if there is no error.
func AsRejection(p measure.Platform, err error) *Rejection {
	if err == nil {
		return nil
	}
	if r, ok := errors.AsType[*Rejection](err); ok {
		return r
	}
	return Reject(p, InvalidRequest, "").Because(err)
}

// Refuse returns the outcome of a change that was not executed because of the error.
func Refuse(p measure.Platform, err error) Outcome {
	r := AsRejection(p, err)
	return Outcome{Result: Refused, Rejection: r, RequestID: r.RequestID}
}
