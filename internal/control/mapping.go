package control

import (
	"time"

	"assay/internal/measure"
)

// Mapping says how a workspace's files of one kind are read. What it says is checked by the package that reads files.
type Mapping struct {
	Workspace measure.WorkspaceID
	Name      string
	Content   string // YAML or JSON, as it was given
	At        time.Time
}
