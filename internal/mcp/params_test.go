package mcp

import (
	"context"

	"assay/internal/civil"
)

// sampleParams has every kind of parameter. The tests of this package use it.
type sampleParams struct {
	Metric  string             `json:"metric" doc:"What to show." enum:"revenue|orders|spend" required:"true"`
	Start   civil.Date         `json:"start_date" doc:"First day."`
	End     civil.Date         `json:"end_date" doc:"Last day."`
	Channel sampleChannel      `json:"channel" doc:"Only this channel." enum:"facebook|google" also:"meta=facebook|google_ads=google"`
	Limit   int                `json:"limit" doc:"Rows." default:"25" min:"1" max:"100"`
	Score   float64            `json:"threshold" doc:"Z-score." default:"2.0" min:"0"`
	Confirm bool               `json:"confirm" doc:"Do it." default:"false"`
	Compact *bool              `json:"compact" doc:"Leave out metadata."`
	Names   []string           `json:"names" doc:"Some names." nonempty:"true"`
	Sorts   []string           `json:"sorts" doc:"Some orders." enum:"asc|desc"`
	Bounds  map[string]bounds  `json:"bounds" doc:"Per channel."`
	IDs     sampleIDs          `json:"ids" doc:"Platform ids."`
	Params  map[string]any     `json:"params" doc:"Free."`
	Query   string             `json:"query" doc:"Question." nonempty:"true" example:"What is ROAS?"`
	Weights map[string]float64 `json:"weights" doc:"Weights."`
	sampleShared
}

type sampleChannel string

type bounds struct {
	Min *float64 `json:"min" doc:"At least." min:"0"`
	Max *float64 `json:"max" doc:"At most." min:"0"`
}

type sampleIDs struct {
	Customer string `json:"customerId" doc:"Customer."`
}

type sampleShared struct {
	Level string `json:"detail_level" doc:"How much." enum:"summary|analyst|debug" default:"summary"`
}

type sampleResult struct {
	Summary string                `json:"summary"`
	Day     civil.Date            `json:"day"`
	Rows    []sampleRow           `json:"rows"`
	By      map[string]*sampleRow `json:"by,omitempty"`
	Params  *sampleParams         `json:"-"`
	sampleEmbedded
}

type sampleRow struct {
	Name  sampleChannel `json:"name" doc:"Who."`
	Value *float64      `json:"value,omitempty"`
	Inner []sampleRow   `json:"inner,omitempty"`
}

type sampleEmbedded struct {
	Truncated bool `json:"truncated"`
}

var sampleSpec = Spec{Name: "sample", Title: "Sample", Description: "Shows every kind of parameter."}

func sampleTool() Tool[*sampleParams] {
	return NewTool(sampleSpec, func(_ context.Context, out *sampleParams, p sampleParams) (sampleResult, error) {
		*out = p
		return sampleResult{}, nil
	})
}
