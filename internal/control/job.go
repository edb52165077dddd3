package control

import (
	"time"

	"assay/internal/measure"
)

// JobLease is the right of a node to run a workspace's job of a kind. If the node ends without releasing the lease, the
// lease expires.
type JobLease struct {
	Workspace measure.WorkspaceID
	Kind      string
	By        string    // the actor, as in the audit log
	Asked     time.Time // when the job was requested
	Resumes   bool      // another node resumes the job after the lease has expired
	Node      string    // the node that has the lease
	Until     time.Time // end of the lease; zero: released
}
