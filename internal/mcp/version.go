package mcp

import "slices"

// protocolVersions lists the supported revisions of MCP, newest first. This is the only place that names them.
var protocolVersions = []string{"2025-11-25", "2025-06-18", "2025-03-26"}

// ProtocolVersions lists the supported revisions of MCP, newest first.
func ProtocolVersions() []string { return slices.Clone(protocolVersions) }

func speaks(version string) bool { return slices.Contains(protocolVersions, version) }

// negotiated returns the version that the client requests if it is supported, otherwise the newest version.
func negotiated(requested string) string {
	if speaks(requested) {
		return requested
	}
	return protocolVersions[0]
}
