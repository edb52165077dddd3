package control

import (
	"time"

	"assay/internal/measure"
)

// HookSecretID identifies a webhook secret.
type HookSecretID string

// HookSecret is a secret with which a shop signs its webhooks. A workspace may have several secrets, so that a secret
// can be replaced without an interruption.
type HookSecret struct {
	ID        HookSecretID
	Workspace measure.WorkspaceID
	Shop      string // domain of the shop, such as acme.myshopify.com; "" accepts any sender that has the secret
	Sealed    []byte // encrypted with the installation's secret
	CreatedAt time.Time
}

// DeliveryID identifies a webhook message in its workspace. The sender chooses it.
type DeliveryID string

// Delivery is a webhook message. It is pending until it is imported. A message that cannot be imported is stored with
// the reason until its retention period ends.
type Delivery struct {
	Workspace measure.WorkspaceID
	ID        DeliveryID // the sender's ID, the same in every repetition of the message
	Topic     string
	Sent      time.Time
	At        time.Time // when the message was first received
	Body      []byte    // the stored part of the message, without personal data
	Problem   string    // why the message cannot be imported; "" unless an import failed
}

// HookState is the state of a workspace's webhooks.
type HookState struct {
	Secrets  int
	Last     time.Time // when the latest message was received; zero: never, or before the retention period
	Waiting  int
	Unusable int    // messages that could not be imported
	Problem  string // problem of the latest unusable message
}

// These are the limits for stored messages: retention periods of imported and of unusable messages, and the maximum
// number of unusable messages.
const (
	KeepDelivered = 30 * 24 * time.Hour // imported messages are stored to recognize repetitions
	KeepUnusable  = 30 * 24 * time.Hour
	MostUnusable  = 1000 // per workspace
)

// The kinds of audit events about webhooks. The subject is the secret's ID. A person must handle a shop's privacy
// requests, so the detail of an event about a request contains the shop's customer number.
const (
	HookSecretAdded   EventKind = "webhook_secret_added"
	HookSecretRemoved EventKind = "webhook_secret_removed"
	PrivacyRequested  EventKind = "privacy_requested"
)
