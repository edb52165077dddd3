// Package measurement serves the pages of the media mix model, the experiments and the forecasts.
package measurement

import (
	"embed"
	"html/template"

	"assay/internal/console/frame"
)

// Options are the dependencies of [Register].
type Options struct {
	Frame  *frame.Frame
	Models Models // nil: no models page
}

//go:embed templates
var files embed.FS

// Templates returns the templates of the group.
func Templates() frame.Templates {
	return frame.Templates{Files: files, Functions: template.FuncMap{
		"cadence": cadenceWords, "picture": pictureOf, "schedule": scheduleOf, "act": rowActionOf,
		"deref": func(b *bool) bool { return b != nil && *b },
	}}
}

// Register registers the pages of the group.
func Register(routes *frame.Routes, o Options) {
	if o.Frame.Ask != nil {
		(&forecastPages{o.Frame}).register(routes)
		(&experimentPages{o.Frame}).register(routes)
	}
	if o.Models != nil && o.Frame.Ask != nil {
		(&modelPages{Frame: o.Frame, models: o.Models}).register(routes)
	}
}

// Paths of the pages.
const (
	experimentsPath = "/experiments"
	planPath        = "/experiments/plan"

	forecastsPath = "/forecasts"
)

// modelPages serves the pages of the media mix model and the budget optimizer.
type modelPages struct {
	*frame.Frame
	models    Models
	schedules schedules
}

func (c *modelPages) register(routes *frame.Routes) {
	for _, tab := range modelTabs() {
		routes.HandleFunc("GET "+tab.path, c.SignedIn(c.modelsPage(tab)))
	}
	routes.HandleFunc("GET "+frame.OptimizerPath, c.SignedIn(c.optimizerPage))
	routes.HandleFunc("POST "+frame.ModelsPath, c.Posted(c.changeModels))
	routes.HandleFunc("GET "+frame.ModelsPath+"/chart.svg", c.SignedIn(c.modelsChart))
	routes.HandleFunc("GET "+frame.ModelsPath+"/export.csv", c.SignedIn(c.modelsExport))
}

// experimentPages serves the pages of experiments and of experiment planning.
type experimentPages struct{ *frame.Frame }

func (c *experimentPages) register(routes *frame.Routes) {
	routes.HandleFunc("GET "+experimentsPath, c.SignedIn(c.experimentsPage))
	routes.HandleFunc("POST "+experimentsPath, c.Posted(c.changeExperiments))
	routes.HandleFunc("GET "+planPath, c.SignedIn(c.planPage))
}

// forecastPages serves the pages of forecasts, alerts and targets.
type forecastPages struct{ *frame.Frame }

func (c *forecastPages) register(routes *frame.Routes) {
	routes.HandleFunc("GET "+forecastsPath, c.SignedIn(c.forecastsPage))
	routes.HandleFunc("POST "+forecastsPath, c.Posted(c.changeForecasts))
}
