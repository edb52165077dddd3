// Package languagemodel asks a language model behind an OpenAI-compatible endpoint to choose tools for a question.
package languagemodel

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"strings"
	"time"
)

// Options select the model.
type Options struct {
	URL   string // base URL of the API, such as https://api.example.com/v1
	Model string
	Key   string // "": the endpoint needs no key
	Names bool   // the model may receive names of campaigns, coupons and creators
}

const (
	limit     = 3 * time.Second // time limit of one reply
	maxReply  = 64 << 10        // bytes
	maxTokens = 600
)

// Model is a language model. It implements the interface of package ask.
type Model struct {
	options Options
	client  *http.Client
}

// New returns a model, or nil if no URL is set. The model does not follow redirects, because the key belongs to one
// host.
func New(o Options) *Model {
	if o.URL == "" {
		return nil
	}
	return &Model{o, &http.Client{
		Timeout:       limit,
		CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse },
	}}
}

// SharesNames reports whether the model may receive the store's names.
func (m *Model) SharesNames() bool { return m.options.Names }

type message struct {
	Role    string `json:"role"`
	Content string `json:"content"`
}

// Complete returns the model's reply to instructions and a question.
func (m *Model) Complete(ctx context.Context, instructions, question string) (string, error) {
	body, err := json.Marshal(map[string]any{
		"model": m.options.Model, "temperature": 0, "max_tokens": maxTokens, "response_format": map[string]string{"type": "json_object"},
		"messages": []message{{"system", instructions}, {"user", question}},
	})
	if err != nil {
		return "", err
	}
	ctx, cancel := context.WithTimeout(ctx, limit)
	defer cancel()
	request, err := http.NewRequestWithContext(ctx, http.MethodPost, strings.TrimSuffix(m.options.URL, "/")+"/chat/completions", bytes.NewReader(body))
	if err != nil {
		return "", err
	}
	request.Header.Set("Content-Type", "application/json")
	if m.options.Key != "" {
		request.Header.Set("Authorization", "Bearer "+m.options.Key)
	}
	response, err := m.client.Do(request)
	if err != nil {
		return "", fmt.Errorf("language model: %w", err)
	}
	defer response.Body.Close()
	if response.StatusCode != http.StatusOK {
		return "", fmt.Errorf("language model: HTTP status %d", response.StatusCode)
	}
	text, err := io.ReadAll(io.LimitReader(response.Body, maxReply+1))
	if err != nil {
		return "", fmt.Errorf("language model: %w", err)
	}
	if len(text) > maxReply {
		return "", fmt.Errorf("language model: reply of more than %d bytes", maxReply)
	}
	var reply struct {
		Choices []struct{ Message message }
	}
	if err := json.Unmarshal(text, &reply); err != nil {
		return "", fmt.Errorf("language model: %w", err)
	}
	if len(reply.Choices) == 0 {
		return "", errors.New("language model: reply without a choice")
	}
	return reply.Choices[0].Message.Content, nil
}
