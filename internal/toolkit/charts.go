package toolkit

import (
	"context"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"net/url"
	"strings"

	"assay/internal/answer"
	"assay/internal/fault"
	"assay/internal/mcp"
)

const (
	svgOf      = ".svg?" // between the metric and the other arguments in the URI of a chart
	maxAddress = 2_000   // maximum length of such a URI in bytes
)

// AddressOfChart returns the URI of a chart as an SVG document, or "" if the URI would be too long. It takes the
// arguments of the tool `chart` without defaults, as text. The argument `channels` may have several values.
func AddressOfChart(metric string, arguments url.Values) string {
	uri := ChartURI + url.PathEscape(metric) + svgOf + arguments.Encode()
	if len(uri) > maxAddress {
		return ""
	}
	return uri
}

// readChart draws the chart of a URI. It calls the chart tool, with the tool's checks and permissions.
func readChart(ctx context.Context, s *Session, name string) (string, error) {
	metric, query, ok := strings.Cut(name, svgOf)
	values, err := url.ParseQuery(query)
	if !ok || err != nil || len(name) > maxAddress || !s.principal.MayCall("chart") {
		return "", fault.NotFound("%q is not the address of a chart", answer.Clean(name))
	}
	arguments := map[string]any{"metric": metric, "compact": true}
	for key, of := range values {
		switch key {
		case "channels":
			arguments[key] = of
		case "series_limit":
			arguments[key] = json.Number(of[0])
		default:
			arguments[key] = of[0]
		}
	}
	encoded, err := answer.Encode(arguments)
	if err != nil {
		return "", fault.NotFound("%q is not the address of a chart", answer.Clean(name))
	}
	drawing := *s
	drawing.vector, drawing.faults, drawing.client = true, true, mcp.Client{}
	content, err := drawing.callTool(ctx, "chart", encoded)
	if err != nil {
		return "", err
	}
	return pictureIn(content)
}

// pictureIn returns the SVG document of an encoded result.
func pictureIn(encoded json.RawMessage) (string, error) {
	var result mcp.CallResult
	if err := json.Unmarshal(encoded, &result); err != nil {
		return "", fmt.Errorf("result of a chart: %w", err)
	}
	for _, piece := range result.Content {
		if piece.MIMEType == "image/svg+xml" {
			picture, err := base64.StdEncoding.DecodeString(piece.Data)
			return string(picture), err
		}
	}
	return "", fault.NotFound("the chart has no image")
}

// listApps lists the views for clients that show them.
func listApps(_ context.Context, s *Session) ([]mcp.Resource, error) {
	if !s.client.Apps {
		return nil, nil
	}
	var all []mcp.Resource
	for _, t := range s.described() {
		if t.App != nil {
			all = append(all, mcp.Resource{URI: strings.TrimPrefix(t.App.URI, appURI), Name: t.App.Name, Title: t.App.Title, Description: t.App.Description})
		}
	}
	return all, nil
}

// readApp returns the HTML of a view. The HTML is the same for every caller and contains no data.
func readApp(_ context.Context, s *Session, name string) (string, error) {
	for _, spec := range s.service.specs {
		if spec.App != nil && spec.App.URI == appURI+name {
			return spec.App.HTML, nil
		}
	}
	return "", fault.NotFound("view %q does not exist", answer.Clean(name))
}
