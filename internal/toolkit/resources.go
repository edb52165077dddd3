package toolkit

import (
	"context"
	_ "embed"
	"strings"

	"assay/internal/answer"
	"assay/internal/control"
	"assay/internal/fault"
	"assay/internal/mcp"
)

// Addresses of resources.
const (
	guideURI  = "assay://guide"
	SchemaURI = "assay://result-schemas/"
	CardURI   = "assay://models/mmm"
)

//go:embed guide.md
var guide string

// ListResources lists the guide and the schemas of the results of the tools that the caller may call.
func (s *Session) ListResources() []mcp.Resource {
	all := []mcp.Resource{{
		URI: guideURI, Name: "guide", Title: "Reading the figures",
		Description: "What the figures mean, how answers are laid out, which tool to use.", MIMEType: "text/markdown",
	}}
	if s.principal.Has(control.ScopeRead) {
		all = append(all, mcp.Resource{
			URI: CardURI, Name: "model-card-mmm", Title: "Card of the media mix model",
			Description: "What the workspace's media mix model is made of, how it fits and what it cannot tell.", MIMEType: "application/json",
		})
	}
	for _, line := range s.service.listed {
		if t := s.service.tools[line.name]; s.describes(t) {
			all = append(all, mcp.Resource{
				URI: SchemaURI + t.Name, Name: "result-schema-" + t.Name, Title: "Result of " + t.Name,
				Description: "JSON Schema of what " + t.Name + " returns.", MIMEType: "application/schema+json",
			})
		}
	}
	return all
}

// describes reports whether the caller may know the schema of a tool's result, and whether there is one.
func (s *Session) describes(t Tool) bool {
	return s.principal.MayCall(t.Name) && !t.Later.Set()
}

// ReadResource returns a resource of the list.
func (s *Session) ReadResource(ctx context.Context, uri string) (mcp.ResourceContents, error) {
	if uri == guideURI {
		return mcp.ResourceContents{URI: uri, MIMEType: "text/markdown", Text: guide}, nil
	}
	if uri == CardURI && s.principal.Has(control.ScopeRead) {
		text, err := s.modelCard(ctx)
		return mcp.ResourceContents{URI: uri, MIMEType: "application/json", Text: text}, err
	}
	if name, ok := strings.CutPrefix(uri, SchemaURI); ok {
		if t, ok := s.service.tools[name]; ok && s.describes(t) {
			return mcp.ResourceContents{URI: uri, MIMEType: "application/schema+json", Text: string(t.Result)}, nil
		}
	}
	return mcp.ResourceContents{}, fault.NotFound("there is no resource %q", answer.Clean(uri)).WithHint("resources/list names all resources")
}
