package alert

import (
	"context"
	"log/slog"
	"time"

	"assay/internal/control"
	"assay/internal/panics"
)

// Queue is the queue of alert messages.
type Queue interface {
	ClaimAlertMessage(ctx context.Context, now time.Time) (*control.AlertMessage, error)
	SettleAlertMessage(ctx context.Context, m control.AlertMessage, problem string, now time.Time) error
}

// Sender sends messages to destinations of every kind.
type Sender struct {
	Hooks *Hooks
	Mail  *Mailer // nil: no SMTP server is configured
}

// Send sends a message to its destination. An error describes the failure without addresses and secrets.
func (s Sender) Send(ctx context.Context, m control.AlertMessage) error {
	if m.Destination.Kind == control.EmailDestination {
		return s.Mail.Send(ctx, m)
	}
	return s.Hooks.Send(ctx, m)
}

// Deliver sends the due messages one after another until none is due or ctx ends. Several processes may deliver at the
// same time.
func Deliver(ctx context.Context, q Queue, s Sender, log *slog.Logger) error {
	for ctx.Err() == nil {
		m, err := q.ClaimAlertMessage(ctx, s.Hooks.now())
		if err != nil || m == nil {
			return err
		}
		problem := ""
		if err := panics.Caught(func() error { return s.Send(ctx, *m) }); err != nil {
			if ctx.Err() != nil {
				return nil // the service shuts down; the next attempt is due after its delay
			}
			problem = err.Error()
			log.WarnContext(ctx, "alert message was not delivered", slog.String("workspace", string(m.Workspace.ID)),
				slog.String("destination", string(m.Destination.ID)), slog.Int("attempt", m.Attempts), slog.String("problem", problem))
		}
		if err := q.SettleAlertMessage(ctx, *m, problem, s.Hooks.now()); err != nil {
			return err
		}
	}
	return nil
}

// deliverEvery is the interval between checks of the queue.
const deliverEvery = 20 * time.Second

// Run delivers messages until ctx ends.
func Run(ctx context.Context, q Queue, s Sender, log *slog.Logger) error {
	look := time.NewTicker(deliverEvery)
	defer look.Stop()
	for {
		if err := Deliver(ctx, q, s, log); err != nil && ctx.Err() == nil {
			log.ErrorContext(ctx, "alert messages cannot be read", slog.Any("error", err))
		}
		select {
		case <-look.C:
		case <-ctx.Done():
			return nil
		}
	}
}
