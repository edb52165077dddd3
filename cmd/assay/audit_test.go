package main

import (
	"testing"
	"time"

	"assay/internal/app"
	"assay/internal/control"
)

func TestTheLastCallsAreKeptWhenTheServiceStops(t *testing.T) {
	t.Parallel()
	data, key := shop(t)
	if !t.Run("calls", func(t *testing.T) { // the service stops at its end
		url, _ := serve(t, data)
		for _, call := range [][]string{{"discover"}, {"pause_campaign", "--arg", "confirm=true"}} {
			if _, errs, code := finish(t, data, append([]string{"call", "--url", url, "--key", key}, call...)...); code != exitOK && code != exitToolError {
				t.Fatalf("%v: exit code %d: %s", call, code, errs)
			}
		}
	}) {
		return
	}
	kept, err := app.OpenControl(t.Context(), app.ControlOptions{Data: data, Now: time.Now})
	if err != nil {
		t.Fatal(err)
	}
	defer kept.Close()
	calls, err := kept.Store.Calls(t.Context(), control.CallFilter{Workspace: "shop", Limit: 10})
	if err != nil || len(calls) != 2 || calls[0].Tool != "pause_campaign" || calls[0].Status != control.CallRefused || calls[1].Tool != "discover" {
		t.Errorf("the call log contains %+v, %v; want discover and the refused pause_campaign", calls, err)
	}
	refused, err := kept.Store.Events(t.Context(), control.EventFilter{Workspace: "shop", Kinds: []control.EventKind{control.ScopeRefused}, Limit: 10})
	if err != nil || len(refused) != 1 || refused[0].Subject != "pause_campaign" {
		t.Errorf("the audit log contains %+v, %v; want the refused scope", refused, err)
	}
}
