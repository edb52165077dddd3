package ads

import (
	"context"
	"errors"
	"go/ast"
	"go/parser"
	"go/token"
	"os"
	"strings"
	"testing"
	"time"
	"unicode"
	"unicode/utf8"

	"assay/internal/fault"
	"assay/internal/measure"
	"assay/internal/money"
)

// declaredReasons returns the values of the constants of type Reason.
func declaredReasons(t *testing.T) []Reason {
	t.Helper()
	file, err := parser.ParseFile(token.NewFileSet(), "rejection.go", nil, 0)
	if err != nil {
		t.Fatal(err)
	}
	var found []Reason
	ast.Inspect(file, func(n ast.Node) bool {
		if spec, ok := n.(*ast.ValueSpec); ok {
			if of, ok := spec.Type.(*ast.Ident); ok && of.Name == "Reason" {
				found = append(found, Reason(strings.Trim(spec.Values[0].(*ast.BasicLit).Value, `"`)))
			}
		}
		return true
	})
	return found
}

func TestEveryReasonHasASentenceAndAdvice(t *testing.T) {
	t.Parallel()
	reasons := declaredReasons(t)
	if len(reasons) < 25 || len(reasons) != len(advice) {
		t.Errorf("%d reasons and %d entries of advice, want the same number", len(reasons), len(advice))
	}
	document, err := os.ReadFile("../../docs/platforms.md")
	if err != nil {
		t.Fatal(err)
	}
	for _, reason := range reasons {
		r := Reject(measure.TikTok, reason, "")
		text, hint, ok := fault.Public(r)
		if !ok || !strings.HasSuffix(text, ".") || !strings.HasSuffix(hint, ".") || strings.Contains(text+hint, "%") {
			t.Errorf("%s: text %q and hint %q, want two sentences", reason, text, hint)
		}
		if !strings.Contains(string(document), "`"+string(reason)+"`") {
			t.Errorf("docs/platforms.md does not explain %s", reason)
		}
	}
}

func TestRejectionShowsWhatThePlatformSays(t *testing.T) {
	t.Parallel()
	cause := errors.New("dial tcp 10.0.0.1: refused")
	r := Reject(measure.Facebook, RateLimited, "").Because(cause)
	r.Wait, r.Said, r.Code, r.RequestID = 90*time.Second, `Too many "calls"`, "613/1487632", "AbC"
	text, hint, _ := fault.Public(r)
	want := `The rate limit of Meta is exceeded. The wait is 1m30s. Meta says: "Too many \"calls\"". (code 613/1487632, request AbC)`
	if text != want || hint != "Try again later." {
		t.Errorf("Public = %q, %q; want %q", text, hint, want)
	}
	if !errors.Is(r, cause) || fault.KindOf(r) != fault.KindRateLimited || ReasonOf(r) != RateLimited {
		t.Errorf("kind %s, reason %s, want the cause, the kind and the reason", fault.KindOf(r), ReasonOf(r))
	}
	coded := Reject(measure.TikTok, Unavailable, "")
	if coded.Code = "50000"; coded.Error() != "TikTok is not available. (code 50000)" {
		t.Errorf("Error = %q, want the code alone", coded.Error())
	}
	if ReasonOf(cause) != "" || ReasonOf(nil) != "" || AsRejection(measure.Facebook, nil) != nil {
		t.Error("an error that is not a rejection has a reason")
	}
	if got := AsRejection(measure.Facebook, cause); got.Reason != InvalidRequest ||
		strings.Contains(got.Error(), "10.0.0.1") {
		t.Errorf("AsRejection = %v, want the reason %s without the cause", got, InvalidRequest)
	}
}

func TestSharedBudgetNeedsItsName(t *testing.T) {
	t.Parallel()
	usd := func(minor int64) money.Amount { return money.Amount{Minor: minor, Currency: "USD"} }
	s := State{Status: Active, Currency: "USD", Budget: Budget{
		Level: CampaignLevel, Period: Daily, Amount: usd(5000), Step: usd(5), Resource: "customers/1/campaignBudgets/2",
		Shared: true,
	}}
	for i := range 7 {
		s.Budget.Feeds = append(s.Budget.Feeds, Campaign{ID: CampaignID(rune('1' + i)), Name: "C"})
	}
	c := Change{Action: SetDailyBudget, Amount: usd(6000)}
	if err := s.Check(c); ReasonOf(err) != SharedBudget || !strings.Contains(err.Error(), "C (5), 2 more") {
		t.Errorf("Check = %v, want %s with five campaigns and the number of others", err, SharedBudget)
	}
	c.BudgetResource = s.Budget.Resource
	if err := s.Check(c); err != nil {
		t.Errorf("a named shared budget is rejected: %v", err)
	}
	c.Amount = usd(6001)
	if err := s.Check(c); ReasonOf(err) != NotBillable {
		t.Errorf("Check(60.01 with a step of 0.05) = %v, want %s", err, NotBillable)
	}
	for _, a := range []Action{Pause, Resume} {
		if err := s.Check(Change{Action: a}); err != nil {
			t.Errorf("%s of a campaign with a shared budget: %v", a, err)
		}
	}
}

func TestEndpointsNeedHTTPSExceptOnLoopback(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]string{
		"https://graph.facebook.com": "https://graph.facebook.com", "https://host:8443/": "https://host:8443",
		"http://127.0.0.1:9000": "http://127.0.0.1:9000", "http://localhost:1": "http://localhost:1",
		"http://[::1]:5/":  "http://[::1]:5",
		"http://127.9.9.9": "http://127.9.9.9",
	} {
		if got, err := ParseEndpoint(text); err != nil || got.String() != want {
			t.Errorf("ParseEndpoint(%q) = %q, %v; want %q", text, got, err, want)
		}
	}
	for _, text := range []string{
		"", "graph.facebook.com", "http://graph.facebook.com", "http://127.0.0.1.evil.example",
		"http://localhost.evil.example", "ftp://127.0.0.1",
		"https://user:pass@host", "https://user:pass@ho st", "user:pass@host", "https://host/v1", "https://host?x=1",
		"https://host/#a", "https://host?", "https://", "http://0.0.0.0", "//host",
		"https://host\n", "http://10.0.0.1", "file:///etc/passwd", "https://:443",
	} {
		got, err := ParseEndpoint(text)
		if fault.KindOf(err) != fault.KindInvalid {
			t.Errorf("ParseEndpoint(%q) = %q, %v; want an invalid URL", text, got, err)
		}
		if err != nil && strings.Contains(err.Error(), "pass@") {
			t.Errorf("%v shows the password", err)
		}
	}
}

func TestCleanTextIsOneVisibleLine(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]string{
		"": "", "  a  b\t\r\nc ": "a b c", "\x1b[31mred\x00": "[31mred", "a\u202eb\u200b": "ab", "\xff\xfea": "a",
		"12345678901": "1234567890…",
		"1234567890":  "1234567890", "123456789 0": "123456789…", "é é": "é é", "line\u2028break": "line break",
	} {
		if got := Clean(text, 10); got != want {
			t.Errorf("Clean(%q) = %q, want %q", text, got, want)
		}
	}
}

func FuzzClean(f *testing.F) {
	f.Add("  a  b\x00", 3)
	f.Fuzz(func(t *testing.T, text string, most int) {
		most = min(max(most, 1), 1000)
		got := Clean(text, most)
		if !utf8.ValidString(got) || utf8.RuneCountInString(got) > most+2 || strings.ContainsFunc(got, unicode.IsControl) ||
			got != strings.TrimSpace(got) {
			t.Errorf("Clean(%q, %d) = %q", text, most, got)
		}
	})
}

func TestRealClockEndsWaits(t *testing.T) {
	t.Parallel()
	clock := RealClock(time.Now)
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if err := clock.Sleep(ctx, time.Hour); !errors.Is(err, context.Canceled) {
		t.Errorf("Sleep = %v, want the cancellation", err)
	}
	if err := clock.Sleep(t.Context(), time.Nanosecond); err != nil || clock.Now().IsZero() {
		t.Errorf("Sleep = %v", err)
	}
	limited, stop := clock.WithTimeout(t.Context(), 0)
	defer stop()
	<-limited.Done()
	if !errors.Is(context.Cause(limited), context.DeadlineExceeded) {
		t.Errorf("cause %v, want the deadline", context.Cause(limited))
	}
}

func TestChecksNameTheFirstObstacle(t *testing.T) {
	t.Parallel()
	usd := func(minor int64) money.Amount { return money.Amount{Minor: minor, Currency: "USD"} }
	possible := State{Status: Active, Currency: "USD", PlatformStatus: "ACTIVE", Budget: Budget{
		Level: CampaignLevel, Period: Daily, Amount: usd(5000), Minimum: usd(100), Step: usd(5),
	}}
	for _, c := range []struct {
		name   string
		edit   func(*State)
		amount money.Amount
		budget Reason // reason for a budget change
		status Reason // reason for a pause
	}{
		{"possible", func(*State) {}, usd(6000), "", ""},
		{"at the minimum", func(*State) {}, usd(100), "", ""},
		{"below the minimum", func(*State) {}, usd(95), BelowMinimum, ""},
		{"no published minimum", func(s *State) { s.Budget.Minimum = money.Amount{} }, usd(5), "", ""},
		{"negative", func(s *State) { s.Budget.Minimum = money.Amount{} }, usd(-5), BelowMinimum, ""},
		{"between steps", func(*State) {}, usd(6004), NotBillable, ""},
		{"no published step", func(s *State) { s.Budget.Step = money.Amount{} }, usd(6004), "", ""},
		{"no currency", func(*State) {}, money.Amount{Minor: 6000}, WrongCurrency, ""},
		{"inexact", func(s *State) { s.Budget.Inexact = true }, usd(6000), NotBillable, ""},
		{"paused", func(s *State) { s.Status = Paused }, usd(6000), "", ""},
		{"archived", func(s *State) { s.Status = Archived }, usd(6000), CampaignEnded, CampaignEnded},
		{"removed", func(s *State) { s.Status = Removed }, usd(6000), CampaignEnded, CampaignEnded},
		{"unknown status", func(s *State) { s.Status = UnknownStatus }, usd(6000), StatusUnsupported, StatusUnsupported},
		{"Smart+", func(s *State) { s.Kind = SmartPlus }, usd(6000), SmartPlusCampaign, SmartPlusCampaign},
		{"GMV Max", func(s *State) { s.Kind = GMVMax }, usd(6000), GMVMaxCampaign, GMVMaxCampaign},
		{"experiment", func(s *State) { s.Kind = Experiment }, usd(6000), ExperimentCampaign, ExperimentCampaign},
		{"ad sets", func(s *State) { s.Budget = Budget{Level: ChildLevel} }, usd(6000), WrongBudgetLevel, ""},
		{"no budget", func(s *State) { s.Budget = Budget{} }, usd(6000), WrongBudgetLevel, ""},
		{"lifetime", func(s *State) { s.Budget.Period = Lifetime }, usd(6000), LifetimeBudget, ""},
		{"custom period", func(s *State) { s.Budget.Period = Custom }, usd(6000), CustomPeriodBudget, ""},
		{"other period", func(s *State) { s.Budget.Period = "" }, usd(6000), LifetimeBudget, ""},
		{"shared", func(s *State) { s.Budget.Shared = true }, usd(6000), SharedBudget, ""},
	} {
		s := possible
		c.edit(&s)
		if err := s.Check(Change{Action: SetDailyBudget, Amount: c.amount}); ReasonOf(err) != c.budget {
			t.Errorf("%s: budget change: %v, want %q", c.name, err, c.budget)
		}
		if err := s.Check(Change{}); err == nil {
			t.Errorf("%s: a change without an action is possible", c.name)
		}
		for _, a := range []Action{Pause, Resume} {
			if err := s.Check(Change{Action: a}); ReasonOf(err) != c.status {
				t.Errorf("%s: %s: %v, want %q", c.name, a, err, c.status)
			}
		}
	}
}

func TestValuesOfChangesAreComparable(t *testing.T) {
	t.Parallel()
	amount := money.Amount{Minor: 5000, Currency: "USD"}
	s := State{Status: Paused, Budget: Budget{Amount: amount}}
	for _, c := range []struct {
		change Change
		equal  bool
	}{
		{Change{Action: SetDailyBudget, Amount: amount}, true},
		{Change{Action: SetDailyBudget, Amount: money.Amount{Minor: 5000, Currency: "EUR"}}, false},
		{Change{Action: Pause}, true},
		{Change{Action: Resume}, false},
	} {
		if got := s.Value(c.change.Action) == c.change.Want(); got != c.equal {
			t.Errorf("%+v equals the live value %+v: %v, want %v", c.change, s.Value(c.change.Action), got, c.equal)
		}
	}
}
