// Command generate writes the code that the tags of fact tables determine. The code contains the tables, the access to
// rows by column, the previews, the aliases of package warehouse, and the query of row counts. See docs/decisions/0025.
package main

import (
	"fmt"
	"os"
)

func main() {
	// go generate runs in the folder of package facts.
	files, err := generate(".")
	for path, text := range files {
		if err == nil {
			err = os.WriteFile(path, text, 0o644) //nolint:gosec // source files are readable
		}
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, "generate:", err)
		os.Exit(1)
	}
}
