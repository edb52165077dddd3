package operation

import (
	"context"
	"fmt"
	"strings"

	"assay/internal/control"
	"assay/internal/fault"
	"assay/internal/ingest"
	"assay/internal/ingest/mapper"
)

// maxMapping is the maximum size of a mapping in bytes.
const maxMapping = 256 << 10

// SaveMapping saves a mapping and replaces a mapping of the same name. The input is its YAML or JSON. The result is the
// name.
var SaveMapping = Operation[string, string]{
	Spec{Name: "mapping.save", Needs: Write, Undo: "Save the earlier mapping again, or delete this one."},
	(*Run).saveMapping,
}

func (r *Run) saveMapping(ctx context.Context, text string) (string, error) {
	if len(text) > maxMapping {
		return "", fault.Invalid("the mapping is larger than %d kB", maxMapping>>10)
	}
	m, err := mapper.Parse([]byte(text))
	if err != nil {
		return "", err
	}
	if err := r.keepable(ctx, m); err != nil {
		return "", err
	}
	by := r.By()
	return m.Name, r.Store.SaveMapping(ctx, control.Mapping{Workspace: r.Workspace.ID, Name: m.Name, Content: text, At: by.At}, by)
}

// keepable returns a fault of kind invalid if the mapping cannot be saved next to the workspace's other mappings.
func (r *Run) keepable(ctx context.Context, m mapper.Mapping) error {
	all, err := r.Store.Mappings(ctx, r.Workspace.ID)
	if err != nil {
		return err
	}
	keeping := ingest.Keeping{Mapping: m}
	for _, other := range all {
		parsed, err := mapper.Parse([]byte(other.Content))
		if err != nil {
			parsed = mapper.Mapping{Name: other.Name} // saved by an earlier release that could read it
		}
		keeping.Kept = append(keeping.Kept, parsed)
		if other.Name == m.Name {
			keeping.Was = m.Name
		}
	}
	mistakes := keeping.Mistakes()
	if len(mistakes) == 0 {
		return nil
	}
	problems := make([]string, 0, len(mistakes))
	for _, each := range mistakes {
		problems = append(problems, each.At+": "+each.Text)
	}
	return fault.Invalid("mapping %q cannot be saved: %s", m.Name, strings.Join(problems, "; "))
}

// ChangeMapping replaces the mapping that a person opened. If another person has changed it since, the result is a
// fault of kind conflict.
var ChangeMapping = Operation[control.MappingChange, control.Mapping]{
	Spec{Name: "mapping.change", Needs: Write, Undo: "Change the mapping back, or delete it."},
	func(r *Run, ctx context.Context, change control.MappingChange) (control.Mapping, error) {
		by := r.By()
		change.Workspace, change.At = r.Workspace.ID, by.At
		return change.Mapping, r.Store.ChangeMapping(ctx, change, by)
	},
}

// DeleteMapping deletes a mapping by name. Data that were imported with the mapping remain.
var DeleteMapping = Operation[string, None]{
	Spec{Name: "mapping.delete", Needs: Write, Undo: "Save the mapping again."},
	func(r *Run, ctx context.Context, name string) (None, error) {
		return None{}, r.Store.DeleteMapping(ctx, r.Workspace.ID, name, r.By())
	},
}

// mapping returns a saved mapping by name.
func (r *Run) mapping(ctx context.Context, name string) (*mapper.Mapping, error) {
	kept, err := r.Store.Mapping(ctx, r.Workspace.ID, name)
	if err != nil {
		return nil, err
	}
	m, err := mapper.Parse([]byte(kept.Content))
	if err != nil {
		return nil, fmt.Errorf("mapping %s: %w", name, err)
	}
	return &m, nil
}
