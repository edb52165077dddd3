package toolkit

import "assay/internal/snapshot"

// SentenceOn returns the sentence of an explanation.
func SentenceOn(c *Call, found snapshot.Change) string {
	return c.largestDriver(found) + c.possibleCauses(found)
}

// Overload makes the service reject calls that wait, as if another call had waited for a long time.
func (s *Service) Overload() {
	s.turns.waiting.Add(1)
	s.turns.since.Store(0)
}
