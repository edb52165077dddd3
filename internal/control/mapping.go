package control

import (
	"time"

	"assay/internal/measure"
)

// The kinds of security events about mappings, by which every figure of a file is read. The subject is the mapping's name.
const (
	MappingSaved   EventKind = "mapping_saved"
	MappingRemoved EventKind = "mapping_removed"
)

// Mapping says how a workspace's files of one kind are read. What it says is checked by the package that reads files.
type Mapping struct {
	Workspace measure.WorkspaceID
	Name      string
	Content   string // YAML or JSON, as it was given
	At        time.Time
}

// MappingChange is a mapping that takes the place of one that somebody saw.
type MappingChange struct {
	Mapping
	Was  string    // the name that the other one has; "": there is none
	Seen time.Time // when that one was kept
}
