package control

import (
	"time"

	"assay/internal/measure"
)

// HookSecret is what a shop signs its webhooks with. A workspace may have several, so that one can be replaced without
// a gap.
type HookSecret struct {
	ID        string
	Workspace measure.WorkspaceID
	Shop      string // its domain, such as acme.myshopify.com; "" when whoever knows the secret may send
	Sealed    []byte // the secret, encrypted under the installation's
	CreatedAt time.Time
}

// Delivery is a message of a webhook. It waits until facts are made of it; those of which none can be made are kept for
// a while with the reason.
type Delivery struct {
	Workspace measure.WorkspaceID
	ID        string // the sender's: the same message has the same one however often it comes
	Topic     string
	Sent      time.Time
	At        time.Time // when it came first
	Body      []byte    // what is kept of it: nothing that tells who a person is
	Problem   string    // why it cannot be used; "" while that is not known
}

// HookState says how a workspace's webhooks go.
type HookState struct {
	Secrets  int
	Last     time.Time // when a message came last; zero: never, or long ago
	Waiting  int
	Unusable int    // messages of which no facts could be made
	Problem  string // of the latest of them
}

// How long and how many messages are kept after facts were made of them, or could not be.
const (
	KeepDelivered = 30 * 24 * time.Hour // to know them when they come again
	KeepUnusable  = 30 * 24 * time.Hour
	MostUnusable  = 1000 // of a workspace
)

// The kinds of security events about webhooks. The subject is the secret's id. What a shop asks for on behalf of a person
// is for people to do: its detail names the person by the shop's number.
const (
	HookSecretAdded   EventKind = "webhook_secret_added"
	HookSecretRemoved EventKind = "webhook_secret_removed"
	PrivacyRequested  EventKind = "privacy_requested"
)
