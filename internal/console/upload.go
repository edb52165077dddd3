package console

import (
	"cmp"
	"context"
	"errors"
	"io"
	"mime/multipart"
	"net/http"
	"path"
	"strings"
	"time"
	"unicode"

	"assay/internal/fault"
	"assay/internal/ingest"
	"assay/internal/measure"
)

// Import takes files into a workspace's facts, as the command does.
type Import func(ctx context.Context, u Upload) (ingest.FileReport, error)

// Upload is a file that somebody sent, and what they say about it.
type Upload struct {
	Workspace    measure.WorkspaceID
	File         ingest.File
	Source       string // a reader's name, or [ingest.Auto]
	Channel      string
	Currency     string // of amounts, where the file does not tell
	Zone         string // of times, where the file does not tell; an IANA name
	DryRun       bool
	SkipRejected bool
}

// The limits of what is sent.
const (
	maxUpload  = 256 << 20 // bytes of a file
	maxDrained = 2 << 30   // bytes beyond it that are read, so that the browser comes to read the answer
	maxField   = 1 << 10   // bytes of a field beside it
	maxParts   = 12
	uploads    = 4 // that are taken at a time

	uploadPause = time.Minute      // how long a browser may be silent
	importTime  = 30 * time.Minute // that a file may take to come, and an answer in all
)

// uploadForm is what stands beside the file.
type uploadForm struct{ Source, Channel, Currency, Zone string }

func (f uploadForm) upload(ws measure.WorkspaceID, file ingest.File) Upload {
	return Upload{
		Workspace: ws, File: file, Source: cmp.Or(f.Source, ingest.Auto), Channel: f.Channel, Currency: strings.ToUpper(f.Currency), Zone: f.Zone,
	}
}

// sent takes a form with a file that was shown to who is signed in, and shields the service from many at a time.
func (c *Console) sent(take func(http.ResponseWriter, visit, *multipart.Reader)) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) {
		visitor, err := c.Visitor(r)
		if err != nil || c.crossOrigin.Check(r) != nil {
			c.Refuse(w, r, http.StatusForbidden, foreignForm)
			return
		}
		connection := http.NewResponseController(w)
		r.Body = unhurried{r.Body, connection, c.now, c.now().Add(importTime)}
		parts, err := r.MultipartReader()
		if err != nil {
			c.Refuse(w, r, http.StatusUnsupportedMediaType, "This is not a form with a file.")
			return
		}
		select {
		case c.uploading <- struct{}{}:
			defer func() { <-c.uploading }()
		default:
			w.Header().Set("Retry-After", "60")
			c.Refuse(w, r, http.StatusServiceUnavailable, "Several files are being read at the moment. Try again in a minute.")
			return
		}
		_ = connection.SetWriteDeadline(c.now().Add(importTime))
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
	file, remove, err := ingest.Spool(c.uploads, fileName(part.FileName()), &bounded{src: part, left: maxUpload})
	switch {
	case errors.Is(err, errTooLarge):
		_, _ = io.CopyN(io.Discard, v.Body, maxDrained)
		view.Problem = "The file is larger than " + size(maxUpload) + ". Split it by date, or read it on the server: assay import FILE --workspace " + string(view.Workspace.ID) + "."
		c.showData(w, v, http.StatusRequestEntityTooLarge, view)
		return
	case err != nil:
		c.Refuse(w, v.Request, http.StatusBadRequest, "The file did not arrive in full. Send it again.")
		return
	}
	kept := false
	defer func() {
		if !kept {
			_ = remove()
		}
	}()
	up := view.Form.upload(view.Workspace.ID, file)
	up.DryRun = true
	if !c.importFile(w, v, &view, up) {
		return
	}
	status := http.StatusOK
	switch view.Report.Status {
	case ingest.Checked:
		kept = true
	case ingest.Refused:
		status = http.StatusUnprocessableEntity
		kept = view.Report.Rejected > 0 && view.Report.Rejected < view.Report.Rows // the rest of it can be imported
	case ingest.Imported, ingest.Already, ingest.Empty:
	}
	if kept {
		now := c.now()
		view.HeldEnds = now.Add(shelfTime)
		view.Held = c.shelf.put(shelvedFile{owner: v.visitor.User.ID, workspace: view.Workspace.ID, file: file, remove: remove, form: view.Form}, now)
	}
	c.showData(w, v, status, view)
}

// importFile runs an import and puts its report into the view. It answers itself when nobody's file is at fault.
func (c *Console) importFile(w http.ResponseWriter, v visit, view *dataView, up Upload) bool {
	report, err := c.imports(v.Context(), up)
	text, hint, public := fault.Public(err)
	switch {
	case err == nil:
	case public && (fault.KindOf(err) == fault.KindInvalid || fault.KindOf(err) == fault.KindConflict):
		report.File, report.Status = cmp.Or(report.File, up.File.Name), ingest.Refused
		report.Problem, report.Hint = cmp.Or(report.Problem, text), cmp.Or(report.Hint, hint)
	default:
		c.fail(w, v.Request, err)
		return false
	}
	report.Problem, report.Hint = sentence(report.Problem), sentence(report.Hint)
	view.Report = &report
	return true
}

// changeData imports the file that was looked at, or forgets it.
func (c *Console) changeData(w http.ResponseWriter, v visit) {
	p, ok := c.importPlace(w, v, v.PostForm.Get("workspace"))
	if !ok {
		return
	}
	view := dataView{place: p}
	action := v.PostForm.Get("action")
	if action != "import" && action != "import-rest" && action != "forget" {
		c.Refuse(w, v.Request, http.StatusUnprocessableEntity, "This form asks for nothing that is known.")
		return
	}
	f, ok := c.shelf.take(v.PostForm.Get("file"), v.visitor.User.ID, p.Workspace.ID, c.now())
	if !ok {
		view.Problem = "The file is no longer here: it was imported or forgotten, or half an hour has passed. Send it again; nothing is imported twice."
		c.showData(w, v, http.StatusConflict, view)
		return
	}
	defer func() { _ = f.remove() }()
	if action == "forget" {
		see(w, dataPath+"?workspace="+string(p.Workspace.ID))
		return
	}
	_ = http.NewResponseController(w).SetWriteDeadline(c.now().Add(importTime))
	up := f.form.upload(p.Workspace.ID, f.file)
	up.SkipRejected = action == "import-rest"
	if !c.importFile(w, v, &view, up) {
		return
	}
	status := http.StatusOK
	if view.Report.Status == ingest.Refused {
		status = http.StatusUnprocessableEntity
	}
	c.showData(w, v, status, view)
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

var errTooLarge = errors.New("too large")

// bounded reads up to so many bytes, and fails when there are more.
type bounded struct {
	src  io.Reader
	left int64
}

// Read implements [io.Reader].
func (b *bounded) Read(p []byte) (int, error) {
	n, err := b.src.Read(p)
	if b.left -= int64(n); b.left < 0 {
		return 0, errTooLarge
	}
	return n, err
}

// unhurried reads what comes slowly: the deadline moves with every part, up to an end.
type unhurried struct {
	io.ReadCloser
	connection *http.ResponseController
	now        func() time.Time // the real clock
	end        time.Time
}

// Read implements [io.Reader].
func (u unhurried) Read(p []byte) (int, error) {
	until := u.now().Add(uploadPause)
	if until.After(u.end) {
		until = u.end
	}
	_ = u.connection.SetReadDeadline(until)
	return u.ReadCloser.Read(p)
}
