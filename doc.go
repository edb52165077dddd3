// Package assay is the root of the project. It holds no code; its tests hold the project to its own rules.
package assay
