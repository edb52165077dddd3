package toolkit

import (
	"context"
	_ "embed"
	"encoding/json"
	"strings"

	"assay/internal/answer"
	"assay/internal/control"
	"assay/internal/fault"
	"assay/internal/knowledge"
	"assay/internal/mcp"
)

// URIs of resources. A URI that ends with a slash is the prefix of several resources.
const (
	guideURI      = "assay://guide"
	StoreURI      = "assay://store"
	dictionaryURI = "assay://data-dictionary"
	CardURI       = "assay://models/mmm"
	ReportURI     = "assay://reports/"
	SchemaURI     = "assay://result-schemas/"
	ArticleURI    = "assay://articles/"
	ChartURI      = "assay://charts/"
	appURI        = "ui://assay/"
)

// appMeta lists the external addresses that a view may use: none. A host derives the view's content security policy
// from this list.
const appMeta = `{"ui":{"csp":{"connectDomains":[],"resourceDomains":[],"frameDomains":[],"baseUriDomains":[]},"prefersBorder":true}}`

//go:embed guide.md
var guide string

// resourceKind is one resource, or several resources with a common URI prefix.
type resourceKind struct {
	uri      string
	mimeType string
	scope    control.Scope                                           // required; "": none
	tool     string                                                  // tool with the same data, which the caller must be allowed to call; "": none
	list     func(context.Context, *Session) ([]mcp.Resource, error) // nil: not listed; the URIs of the list lack the common prefix
	read     func(context.Context, *Session, string) (string, error) // receives the URI without the prefix
	meta     json.RawMessage                                         // nil: none
}

// resourceKinds lists the resources in the order of resources/list: first the resources of the workspace, last the
// articles. The store, dictionary, model card and schemas depend on the caller's workspace and permissions.
var resourceKinds = []resourceKind{
	{
		guideURI, "text/markdown", "", "", one("guide", "Reading the figures", "Definitions of the figures, structure of the answers, and choice of a tool."),
		func(context.Context, *Session, string) (string, error) { return guide, nil }, nil,
	},
	{
		StoreURI, "application/json", control.ScopeRead, "discover", one("store", "The store", "Currency, time zone, definition of revenue, channels, sources, experiments and model of the workspace."),
		func(ctx context.Context, s *Session, _ string) (string, error) { return s.storeContext(ctx) }, nil,
	},
	{
		dictionaryURI, "text/markdown", "", "", one("data-dictionary", "Data dictionary", "Meaning of the fields of answers, and the tools that return them."),
		func(_ context.Context, s *Session, _ string) (string, error) { return s.dictionary() }, nil,
	},
	{
		CardURI, "application/json", control.ScopeRead, "optimization", one("model-card-mmm", "Media mix model card", "Specification, fit, diagnostics and limits of the workspace's media mix model."),
		func(ctx context.Context, s *Session, _ string) (string, error) { return s.modelCard(ctx) }, nil,
	},
	{ReportURI, "application/json", control.ScopeRead, "", listReports, readReport, nil},
	{appURI, mcp.AppType, "", "", listApps, readApp, json.RawMessage(appMeta)},
	{SchemaURI, "application/schema+json", "", "", listSchemas, readSchema, nil},
	{ChartURI, "image/svg+xml", control.ScopeRead, "", nil, readChart, nil},
	{ArticleURI, "text/markdown", "", "", listArticles, readArticle, nil},
}

// one returns a function that lists the only resource of a kind.
func one(name, title, description string) func(context.Context, *Session) ([]mcp.Resource, error) {
	return func(context.Context, *Session) ([]mcp.Resource, error) {
		return []mcp.Resource{{Name: name, Title: title, Description: description}}, nil
	}
}

// ListResources lists the resources that the caller may read.
func (s *Session) ListResources(ctx context.Context) ([]mcp.Resource, error) {
	var all []mcp.Resource
	for _, k := range resourceKinds {
		if !s.reads(k) || k.list == nil {
			continue
		}
		listed, err := k.list(ctx, s)
		if err != nil {
			return nil, err
		}
		for _, r := range listed {
			r.URI, r.MIMEType, r.Meta = k.uri+r.URI, k.mimeType, k.meta
			all = append(all, r)
		}
	}
	return all, nil
}

// ReadResource returns a resource of the list.
func (s *Session) ReadResource(ctx context.Context, uri string) (mcp.ResourceContents, error) {
	for _, k := range resourceKinds {
		name, ok := strings.CutPrefix(uri, k.uri)
		if !ok || !s.reads(k) || strings.HasSuffix(k.uri, "/") != (name != "") {
			continue
		}
		text, err := k.read(ctx, s, name)
		if fault.KindOf(err) == fault.KindNotFound {
			break
		}
		return mcp.ResourceContents{URI: uri, MIMEType: k.mimeType, Text: text, Meta: k.meta}, err
	}
	return mcp.ResourceContents{}, fault.NotFound("resource %q does not exist", answer.Clean(uri)).WithHint("resources/list lists all resources.")
}

func (s *Session) reads(k resourceKind) bool {
	return (k.scope == "" || s.principal.Has(k.scope)) && (k.tool == "" || s.principal.MayCall(k.tool))
}

// listSchemas lists the result schemas of the tools that the caller may call.
func listSchemas(_ context.Context, s *Session) ([]mcp.Resource, error) {
	var all []mcp.Resource
	for _, t := range s.described() {
		all = append(all, mcp.Resource{
			URI: t.Name, Name: "result-schema-" + t.Name, Title: "Result of " + t.Name,
			Description: "JSON Schema of the result of " + t.Name + ".",
		})
	}
	return all, nil
}

func readSchema(_ context.Context, s *Session, name string) (string, error) {
	for _, t := range s.described() {
		if t.Name == name {
			return string(t.Result), nil
		}
	}
	return "", fault.NotFound("tool %q has no result schema", answer.Clean(name))
}

// described lists the tools that the caller may call.
func (s *Session) described() []Tool {
	var all []Tool
	for _, line := range s.service.listed {
		if t := s.service.tools[line.name]; s.principal.MayCall(t.Name) {
			all = append(all, t)
		}
	}
	return all
}

func listArticles(_ context.Context, s *Session) ([]mcp.Resource, error) {
	articles := s.service.knowledge.Articles("")
	all := make([]mcp.Resource, len(articles))
	for i, a := range articles {
		all[i] = mcp.Resource{URI: string(a.ID), Name: "article-" + string(a.ID), Title: a.Title, Description: a.Definition()}
	}
	return all, nil
}

func readArticle(_ context.Context, s *Session, id string) (string, error) {
	return s.service.knowledge.Text(knowledge.ID(id), knowledge.Debug)
}
