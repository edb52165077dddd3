package mapper

import (
	"cmp"
	"crypto/sha256"
	"encoding/hex"
	"path"
	"regexp"
	"strconv"
	"strings"

	"assay/internal/civil"
	"assay/internal/ingest/source"
	"assay/internal/warehouse"
)

// The fields of surveys.
const (
	surveyID = iota
	surveyAt
	surveyQuestion
	surveyAnswer
	surveyDetail
	surveyOrder
	surveyOrderSource
	surveyChannel
	surveyCreator
)

var surveyForm = form{title: "post-purchase survey answers", columns: []source.Column{
	surveyID:          {Field: "id", Names: []string{"response id", "answer id", "id"}},
	surveyAt:          {Field: "at", Names: []string{"answered at", "submitted at", "created at", "date"}},
	surveyQuestion:    {Field: "question", Names: []string{"question", "question text"}},
	surveyAnswer:      {Field: "answer", Names: []string{"answer", "response", "response value"}},
	surveyDetail:      {Field: "detail", Names: []string{"detail", "other", "follow-up answer"}},
	surveyOrder:       {Field: "order", Names: []string{"order id", "order"}},
	surveyOrderSource: {Field: "order_source", Names: []string{"order system", "order source"}},
	surveyChannel:     {Field: "channel", Names: []string{"channel"}},
	surveyCreator:     {Field: "creator", Names: []string{"creator id"}},
}, required: []string{"at", "question", "answer"}, open: opening(newSurveyRows)}

// defaultOrderSystem is the source of the orders that answers refer to, unless the file names a source.
const defaultOrderSystem = "shopify"

// newSurveyRows reads survey answers. It removes personal data, such as email addresses, from the answers.
func newSurveyRows(b *binding) *factRows {
	copies := map[string]int{}
	var rows *factRows
	rows = newFactRows(b, func(r *row, into *warehouse.Batch) {
		answer := r.answer()
		if answer == "" {
			b.options.Notes.Add("answers_empty", "empty answers are skipped")
			return
		}
		s := warehouse.SurveyResponse{
			Source: b.origin(), At: r.time(surveyAt), Question: questionOf(r.needed(surveyQuestion)), Answer: answer, Creator: r.text(surveyCreator),
		}
		if r.fault != nil {
			return
		}
		s.Day = civil.DayOf(s.At, b.options.Zone)
		if order := path.Base("/" + r.text(surveyOrder)); order != "/" && order != "." { // gid://shopify/Order/5001 is 5001
			s.OrderRef = warehouse.OrderRef{Source: cmp.Or(strings.ToLower(r.text(surveyOrderSource)), defaultOrderSystem), Key: order}
		}
		if s.Channel = r.channel(r.cells, surveyChannel); s.Channel == "" && s.Question == discovery {
			s.Channel = channelOf(answer)
		}
		s.Key = r.text(surveyID)
		if s.Key == "" {
			s.Key = keyOf(s)
			copies[s.Key]++
			if n := copies[s.Key]; n > 1 && s.OrderRef.Key == "" {
				s.Key += "-" + strconv.Itoa(n)
			}
		}
		rows.totals.See(s.Day)
		into.Surveys = append(into.Surveys, s)
	}, nil)
	return rows
}

// answer returns the customer's choice, or the customer's own text if the choice is "other".
func (r *row) answer() string {
	text, detail := r.text(surveyAnswer), r.text(surveyDetail)
	switch folded := source.Fold(text); {
	case text == "", detail != "" && (folded == "other" || strings.HasPrefix(folded, "other ") || strings.HasPrefix(folded, "other:")):
		text = cmp.Or(detail, text)
	}
	return withoutPeople(text)
}

var (
	emailAddress = regexp.MustCompile(`[^\s@,;]+@[^\s@,;]+\.[^\s@,;]+`) // a handle, "@anna", is not an address
	phoneNumber  = regexp.MustCompile(`\+?\d[\d ().-]{7,}\d`)
)

// withoutPeople removes email addresses and phone numbers from a customer's text.
func withoutPeople(text string) string {
	text = emailAddress.ReplaceAllString(text, "(address)")
	return phoneNumber.ReplaceAllString(text, "(number)")
}

// keyOf derives a key from order and question, for an answer without its own key. Without an order, it uses question,
// answer and time.
func keyOf(s warehouse.SurveyResponse) string {
	text := s.OrderRef.Source + "\x00" + s.OrderRef.Key + "\x00" + s.Question
	if s.OrderRef.Key == "" {
		text = s.At.UTC().Format("2006-01-02T15:04:05") + "\x00" + s.Question + "\x00" + s.Answer
	}
	sum := sha256.Sum256([]byte(text))
	return hex.EncodeToString(sum[:8])
}
