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

// URIs of resources.
const (
	guideURI  = "assay://guide"
	SchemaURI = "assay://result-schemas/"
	CardURI   = "assay://models/mmm"
)

//go:embed guide.md
var guide string

// ListResources lists the guide, the model card and the result schemas of the tools that the caller may call.
func (s *Session) ListResources() []mcp.Resource {
	all := []mcp.Resource{{
		URI: guideURI, Name: "guide", Title: "Reading the figures",
		Description: "Definitions of the figures, structure of answers, which tool to use.", MIMEType: "text/markdown",
	}}
	if s.principal.Has(control.ScopeRead) {
		all = append(all, mcp.Resource{
			URI: CardURI, Name: "model-card-mmm", Title: "Media mix model card",
			Description: "Specification, fit, diagnostics and limits of the workspace's media mix model.", MIMEType: "application/json",
		})
	}
	for _, line := range s.service.listed {
		if t := s.service.tools[line.name]; s.describes(t) {
			all = append(all, mcp.Resource{
				URI: SchemaURI + t.Name, Name: "result-schema-" + t.Name, Title: "Result of " + t.Name,
				Description: "JSON Schema of the result of " + t.Name + ".", MIMEType: "application/schema+json",
			})
		}
	}
	return all
}

// describes reports whether a tool has a result schema that the caller may read.
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
	return mcp.ResourceContents{}, fault.NotFound("resource %q does not exist", answer.Clean(uri)).WithHint("resources/list lists all resources.")
}
