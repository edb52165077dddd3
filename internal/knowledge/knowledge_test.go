package knowledge

import "testing"

func TestTheArticlesAreValid(t *testing.T) {
	t.Parallel()
	if _, err := Load(); err != nil {
		t.Fatal(err)
	}
}
