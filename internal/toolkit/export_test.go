package toolkit

import "assay/internal/snapshot"

// SentenceOn returns the sentence of an explanation.
func SentenceOn(c *Call, found snapshot.Change) string {
	return c.largestDriver(found) + c.possibleCauses(found)
}
