package mcp

import "slices"

// protocolVersions are the revisions of MCP that are spoken, newest first. This is the only place that names them.
var protocolVersions = []string{"2025-11-25", "2025-06-18", "2025-03-26"}

// ProtocolVersions lists the revisions of MCP that are spoken, newest first.
func ProtocolVersions() []string { return slices.Clone(protocolVersions) }

func speaks(version string) bool { return slices.Contains(protocolVersions, version) }

// negotiated is the version that answers a client's wish: the same when it is spoken, else the newest.
func negotiated(wish string) string {
	if speaks(wish) {
		return wish
	}
	return protocolVersions[0]
}
