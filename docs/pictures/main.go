// Command pictures draws the pictures of the method documents from small deterministic inputs. It uses the product's
// own charts and methods. `make pictures` runs it and writes the files next to this file.
package main

import (
	"fmt"
	"os"
	"path/filepath"
)

// picture is one file: its name without ".svg" and the function that draws it.
type picture struct {
	name string
	draw func() ([]byte, error)
}

// pictures lists the files in the order of the documents' names.
func pictures() []picture {
	return []picture{
		{"anomalies", anomalies},
		{"attribution", attributionModels},
		{"creators", creators},
		{"demo-store", demoStore},
		{"forecast", forecasts},
		{"geo", geoExperiment},
		{"halo", haloEffect},
		{"ltv", lifetimeValue},
		{"metrics", bases},
		{"mmm-adstock", adstock},
		{"mmm-response", responseCurve},
		{"surveys", surveys},
	}
}

func main() {
	if err := write("docs/pictures"); err != nil {
		fmt.Fprintln(os.Stderr, "pictures:", err)
		os.Exit(1)
	}
}

// write draws every picture into the folder.
func write(folder string) error {
	for _, p := range pictures() {
		svg, err := p.draw()
		if err != nil {
			return fmt.Errorf("picture %s: %w", p.name, err)
		}
		if err := os.WriteFile(filepath.Join(folder, p.name+".svg"), svg, 0o600); err != nil {
			return err
		}
	}
	return nil
}
