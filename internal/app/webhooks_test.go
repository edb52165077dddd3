package app

import (
	"context"
	"testing"
	"time"

	"assay/internal/civil"
	"assay/internal/control"
	"assay/internal/measure"
	"assay/internal/operation"
)

// slowNames resolves a channel when the channel is received from.
type slowNames struct {
	operation.Known
	hold chan struct{}
}

func (n slowNames) Channel(context.Context, control.Workspace, string) (measure.Channel, error) {
	n.hold <- struct{}{} // the workspace is locked
	<-n.hold
	return "facebook", nil
}

// A workspace that is imported into does not take a turn that another one's messages could have.
func TestMessagesOfAWorkspaceThatIsImportedIntoComeLater(t *testing.T) {
	t.Parallel()
	h := newHouse(t)
	names := slowNames{h.app.operations.Known, make(chan struct{})}
	h.app.operations.Known = names
	changed := make(chan error, 1)
	go func() {
		_, err := operation.SetTarget.Do(t.Context(), h.app.operations, operation.Call{Workspace: "w", Caller: operation.Operator("test")},
			operation.Target{Metric: "revenue", Period: "monthly", Start: civil.New(2036, time.November, 1), Channel: "facebook", Value: 1})
		changed <- err
	}()
	<-names.hold
	d := control.Delivery{Workspace: "w", ID: "m", Topic: "customers/data_request", At: time.Now(), Sent: time.Now(), Body: []byte(`{"id":"1","hashes":["a"]}`)}
	if _, err := h.app.control.Store.Receive(t.Context(), d); err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithTimeout(t.Context(), 10*time.Second) // else it would wait for ever
	defer cancel()
	if err := h.app.takeInAll(ctx, "w"); err != nil {
		t.Errorf("while an import runs: %v", err)
	}
	close(names.hold)
	if err := <-changed; err != nil {
		t.Error(err)
	}
	if err := h.app.takeInAll(t.Context(), "w"); err != nil {
		t.Error(err)
	}
	if waiting, err := h.app.control.Store.Awaiting(t.Context()); err != nil || len(waiting) != 0 {
		t.Errorf("messages of %v wait, %v", waiting, err)
	}
}
