package control

import (
	"time"

	"assay/internal/measure"
)

// The kinds of audit events about mappings. A mapping determines every figure read from a file. The subject of an event
// is the mapping's name.
const (
	MappingSaved   EventKind = "mapping_saved"
	MappingRemoved EventKind = "mapping_removed"
)

// Mapping describes how to read one kind of file of a workspace. The package that reads files validates it.
type Mapping struct {
	Workspace measure.WorkspaceID
	Name      string
	Content   string // YAML or JSON, as entered
	At        time.Time
}

// MappingChange replaces a mapping if it has not changed since the caller read it.
type MappingChange struct {
	Mapping
	Was  string    // name of the replaced mapping; "": none
	Seen time.Time // when the replaced mapping was saved
}
