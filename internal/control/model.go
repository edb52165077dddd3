package control

import (
	"time"

	"assay/internal/measure"
)

// ModelState identifies the stored models of a workspace. It is the zero value if there are none.
type ModelState struct {
	Version   int       // version of the last training, including rejected trainings
	TrainedAt time.Time // when the last training ended
}

// StoredModels are the trained models of a workspace: the model in use and, if the last training was rejected, the
// rejected model.
type StoredModels struct {
	Workspace measure.WorkspaceID
	Made      time.Time // creation time of the workspace, because a deleted workspace may be created again with the same ID
	ModelState
	Body string // JSON; package training defines it
}
