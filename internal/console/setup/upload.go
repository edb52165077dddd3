package setup

import (
	"cmp"
	"context"
	"errors"
	"io"
	"mime/multipart"
	"net/http"
	"path"
	"slices"
	"strings"
	"time"
	"unicode"

	"assay/internal/console/frame"
	"assay/internal/console/setup/pending"
	"assay/internal/fault"
	"assay/internal/ingest"
	"assay/internal/measure"
	"assay/internal/money"
	"assay/internal/operation"
	"assay/internal/slowbody"
)

// upload is an uploaded file with the settings of its import.
type upload struct {
	operation.Import
	file ingest.File
}

// Limits of uploads.
const (
	maxUpload  = 256 << 20 // bytes of a file
	maxContent = 2 << 30   // bytes of an unpacked file
	maxDrained = 2 << 30   // bytes beyond the limit that are read, so that the browser reads the response
	maxField   = 1 << 10   // bytes of another form field
	maxParts   = 12
	uploads    = 4 // concurrent uploads

	uploadPause = time.Minute      // maximum pause while the browser sends
	importTime  = 30 * time.Minute // maximum duration of an upload, and of a request in total
)

// uploadOf returns the import of a file with the settings of the form.
func uploadOf(f pending.Settings, file ingest.File) upload {
	source := cmp.Or(f.Source, ingest.Auto)
	if strings.HasPrefix(source, ownMapping) {
		source = ingest.Auto
	}
	return upload{
		file: file,
		Import: operation.Import{
			Files: []ingest.File{file}, Source: source, Channel: measure.Channel(f.Channel), Currency: money.Currency(strings.ToUpper(f.Currency)),
			Zone: f.Zone, Unpacked: maxContent,
		},
	}
}

// sent returns a handler that accepts a form with a file from a signed-in user.
func (c *dataPages) sent(take func(http.ResponseWriter, frame.Visit, *multipart.Reader)) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) {
		visitor, err := c.Visitor(r)
		if err != nil || c.CrossOrigin.Check(r) != nil {
			c.Refuse(w, r, http.StatusForbidden, frame.ForeignForm)
			return
		}
		r.Body = slowbody.Slowly(w, r.Body, slowbody.Pace{Silence: uploadPause, Total: importTime, Now: c.Now})
		parts, err := r.MultipartReader()
		if err != nil {
			c.Refuse(w, r, http.StatusUnsupportedMediaType, "The form contains no file. Reload the page and try again.")
			return
		}
		take(w, frame.Visit{Request: r, Visitor: visitor}, parts)
	}
}

// checkFile reads an uploaded file without importing it and shows a preview. The CSRF token and the workspace precede
// the file in the form, so the permission is checked before the file is read.
func (c *dataPages) checkFile(w http.ResponseWriter, v frame.Visit, parts *multipart.Reader) {
	fields, file, err := fieldsBefore(parts)
	if err != nil || !v.Visitor.Secret.AcceptsForm(frame.FormPurpose, fields["csrf"]) {
		c.Refuse(w, v.Request, http.StatusForbidden, frame.ForeignForm)
		return
	}
	p, ok := c.importPlace(w, v, fields["workspace"])
	if !ok {
		return
	}
	select { // after the permission check, so that users without permission cannot occupy the slots
	case c.uploading <- struct{}{}:
		defer func() { <-c.uploading }()
	default:
		w.Header().Set("Retry-After", "60")
		c.Refuse(w, v.Request, http.StatusServiceUnavailable, "The service is already receiving the maximum number of files. Try again in a minute.")
		return
	}
	form := pending.Settings{Source: fields["source"], Channel: fields["channel"], Currency: fields["currency"], Zone: fields["zone"]}
	c.checkPart(w, v, dataView{Place: p, Form: form}, file)
}

// importPlace returns the named workspace. If the visitor cannot import there, importPlace writes the error page and
// returns false.
func (c *dataPages) importPlace(w http.ResponseWriter, v frame.Visit, named string) (frame.Place, bool) {
	p, ok := c.PlaceOf(w, v, named)
	if ok && !p.Role.Writes() {
		c.Refuse(w, v.Request, http.StatusForbidden, "Your role cannot import data. Ask an owner, admin or analyst.")
		return p, false
	}
	return p, ok
}

var errForm = errors.New("not a form of this page")

// fieldsBefore reads the fields before the file and returns them with the part of the file. The part is nil if there is
// no file.
func fieldsBefore(parts *multipart.Reader) (fields map[string]string, file *multipart.Part, err error) {
	fields = map[string]string{}
	for range maxParts {
		part, err := parts.NextPart()
		if errors.Is(err, io.EOF) {
			return fields, nil, nil
		}
		if err != nil {
			return nil, nil, err
		}
		if part.FormName() == "file" {
			return fields, part, nil
		}
		text, err := io.ReadAll(io.LimitReader(part, maxField+1))
		if err != nil {
			return nil, nil, err
		}
		if len(text) > maxField {
			return nil, nil, errForm
		}
		fields[part.FormName()] = strings.TrimSpace(string(text))
	}
	return nil, nil, errForm
}

// checkPart reads the file of a form part and shows the preview.
func (c *dataPages) checkPart(w http.ResponseWriter, v frame.Visit, view dataView, part *multipart.Part) {
	if part == nil || part.FileName() == "" {
		view.Problem = "Choose a file first."
		c.showData(w, v, http.StatusUnprocessableEntity, view)
		return
	}
	mapping, err := c.mappingNamed(v.Context(), view.Workspace.ID, view.Form.Source)
	if err != nil {
		c.mappingFault(w, v, view, err)
		return
	}
	file, remove, err := ingest.Spool(c.uploads, fileName(part.FileName()), http.MaxBytesReader(w, part, maxUpload))
	switch {
	case errors.As(err, new(*http.MaxBytesError)):
		_, _ = io.CopyN(io.Discard, v.Body, maxDrained)
		view.Problem = "The file is larger than " + frame.Size(maxUpload) + ". Split it by date, or import it on the server: assay import FILE --workspace " + string(view.Workspace.ID) + "."
		c.showData(w, v, http.StatusRequestEntityTooLarge, view)
		return
	case fault.KindOf(err) == fault.KindUnavailable:
		c.Refuse(w, v.Request, http.StatusServiceUnavailable, "The service stopped during the upload. Upload the file again in a minute.")
		return
	case err != nil:
		c.Refuse(w, v.Request, http.StatusBadRequest, "The upload is incomplete. Upload the file again.")
		return
	}
	owner, ws, form := v.Visitor.User.ID, view.Workspace.ID, view.Form
	shelved := false
	release := func() {
		if !shelved {
			_ = remove()
		}
	}
	c.perform(w, v, view.Place, file, "Reading "+file.Name, release, func(ctx context.Context, call operation.Call) (answer, error) {
		up := uploadOf(form, file)
		up.DryRun, up.Mapping = true, mapping
		report, err := c.importFile(ctx, call, up)
		if err != nil {
			return nil, err
		}
		shown := dataView{Form: form, Report: &report}
		if importable(report) {
			now := c.Now()
			shown.HeldEnds = now.Add(pending.Time)
			shelved = true
			shown.Held = c.pending.Put(pending.File{Owner: owner, Workspace: ws, File: file, Remove: remove, Settings: form, Seen: report.Seen}, now)
		}
		return c.reported(shown), nil //nolint:contextcheck // shown with the request of the viewer
	})
}

// importable reports whether a checked file can be imported: completely, without its rejected rows, or with a mapping.
func importable(r ingest.FileReport) bool {
	switch r.Status {
	case ingest.Checked:
		return true
	case ingest.Refused:
		return r.Rejected > 0 || r.Source == "" && r.Seen.Header.Width() > 1
	case ingest.Imported, ingest.Already, ingest.Empty, ingest.Unknown:
	}
	return false
}

// reported returns an answer that shows an import report on the Data page.
func (c *dataPages) reported(view dataView) answer {
	return func(w http.ResponseWriter, v frame.Visit, p frame.Place) {
		status := http.StatusOK
		if view.Report.Status == ingest.Refused {
			status = http.StatusUnprocessableEntity
		}
		view := view // several requests may show the result at the same time
		view.Place = p
		c.showData(w, v, status, view)
	}
}

// importFile runs an import. The report contains problems of the file. A returned error is internal.
func (c *dataPages) importFile(ctx context.Context, call operation.Call, up upload) (ingest.FileReport, error) {
	done, err := operation.ImportFiles.Do(ctx, c.Operations, call, up.Import)
	if err == nil {
		err = done.Err()
	}
	if err != nil && ctx.Err() != nil {
		return ingest.FileReport{}, err // interrupted work may return any error
	}
	var report ingest.FileReport
	if len(done.Report.Files) > 0 {
		report = done.Report.Files[0]
	}
	text, hint, public := fault.Public(err)
	switch {
	case err == nil:
	case public && slices.Contains([]fault.Kind{fault.KindInvalid, fault.KindConflict, fault.KindForbidden}, fault.KindOf(err)):
		report.File, report.Status = cmp.Or(report.File, up.file.Name), ingest.Refused
		report.Problem, report.Hint = cmp.Or(report.Problem, text), cmp.Or(report.Hint, hint)
	default:
		return report, err
	}
	report.Problem, report.Hint = frame.Sentence(report.Problem), frame.Sentence(report.Hint)
	return report, nil
}

// changeData imports or discards a checked file.
func (c *dataPages) changeData(w http.ResponseWriter, v frame.Visit) {
	p, ok := c.importPlace(w, v, v.PostForm.Get("workspace"))
	if !ok {
		return
	}
	action := v.PostForm.Get("action")
	if action != "import" && action != "import-rest" && action != "forget" {
		c.Refuse(w, v.Request, http.StatusUnprocessableEntity, frame.UnknownAction)
		return
	}
	f, release, ok := c.pending.Borrow(pending.ID(v.PostForm.Get("file")), v.Visitor.User.ID, p.Workspace.ID, c.Now())
	if !ok {
		c.fileGone(w, v, p)
		return
	}
	if action == "forget" {
		c.pending.Forget(f.ID)
		release()
		frame.See(w, dataPath+"?workspace="+string(p.Workspace.ID))
		return
	}
	mapping, err := c.mappingNamed(v.Context(), p.Workspace.ID, f.Settings.Source)
	if err != nil {
		release()
		c.mappingFault(w, v, dataView{Place: p}, err)
		return
	}
	up := uploadOf(f.Settings, f.File)
	up.SkipRejected, up.Mapping = action == "import-rest", mapping
	c.perform(w, v, p, f.File, "Importing "+f.File.Name, release, c.importing(up, f.ID, c.reported))
}

// importing imports an uploaded file and then removes it from the store.
func (c *dataPages) importing(up upload, shelved pending.ID, show func(dataView) answer) work {
	return func(ctx context.Context, call operation.Call) (answer, error) {
		report, err := c.importFile(ctx, call, up)
		if err != nil {
			return nil, err
		}
		if report.Status != ingest.Refused {
			c.pending.Forget(shelved)
		}
		return show(dataView{Report: &report}), nil
	}
}

func (c *dataPages) fileGone(w http.ResponseWriter, v frame.Visit, p frame.Place) {
	c.showData(w, v, http.StatusConflict, dataView{Place: p, Messages: frame.Messages{Problem: "File not found: the file was imported, discarded or not used for 30 minutes. Upload the file again. No row is imported twice."}})
}

const maxFileName = 100 // characters

// fileName returns the last element of a client-supplied file name, without control characters. The name is shown and
// stored, but is never part of a path.
func fileName(name string) string {
	name = path.Base(strings.ReplaceAll(strings.ToValidUTF8(name, "?"), `\`, "/"))
	name = strings.Map(func(r rune) rune {
		if unicode.IsControl(r) || unicode.Is(unicode.Cf, r) || r == '/' {
			return -1
		}
		return r
	}, name)
	if text := []rune(name); len(text) > maxFileName {
		name = string(text[:maxFileName])
	}
	return cmp.Or(strings.TrimSpace(name), "file")
}
