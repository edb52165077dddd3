package tools

import "assay/internal/mcp"

var omnichannel = defineLater[omnichannelParams](mcp.Spec{
	Name:        "omnichannel",
	Title:       "Sales surfaces and halo",
	Description: "Revenue of every sales surface, and how spend on a channel drives revenue on the others.",
})

type omnichannelParams struct {
	anyTime
	shared
}
