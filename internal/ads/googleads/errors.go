package googleads

import (
	"cmp"
	"fmt"
	"maps"
	"net/http"
	"slices"
	"strings"
	"time"

	"assay/internal/ads"
	"assay/internal/ads/wire"
	"assay/internal/money"
)

// status is the error envelope, a google.rpc.Status.
type status struct {
	Code    wire.Int `json:"code"`
	Message string   `json:"message"`
	Status  string   `json:"status"`
	Details []struct {
		Type      string    `json:"@type"`
		Errors    []failure `json:"errors"`
		RequestID string    `json:"requestId"`
	} `json:"details"`
}

// failure is an error of a GoogleAdsFailure.
type failure struct {
	Code    map[string]string `json:"errorCode"`
	Message string            `json:"message"`
	Details struct {
		Quota struct {
			RetryDelay string `json:"retryDelay"`
		} `json:"quotaErrorDetails"`
		Minimum struct {
			Currency string   `json:"currencyCode"`
			Micros   wire.Int `json:"budgetPerDayMinimumMicros"`
		} `json:"budgetPerDayMinimumErrorDetails"`
	} `json:"details"`
}

// judge returns the verdict on a reply. It removes the token from the texts of the reply.
func (c *Client) judge(r wire.Reply, t token, success func([]byte) error) wire.Verdict {
	var envelope struct {
		Error   *status `json:"error"`
		Partial *status `json:"partialFailureError"`
	}
	readable := wire.Decode(r.Body, &envelope) == nil
	switch {
	case readable && envelope.Error != nil:
		return c.explain(r, envelope.Error, t)
	case readable && envelope.Partial != nil:
		return c.explain(r, envelope.Partial, t)
	case r.Status == http.StatusNotFound:
		return wire.Verdict{Rejection: c.said(c.wire.Reject(ads.VersionRetired, ""), t, "HTTP 404", "", "")}
	case r.Status == http.StatusUnauthorized:
		return wire.Verdict{Rejection: c.said(c.wire.Reject(ads.TokenExpired, ""), t, "HTTP 401", "", "")}
	case r.Status != http.StatusOK:
		return c.wire.Status(r)
	}
	if err := success(r.Body); err != nil {
		return c.wire.Unreadable(err)
	}
	return wire.Verdict{}
}

func (c *Client) said(r *ads.Rejection, t token, code, message, requestID string) *ads.Rejection {
	return c.wire.Said(r, ads.Redact(code, t.text), ads.Redact(message, t.text), ads.Redact(requestID, t.text))
}

// first returns the first error with a code, as "category: value", and the ID of the request.
func (s *status) first() (code string, f failure, requestID string) {
	for _, d := range s.Details {
		requestID = cmp.Or(requestID, d.RequestID)
		for _, e := range d.Errors {
			for _, category := range slices.Sorted(maps.Keys(e.Code)) {
				return category + ": " + e.Code[category], e, requestID
			}
		}
	}
	return "", failure{}, requestID
}

// reasons maps the values of error codes to reasons. Values are unique across the categories that are used here.
var reasons = map[string]ads.Reason{
	"NON_MULTIPLE_OF_MINIMUM_CURRENCY_UNIT":                ads.NotBillable,
	"BUDGET_BELOW_PER_DAY_MINIMUM":                         ads.BelowMinimum,
	"MONEY_AMOUNT_LESS_THAN_CURRENCY_MINIMUM_CPC":          ads.BelowMinimum,
	"NEGATIVE_MONEY_AMOUNT":                                ads.BelowMinimum,
	"MONEY_AMOUNT_TOO_LARGE":                               ads.AboveMaximum,
	"MONEY_AMOUNT_IN_WRONG_CURRENCY":                       ads.WrongCurrency,
	"BUDGET_AMOUNT_MUST_BE_UNSET_FOR_CUSTOM_BUDGET_PERIOD": ads.CustomPeriodBudget,

	"CANNOT_MODIFY_FIELD_OF_IMPLICITLY_SHARED_CAMPAIGN_BUDGET": ads.SharedBudget,

	"CAMPAIGN_BUDGET_REMOVED":                      ads.CampaignEnded,
	"OPERATION_NOT_PERMITTED_FOR_REMOVED_RESOURCE": ads.CampaignEnded,

	"CANNOT_CHANGE_BUDGET_ON_CAMPAIGN_WITH_TRIALS": ads.ExperimentCampaign,
	"CANNOT_MODIFY_FOR_TRIAL_CAMPAIGN":             ads.ExperimentCampaign,

	"RESOURCE_NOT_FOUND":      ads.CampaignNotFound,
	"CONCURRENT_MODIFICATION": ads.ChangedMeanwhile,

	"EU_POLITICAL_ADVERTISING_DECLARATION_REQUIRED": ads.PolicyBlocked,

	"USER_PERMISSION_DENIED":                                    ads.PermissionMissing,
	"CUSTOMER_NOT_ENABLED":                                      ads.PermissionMissing,
	"MUTATE_NOT_PERMITTED_FOR_CUSTOMER":                         ads.PermissionMissing,
	"RESOURCE_READ_ONLY":                                        ads.PermissionMissing,
	"CLOUD_PROJECT_NOT_APPROVED_FOR_PRODUCTION":                 ads.PermissionMissing,
	"DEVELOPER_TOKEN_NOT_APPROVED":                              ads.PermissionMissing,
	"ACCESS_PROHIBITED":                                         ads.PermissionMissing,
	"INVALID_LOGIN_CUSTOMER_ID_SERVING_CUSTOMER_ID_COMBINATION": ads.CredentialsRejected,
	"CUSTOMER_NOT_FOUND":                                        ads.CredentialsRejected,
	"INVALID_CUSTOMER_ID":                                       ads.CredentialsRejected,
	"TWO_STEP_VERIFICATION_NOT_ENROLLED":                        ads.CredentialsRejected,
	"OAUTH_TOKEN_EXPIRED":                                       ads.TokenExpired,
	"OAUTH_TOKEN_REVOKED":                                       ads.TokenExpired,
	"OAUTH_TOKEN_INVALID":                                       ads.TokenExpired,
	"UNSUPPORTED_VERSION":                                       ads.VersionRetired,
	"RESOURCE_EXHAUSTED":                                        ads.RateLimited,
	"RESOURCE_TEMPORARILY_EXHAUSTED":                            ads.RateLimited,
	"POLICY_VIOLATION_ERROR":                                    ads.PolicyBlocked,
	"TRANSIENT_ERROR":                                           ads.Unavailable,
	"INTERNAL_ERROR":                                            ads.Unavailable,
	"RPC_DEADLINE_TOO_SHORT":                                    ads.Unavailable,
	"DEADLINE_EXCEEDED":                                         ads.Unavailable,
}

// internal lists the codes of google.rpc.Code for failures inside Google: UNKNOWN, DEADLINE_EXCEEDED, INTERNAL and
// UNAVAILABLE. A partialFailureError contains codes of google.rpc.Code.
var internal = []wire.Int{2, 4, 13, 14}

// byStatus maps the HTTP status of errors without a known code to reasons.
var byStatus = map[int]ads.Reason{
	http.StatusUnauthorized:    ads.TokenExpired,
	http.StatusForbidden:       ads.PermissionMissing,
	http.StatusTooManyRequests: ads.RateLimited,
	http.StatusConflict:        ads.ChangedMeanwhile,
}

func (c *Client) explain(r wire.Reply, s *status, t token) wire.Verdict {
	code, f, requestID := s.first()
	_, value, _ := strings.Cut(code, ": ")
	reason, known := reasons[value]
	httpStatus := cmp.Or(int(s.Code), r.Status)
	switch {
	case known:
	case httpStatus >= 500 || r.Status >= 500 || slices.Contains(internal, s.Code):
		reason = ads.Unavailable
	case byStatus[r.Status] != "":
		reason = byStatus[r.Status]
	case r.Status == http.StatusNotFound && value == "":
		reason = ads.VersionRetired
	default:
		reason = ads.InvalidRequest
	}
	rejection := c.wire.Reject(reason, "%s", below(f))
	v := wire.Verdict{Rejection: rejection}
	switch reason {
	case ads.RateLimited:
		v.Retry = true
		rejection.Wait = max(c.wire.RetryAfter(r.Header), retryDelay(f))
	case ads.Unavailable:
		v.Retry, v.Unsure = true, true
	default:
	}
	v.Rejection = c.said(rejection, t, cmp.Or(code, s.Status), cmp.Or(f.Message, s.Message),
		cmp.Or(requestID, r.Header.Get("Request-Id")))
	return v
}

// below returns a sentence with the minimum amount from Google's error about an amount that is too low.
func below(f failure) string {
	currency, err := money.ParseCurrency(f.Details.Minimum.Currency)
	minimum, exact := Micros(f.Details.Minimum.Micros).Amount(currency)
	if err != nil || !exact || minimum.Minor <= 0 {
		return ""
	}
	return fmt.Sprintf("The daily budget is below the minimum of %s.", minimum)
}

func retryDelay(f failure) time.Duration {
	delay, err := time.ParseDuration(f.Details.Quota.RetryDelay)
	if err != nil {
		return 0
	}
	return wire.Bounded(delay)
}
