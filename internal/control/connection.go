package control

import (
	"time"

	"assay/internal/measure"
	"assay/internal/money"
)

// Connection is the access of a workspace to one account of an ad platform.
type Connection struct {
	Workspace measure.WorkspaceID
	Platform  measure.Platform
	Account   string // digits
	Sealed    []byte // the credentials, encrypted with the installation's secret
	Sandbox   bool   // a simulated account of the demo store
	CreatedAt time.Time
	ConnectionState
}

// ConnectionState is the result of a connection's last test. The zero value is the state of an untested connection.
type ConnectionState struct {
	Status      ConnectionStatus // untested when empty
	Problem     string           // for the status error: description of the problem as a sentence
	Hint        string           // for the status error: what to do
	TestedAt    time.Time
	Name        string // name of the account
	Currency    money.Currency
	Zone        string    // IANA name
	Expires     time.Time // zero: never, or the platform does not disclose it
	Permissions []string  // permissions that the platform discloses
}

// ConnectionStatus states whether a connection works.
type ConnectionStatus string

// The statuses.
const (
	ConnectionUntested ConnectionStatus = "untested"
	ConnectionOK       ConnectionStatus = "ok"
	ConnectionError    ConnectionStatus = "error"
)

// The kinds of audit events about connections. The subject is the platform and the account.
const (
	ConnectionAdded   EventKind = "connection_added"
	ConnectionRemoved EventKind = "connection_removed"
)
