package toolkit

import "assay/internal/snapshot"

// SentenceOn returns the sentence of an explanation.
func SentenceOn(c *Call, found snapshot.Change) string {
	return c.largestDriver(found) + c.possibleCauses(found)
}

// Overload makes the service reject calls that wait, as after a long time with waiting calls.
func (s *Service) Overload() { s.turns.calm.Store(0) }
