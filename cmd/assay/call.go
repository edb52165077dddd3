package main

import (
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"os"
	"path/filepath"
	"strings"
	"time"

	"assay/internal/auth"
	"assay/internal/fault"
)

type callCommand struct {
	Tool string   `arg:"" help:"Name of the tool, such as performance."`
	Arg  []string `placeholder:"K=V" sep:"none" help:"Argument of the tool; repeatable. Numbers, true, false, lists and objects are parsed as JSON."`
	JSON string   `name:"json" placeholder:"{…}" help:"All arguments as one JSON object."`
	URL  string   `placeholder:"U" env:"ASSAY_URL" help:"Base URL of the service. Default: the demo in --data, otherwise http://127.0.0.1:8080."`
	Key  string   `placeholder:"K" env:"ASSAY_KEY" help:"API key. Default: the key of the demo in --data."`
	Data string   `default:"./assay-data" env:"ASSAY_DATA" help:"Data directory of the demo."`
	Raw  bool     `help:"Print JSON even on a terminal."`
}

// Run calls the tool and prints its answer: a table on a terminal, JSON elsewhere.
func (c *callCommand) Run(ctx context.Context, con *console) error {
	args, err := c.arguments()
	if err != nil {
		return err
	}
	if err := c.fillFromDemo(); err != nil {
		return cmp.Or(areTools([]string{c.Tool}), err)
	}
	result, err := c.post(ctx, args)
	if unknown := areTools([]string{c.Tool}); unknown != nil && fault.KindOf(err) == fault.KindInvalid { // the service reports only that the tool is unknown
		return unknown
	}
	if err != nil {
		return err
	}
	text := result.text()
	switch {
	case result.IsError:
		fmt.Fprintln(con.errs, text)
		return exitError(exitToolError)
	case c.Raw || !isTerminal(con.out):
		fmt.Fprintln(con.out, text)
		return nil
	}
	return printAnswer(con.out, text)
}

func (c *callCommand) arguments() (map[string]json.RawMessage, error) {
	args := map[string]json.RawMessage{}
	if c.JSON != "" {
		if err := json.Unmarshal([]byte(c.JSON), &args); err != nil {
			return nil, fault.Invalid("--json %s is not a JSON object", c.JSON).WithHint(`write the object in single quotes: --json '{"limit": 5}'`)
		}
	}
	for _, pair := range c.Arg {
		name, value, ok := strings.Cut(pair, "=")
		if !ok || name == "" {
			return nil, fault.Invalid("--arg %q is not of the form name=value", pair).WithHint("write arguments as --arg limit=5, once for each argument")
		}
		args[name] = literal(name, value)
	}
	return args, nil
}

const defaultURL = "http://127.0.0.1:8080"

// literal parses a value from the command line. A number, a boolean, a list or an object is parsed as JSON, and any
// other value as text. Values of parameters with the suffix _id are always text, even if they consist of digits.
func literal(name, value string) json.RawMessage {
	isID := strings.HasSuffix(name, "_id")
	if !isID && (value == "true" || value == "false" || strings.HasPrefix(value, "[") || strings.HasPrefix(value, "{") ||
		strings.Trim(value, "-.0123456789") == "") {
		if json.Valid([]byte(value)) {
			return json.RawMessage(value)
		}
	}
	text, err := json.Marshal(value)
	if err != nil {
		return nil
	}
	return text
}

// fillFromDemo sets a missing URL and a missing key to the URL and the key of a demo.
func (c *callCommand) fillFromDemo() error {
	if c.URL != "" && c.Key != "" {
		return nil
	}
	path := filepath.Join(c.Data, "demo.json")
	text, err := os.ReadFile(path)
	if err != nil && c.Key != "" {
		c.URL = defaultURL
		return nil
	}
	if err != nil {
		return fault.Invalid("no service and no key given").WithHint("pass --url and --key, or set ASSAY_URL and ASSAY_KEY, or start a demo in --data %s", c.Data)
	}
	var demo struct {
		BaseURL string `json:"base_url"`
		APIKey  string `json:"api_key"`
	}
	if err := json.Unmarshal(text, &demo); err != nil {
		return fmt.Errorf("%s: %w", path, err)
	}
	c.URL = cmp.Or(c.URL, demo.BaseURL)
	if c.Key == "" && c.URL != demo.BaseURL {
		return fault.Invalid("no key for %s", c.URL).WithHint("pass --key or set ASSAY_KEY; the demo key is only sent to the demo")
	}
	c.Key = cmp.Or(c.Key, demo.APIKey)
	return nil
}

type callResult struct {
	Content []struct {
		Type string `json:"type"`
		Text string `json:"text"`
	} `json:"content"`
	IsError bool `json:"isError"`
}

func (r callResult) text() string {
	var parts []string
	for _, c := range r.Content {
		if c.Type == "text" {
			parts = append(parts, c.Text)
		}
	}
	return strings.Join(parts, "\n")
}

func (c *callCommand) post(ctx context.Context, args map[string]json.RawMessage) (callResult, error) {
	body, err := json.Marshal(map[string]any{
		"jsonrpc": "2.0", "id": 1, "method": "tools/call",
		"params": map[string]any{"name": c.Tool, "arguments": args},
	})
	if err != nil {
		return callResult{}, err
	}
	if base, err := url.Parse(c.URL); err != nil || base.Scheme != "http" && base.Scheme != "https" || base.Host == "" {
		return callResult{}, fault.Invalid("--url %q is not a URL", c.URL).WithHint("use a form such as %s", defaultURL)
	}
	endpoint := strings.TrimSuffix(c.URL, "/") + "/api/mcp/rpc"
	request, err := http.NewRequestWithContext(ctx, http.MethodPost, endpoint, bytes.NewReader(body))
	if err != nil {
		return callResult{}, fault.Invalid("--url %q is not a URL", c.URL)
	}
	request.Header.Set("Content-Type", "application/json")
	request.Header.Set("Authorization", "Bearer "+c.Key)
	client := &http.Client{Timeout: 2 * time.Minute}
	response, err := client.Do(request)
	if err != nil {
		return callResult{}, fault.Unavailable("no answer from %s", c.URL).Wrap(err).WithHint("start the service with `assay serve` or `assay demo`, or correct --url")
	}
	defer response.Body.Close()
	text, err := io.ReadAll(response.Body)
	if err != nil {
		return callResult{}, fault.Unavailable("the answer from %s is incomplete", c.URL).Wrap(err)
	}
	var reply struct {
		Result *callResult `json:"result"`
		Error  *struct {
			Code    int    `json:"code"`
			Message string `json:"message"`
		} `json:"error"`
	}
	if err := json.Unmarshal(text, &reply); err != nil || reply.Result == nil && reply.Error == nil {
		return callResult{}, fault.Unavailable("%s is not an Assay service (HTTP %d)", c.URL, response.StatusCode)
	}
	if reply.Error != nil {
		return callResult{}, refusal(response, reply.Error.Code, reply.Error.Message)
	}
	return *reply.Result, nil
}

// refusal converts an error envelope to a fault of the kind that matches the HTTP status.
func refusal(response *http.Response, code int, message string) error {
	kind := fault.KindInvalid
	switch response.StatusCode {
	case http.StatusUnauthorized:
		kind = fault.KindUnauthenticated
	case http.StatusForbidden:
		kind = fault.KindForbidden
	case http.StatusTooManyRequests:
		err := fault.New(fault.KindRateLimited, "%s", message)
		return err.WithHint("try again in %s seconds", response.Header.Get("Retry-After"))
	case http.StatusServiceUnavailable:
		return fault.Unavailable("%s", message).WithHint("try again in %s seconds", response.Header.Get("Retry-After"))
	case http.StatusInternalServerError:
		kind = fault.KindUnavailable
	}
	refused := fault.New(kind, "%s (code %d)", message, code)
	switch {
	case kind == fault.KindUnauthenticated:
		return refused.WithHint("pass a valid key with --key or ASSAY_KEY; assay keys create --workspace W creates one")
	case code == http.StatusInternalServerError: // the service treats a credential that is not an API key as an access token
		return refused.WithHint("this service accepts no access tokens; pass an API key, which begins with %s", auth.KeyPrefix)
	}
	return refused
}
