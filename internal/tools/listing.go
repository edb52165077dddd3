package tools

import (
	"assay/internal/mcp"
	"assay/internal/toolkit"
)

var _ mcp.Session = (*toolkit.Session)(nil)
