// Command generate writes the training questions, the words and the weights of package ask from the patterns.
package main

import (
	"fmt"
	"os"
)

func main() {
	files, err := generate(".")
	if err != nil {
		fmt.Fprintln(os.Stderr, "generate:", err)
		os.Exit(1)
	}
	for name, content := range files {
		if err := os.WriteFile(name, content, 0o600); err != nil {
			fmt.Fprintln(os.Stderr, "generate:", err)
			os.Exit(1)
		}
	}
}
