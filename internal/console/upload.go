package console

import (
	"cmp"
	"context"
	"errors"
	"io"
	"log/slog"
	"mime/multipart"
	"net/http"
	"path"
	"slices"
	"strings"
	"time"
	"unicode"

	"assay/internal/control"
	"assay/internal/fault"
	"assay/internal/ingest"
	"assay/internal/measure"
	"assay/internal/money"
	"assay/internal/operation"
	"assay/internal/slowbody"
)

// upload is a file that a member sent, and how it is imported.
type upload struct {
	operation.Import
	call operation.Call
	file ingest.File
}

// The limits of what is sent.
const (
	maxUpload  = 256 << 20 // bytes of a file
	maxContent = 2 << 30   // bytes of what a compressed file holds
	maxDrained = 2 << 30   // bytes beyond it that are read, so that the browser comes to read the answer
	maxField   = 1 << 10   // bytes of a field beside it
	maxParts   = 12
	uploads    = 4 // that are taken at a time

	uploadPause = time.Minute      // how long a browser may be silent
	importTime  = 30 * time.Minute // that a file may take to come, and an answer in all
)

// uploadForm is what stands beside the file.
type uploadForm struct{ Source, Channel, Currency, Zone string }

// upload returns the import of a file that came with the form. It waits for other imports: its page shows the progress.
func (f uploadForm) upload(ws measure.WorkspaceID, by control.UserID, file ingest.File) upload {
	source := cmp.Or(f.Source, ingest.Auto)
	if strings.HasPrefix(source, ownMapping) {
		source = ingest.Auto
	}
	return upload{
		call: operation.Call{Workspace: ws, Caller: operation.Member(by).Waiting()}, file: file,
		Import: operation.Import{
			Files: []ingest.File{file}, Source: source, Channel: measure.Channel(f.Channel), Currency: money.Currency(strings.ToUpper(f.Currency)),
			Zone: f.Zone, Unpacked: maxContent,
		},
	}
}

// sent takes a form with a file that was shown to who is signed in.
func (c *Console) sent(take func(http.ResponseWriter, visit, *multipart.Reader)) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) {
		visitor, err := c.Visitor(r)
		if err != nil || c.crossOrigin.Check(r) != nil {
			c.Refuse(w, r, http.StatusForbidden, foreignForm)
			return
		}
		r.Body = slowbody.Slowly(w, r.Body, slowbody.Pace{Silence: uploadPause, Total: importTime, Now: c.now})
		parts, err := r.MultipartReader()
		if err != nil {
			c.Refuse(w, r, http.StatusUnsupportedMediaType, "This is not a form with a file.")
			return
		}
		take(w, visit{r, visitor}, parts)
	}
}

// checkFile takes a file that was sent with the form, reads it without keeping anything, and shows what would come of
// it. The token and the workspace stand before the file, so nothing is taken from who may not send any.
func (c *Console) checkFile(w http.ResponseWriter, v visit, parts *multipart.Reader) {
	fields, file, err := fieldsBefore(parts)
	if err != nil || !v.visitor.Secret.AcceptsForm(formPurpose, fields["csrf"]) {
		c.Refuse(w, v.Request, http.StatusForbidden, foreignForm)
		return
	}
	p, ok := c.importPlace(w, v, fields["workspace"])
	if !ok {
		return
	}
	select { // shields the service from many files at a time, and takes no place for who may not send any
	case c.uploading <- struct{}{}:
		defer func() { <-c.uploading }()
	default:
		w.Header().Set("Retry-After", "60")
		c.Refuse(w, v.Request, http.StatusServiceUnavailable, "Several files are being read at the moment. Try again in a minute.")
		return
	}
	form := uploadForm{Source: fields["source"], Channel: fields["channel"], Currency: fields["currency"], Zone: fields["zone"]}
	c.checkPart(w, v, dataView{place: p, Form: form}, file)
}

// importPlace returns the workspace that a file is for, and answers itself when the visitor may not import there.
func (c *Console) importPlace(w http.ResponseWriter, v visit, named string) (place, bool) {
	p, ok := c.placeOf(w, v, named)
	if ok && !p.Role.Writes() {
		c.Refuse(w, v.Request, http.StatusForbidden, "Your role may read this workspace's data and not import any.")
		return p, false
	}
	return p, ok
}

var errForm = errors.New("not a form of this page")

// fieldsBefore reads the fields that stand before the file, and returns the file's part; nil where there is none.
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

// checkPart looks at the file in a part of the form and shows what it found.
func (c *Console) checkPart(w http.ResponseWriter, v visit, view dataView, part *multipart.Part) {
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
		view.Problem = "The file is larger than " + size(maxUpload) + ". Split it by date, or read it on the server: assay import FILE --workspace " + string(view.Workspace.ID) + "."
		c.showData(w, v, http.StatusRequestEntityTooLarge, view)
		return
	case fault.KindOf(err) == fault.KindUnavailable:
		c.Refuse(w, v.Request, http.StatusServiceUnavailable, "The service stopped before the file had come in full. Send it again in a moment.")
		return
	case err != nil:
		c.Refuse(w, v.Request, http.StatusBadRequest, "The file did not arrive in full. Send it again.")
		return
	}
	owner, ws, form := v.visitor.User.ID, view.Workspace.ID, view.Form
	shelved := false
	release := func() {
		if !shelved {
			_ = remove()
		}
	}
	c.perform(w, v, view.place, file, "Reading "+file.Name, release, func(ctx context.Context, progress func(done, total int64)) answer {
		up := form.upload(ws, owner, file)
		up.DryRun, up.Mapping, up.call.Progress = true, mapping, progress
		report, err := c.importFile(ctx, up)
		if err != nil {
			c.log.ErrorContext(ctx, "look at a file", slog.String("workspace", string(ws)), slog.Any("error", err))
			return c.unfinished("Reading " + file.Name) //nolint:contextcheck // it is shown with the request of who looks
		}
		shown := dataView{Form: form, Report: &report}
		if worthKeeping(report) {
			now := c.now()
			shown.HeldEnds = now.Add(shelfTime)
			shelved = true
			shown.Held = c.shelf.put(shelvedFile{owner: owner, workspace: ws, file: file, remove: remove, form: form, seen: report.Seen}, now)
		}
		return c.reported(shown) //nolint:contextcheck // it is shown with the request of who looks
	})
}

// worthKeeping reports whether a file that was looked at can be imported, in part, or when somebody has said what its
// columns mean.
func worthKeeping(r ingest.FileReport) bool {
	switch r.Status {
	case ingest.Checked:
		return true
	case ingest.Refused:
		return r.Rejected > 0 || r.Source == "" && r.Seen.Header.Width() > 1
	case ingest.Imported, ingest.Already, ingest.Empty:
	}
	return false
}

// reported shows a report on the page of the data.
func (c *Console) reported(view dataView) answer {
	return func(w http.ResponseWriter, v visit, p place) {
		status := http.StatusOK
		if view.Report.Status == ingest.Refused {
			status = http.StatusUnprocessableEntity
		}
		view := view // two may look at once
		view.place = p
		c.showData(w, v, status, view)
	}
}

// importFile runs an import. The error is about everything but the file, whose faults stand in the report.
func (c *Console) importFile(ctx context.Context, up upload) (ingest.FileReport, error) {
	done, err := operation.ImportFiles.Do(ctx, c.operations, up.call, up.Import)
	if err == nil {
		err = done.Err()
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
	report.Problem, report.Hint = sentence(report.Problem), sentence(report.Hint)
	return report, nil
}

// changeData imports the file that was looked at, or forgets it.
func (c *Console) changeData(w http.ResponseWriter, v visit) {
	p, ok := c.importPlace(w, v, v.PostForm.Get("workspace"))
	if !ok {
		return
	}
	action := v.PostForm.Get("action")
	if action != "import" && action != "import-rest" && action != "forget" {
		c.Refuse(w, v.Request, http.StatusUnprocessableEntity, "This form asks for nothing that is known.")
		return
	}
	f, release, ok := c.shelf.borrow(v.PostForm.Get("file"), v.visitor.User.ID, p.Workspace.ID, c.now())
	if !ok {
		c.fileGone(w, v, p)
		return
	}
	if action == "forget" {
		c.shelf.forget(f.id)
		release()
		see(w, dataPath+"?workspace="+string(p.Workspace.ID))
		return
	}
	mapping, err := c.mappingNamed(v.Context(), p.Workspace.ID, f.form.Source)
	if err != nil {
		release()
		c.mappingFault(w, v, dataView{place: p}, err)
		return
	}
	up := f.form.upload(p.Workspace.ID, v.visitor.User.ID, f.file)
	up.SkipRejected, up.Mapping = action == "import-rest", mapping
	c.perform(w, v, p, f.file, "Importing "+f.file.Name, release, c.importing(up, f.id, c.reported))
}

// importing imports a file of the shelf, which it leaves when it is in the store.
func (c *Console) importing(up upload, shelved string, show func(dataView) answer) work {
	return func(ctx context.Context, progress func(done, total int64)) answer {
		up.call.Progress = progress
		report, err := c.importFile(ctx, up)
		if err != nil {
			c.log.ErrorContext(ctx, "import of a file", slog.String("workspace", string(up.call.Workspace)), slog.Any("error", err))
			return c.unfinished("Importing " + up.file.Name) //nolint:contextcheck // it is shown with the request of who looks
		}
		if report.Status != ingest.Refused {
			c.shelf.forget(shelved)
		}
		return show(dataView{Report: &report})
	}
}

func (c *Console) fileGone(w http.ResponseWriter, v visit, p place) {
	c.showData(w, v, http.StatusConflict, dataView{place: p, Problem: "The file is no longer here: it was imported or forgotten, or half an hour has passed. Send it again; nothing is imported twice."})
}

const maxFileName = 100 // characters

// fileName returns the last part of a name that a stranger gave, in one line. It is shown and kept, and is never part of
// a path.
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
