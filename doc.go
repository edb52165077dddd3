// Package assay is the root of the project. It has no code; its tests check rules of the whole project.
package assay
