package console_test

import (
	"archive/zip"
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"html"
	"io"
	"log/slog"
	"mime/multipart"
	"net/http"
	"net/textproto"
	"os"
	"strconv"
	"strings"
	"testing"
	"time"

	"assay/internal/auth"
	"assay/internal/civil"
	"assay/internal/console"
	"assay/internal/console/frame"
	"assay/internal/control"
	"assay/internal/fault"
	"assay/internal/ingest/source"
	"assay/internal/measure"
	"assay/internal/operation"
	"assay/internal/snapshot"
	"assay/internal/toolkit"
	"assay/internal/toolkit/toolkittest"
	"assay/internal/tools"
	"assay/internal/warehouse"
	"assay/internal/warehouse/duckdb"
)

// dataSite is a site with real facts, tools and the importer.
type dataSite struct {
	*site
	facts   *warehouse.Warehouse
	tools   *toolkit.Service
	uploads string
	hold    chan struct{} // see lock; nil: not held
	operate *operation.Service
}

// heldNames waits while the site is locked, then resolves the channel.
type heldNames struct {
	*toolkit.Service
	site *dataSite
}

func (n heldNames) Channel(ctx context.Context, w control.Workspace, name string) (measure.Channel, error) {
	if n.site.hold != nil {
		n.site.hold <- struct{}{} // the workspace is locked
		<-n.site.hold
	}
	return n.Service.Channel(ctx, w, name)
}

// lock makes imports into the workspace acme wait until the function that it returns is called.
func (d *dataSite) lock() (unlock func()) {
	d.t.Helper()
	d.hold = make(chan struct{})
	done := make(chan error, 1)
	go func() {
		_, err := operation.SetTarget.Do(d.t.Context(), d.operate, operation.Call{Workspace: "acme", Caller: operation.Operator("test")}, operation.Target{
			Metric: "revenue", Period: "monthly", Start: civil.New(2036, time.November, 1), Channel: "facebook", Value: 1,
		})
		done <- err
	}()
	<-d.hold
	return func() {
		close(d.hold)
		if err := <-done; err != nil {
			d.t.Error(err)
		}
	}
}

type siteHistory struct {
	*warehouse.Warehouse
	*snapshot.Reader
}

func newDataSite(t *testing.T, change ...func(*duckdb.Options)) *dataSite {
	t.Helper()
	d := &dataSite{uploads: t.TempDir()}
	d.site = newSiteWith(t, func(s *site, o *console.Options) {
		s.clock.at = s.clock.at.AddDate(10, 0, 0) // the real deadlines of connections are far away
		options := duckdb.Options{Dir: t.TempDir(), Log: slog.New(slog.DiscardHandler), Clock: s.clock.now}
		for _, f := range change {
			f(&options)
		}
		engine, err := duckdb.Open(t.Context(), options)
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { engine.Close(context.Background()) })
		d.facts = warehouse.New(engine)
		service, err := toolkit.NewService(toolkit.Deps{
			Sources: snapshot.Sources{Facts: d.facts, Models: toolkittest.Nothing{}, Experiments: toolkittest.Nothing{}, Governance: s.store, Clock: s.clock.now, Now: s.clock.now},
			Keys:    s.store, Hooks: toolkittest.Nothing{}, Calls: toolkittest.Nothing{}, Callers: toolkittest.Nothing{},
			Log: slog.New(slog.DiscardHandler),
		}, tools.All())
		if err != nil {
			t.Fatal(err)
		}
		d.tools = service
		o.Ask, o.Uploads, o.History = service.Answer, d.uploads, siteHistory{d.facts, service.Snapshots()}
		d.operate = s.operations(operation.Facts{Warehouse: d.facts, Known: heldNames{service, d}, Lag: service.Snapshots(), Snapshots: service.Snapshots()})
		o.Operations = d.operate
	})
	return d
}

// sell stores an order of each customer in the workspace acme.
func (d *dataSite) sell(emails ...string) {
	d.t.Helper()
	load, err := d.facts.Begin(d.t.Context(), warehouse.ImportSpec{Workspace: "acme", Source: "test", Base: "USD"})
	if err != nil {
		d.t.Fatal(err)
	}
	defer load.Abort()
	at := time.Date(2026, 1, 10, 12, 0, 0, 0, time.UTC)
	for i, email := range emails {
		hash := source.NewCustomers(auth.NewInstallation(make([]byte, 32)).HashKey("acme")).Hashes(email)[0]
		order := warehouse.Order{
			OrderRef: warehouse.OrderRef{Source: "csv", Key: strconv.Itoa(i)}, At: at, Day: civil.DayOf(at, time.UTC),
			Surface: measure.OnlineStore, Customer: hash, Charged: 100, Status: "paid",
		}
		if err := load.Add(d.t.Context(), &warehouse.Batch{Orders: []warehouse.Order{order}}); err != nil {
			d.t.Fatal(err)
		}
	}
	if _, err := load.Commit(d.t.Context()); err != nil {
		d.t.Fatal(err)
	}
}

// orders returns how many orders the workspace acme has.
func (d *dataSite) orders() int64 {
	d.t.Helper()
	c, err := d.facts.Coverage(d.t.Context(), "acme")
	if err != nil {
		d.t.Fatal(err)
	}
	return c.Orders
}

// waiting returns the number of uploaded files.
func (d *dataSite) waiting() int {
	d.t.Helper()
	files, err := os.ReadDir(d.uploads)
	if err != nil {
		d.t.Fatal(err)
	}
	return len(files)
}

// sendFile uploads a file with the form of the Data page.
func (b *browser) sendFile(csrf, name string, content []byte, fields ...string) seen {
	b.t.Helper()
	var body bytes.Buffer
	w := multipart.NewWriter(&body)
	all := append([]string{"csrf", csrf, "workspace", "acme"}, fields...)
	for i := 0; i < len(all); i += 2 {
		if err := w.WriteField(all[i], all[i+1]); err != nil {
			b.t.Fatal(err)
		}
	}
	part, err := w.CreatePart(textproto.MIMEHeader{
		"Content-Disposition": {`form-data; name="file"; filename="` + strings.ReplaceAll(strings.ReplaceAll(name, `\`, `\\`), `"`, `\"`) + `"`},
	})
	if err != nil {
		b.t.Fatal(err)
	}
	if _, err := part.Write(content); err != nil {
		b.t.Fatal(err)
	}
	w.Close()
	r, err := http.NewRequestWithContext(b.t.Context(), http.MethodPost, b.url+"/data/check", &body)
	if err != nil {
		b.t.Fatal(err)
	}
	r.Header.Set("Content-Type", w.FormDataContentType())
	r.Header.Set("Origin", b.url)
	return b.send(r)
}

const orderHeader = "Name,Email,Financial Status,Paid at,Currency,Subtotal,Shipping,Taxes,Total,Discount Code,Discount Amount,Created at," +
	"Lineitem quantity,Lineitem name,Lineitem price,Lineitem sku,Cancelled at,Payment Method,Refunded Amount,Id,Tags,Source\n"

func orderRow(id int, total string) string {
	return fmt.Sprintf("#%d,b%d@example.com,paid,2036-11-1%d 10:00:00 +0000,USD,%s,0.00,0.00,%s,,0.00,2036-11-1%d 10:00:00 +0000,1,Tee,%s,TEE,,Cash,0.00,%d,,web\n",
		id, id, id%9, total, total, id%9, total, 5000+id)
}

func orderFile(n int) []byte {
	text := orderHeader
	for i := 1; i <= n; i++ {
		text += orderRow(i, "20.00")
	}
	return []byte(text)
}

func TestFileIsPreviewedBeforeImport(t *testing.T) {
	t.Parallel()
	d := newDataSite(t)
	d.member(email, control.RoleAnalyst)
	b := d.signedIn(email)
	first := b.get("/data?workspace=acme")
	if first.status != http.StatusOK || !strings.Contains(first.body, "First import: orders") {
		t.Fatalf("empty store: %d %s", first.status, first.body)
	}
	looked := b.sendFile(first.field("csrf"), "orders.csv", orderFile(7))
	for _, want := range []string{"orders.csv", "can be imported", "7 rows, 0 rejected", "$140.00", "Nov 11 – Nov 17, 2036", "(address)"} {
		if !strings.Contains(looked.body, want) {
			t.Errorf("the preview does not contain %q", want)
		}
	}
	if looked.status != http.StatusOK || d.orders() != 0 || d.waiting() != 1 || strings.Contains(looked.body, "b1@example.com") {
		t.Fatalf("after the preview: %d, %d orders, %d files; or it shows an address", looked.status, d.orders(), d.waiting())
	}
	id := looked.field("file")
	done := b.form("/data", "action", "import", "file", id)
	if done.status != http.StatusOK || !strings.Contains(done.body, "orders.csv</bdi>: imported<") || d.orders() != 7 || d.waiting() != 0 {
		t.Errorf("import: %d, %d orders, %d files: %s", done.status, d.orders(), d.waiting(), done.body)
	}
	for _, want := range []string{"shopify", "9 days, Nov 11 – Nov 19, 2036, 2 without rows: Nov 18 – Nov 19<", "orders.csv", `<svg class="strip" role="img"`} {
		if !strings.Contains(done.body, want) {
			t.Errorf("the page does not contain %q", want)
		}
	}
	if again := b.form("/data", "action", "import", "file", id); again.status != http.StatusConflict {
		t.Errorf("the same again: %d, want 409", again.status)
	}
	if same := b.sendFile(first.field("csrf"), "copy.csv", orderFile(7)); !strings.Contains(same.body, "already imported") || d.waiting() != 0 {
		t.Errorf("the same file again: %d files wait: %s", d.waiting(), same.body)
	}
}

// An import that loses its lock in PostgreSQL is not stored.
func TestAnInterruptedImportAsksToBeRepeated(t *testing.T) {
	t.Parallel()
	d := newDataSite(t, func(o *duckdb.Options) {
		o.Publish = func(context.Context, measure.WorkspaceID, *duckdb.Changes) (duckdb.Place, error) {
			return duckdb.Place{}, fault.Unavailable("the connection ended; nothing was stored").WithHint("repeat the import")
		}
	})
	d.member(email, control.RoleAnalyst)
	b := d.signedIn(email)
	looked := b.sendFile(b.get("/data?workspace=acme").field("csrf"), "orders.csv", orderFile(7))
	p := b.form("/data", "action", "import", "file", looked.field("file"))
	if p.status != http.StatusServiceUnavailable || p.header.Get("Retry-After") == "" || d.orders() != 0 {
		t.Errorf("the interrupted import: %d, Retry-After %q, %d orders; want 503 and none", p.status, p.header.Get("Retry-After"), d.orders())
	}
	for _, want := range []string{"Importing orders.csv was interrupted.", "nothing was stored. Repeat the import.", "upload the file again"} {
		if !strings.Contains(p.body, want) {
			t.Errorf("the page does not contain %q: %s", want, p.body)
		}
	}
}

// The page shows every finding, connection and import of the `diagnose` tool at detail level debug, except successful
// checks.
func TestDataPageShowsAllFindingsOfDiagnose(t *testing.T) {
	t.Parallel()
	d := newDataSite(t)
	d.member(email, control.RoleOwner)
	b := d.signedIn(email)
	for name, content := range map[string][]byte{
		"orders.csv":  append(orderFile(3), orderRow(8, "12.00")...), // four days are missing
		"spend.csv":   []byte("date,channel,spend\n2036-10-01,posters,100\n2036-10-20,posters,50\n"),
		"regions.csv": []byte("date,region,sessions\n2036-11-19,CA,100\n"),
	} {
		looked := b.sendFile(b.get("/data?workspace=acme").field("csrf"), name, content)
		if p := b.form("/data", "action", "import", "file", looked.field("file")); p.status != http.StatusOK {
			t.Fatalf("%s: %d %s", name, p.status, looked.body)
		}
	}
	w, err := d.store.Workspace(t.Context(), "acme")
	if err != nil {
		t.Fatal(err)
	}
	text, err := d.tools.Answer(t.Context(), auth.Principal{Workspace: w, Kind: auth.ByOAuth, Scopes: control.RoleOwner.Scopes()}, "diagnose", json.RawMessage(`{"detail_level":"debug"}`))
	if err != nil {
		t.Fatal(err)
	}
	var result struct {
		StructuredContent struct {
			Summary     string
			Rows        []struct{ Check, Severity, Finding, Fix string }
			Connections []struct {
				Source, Kind, Account, Status string
				Rows                          int64
				First                         civil.Date `json:"first_day"`
				Last                          civil.Date `json:"last_day"`
				Missed                        int64      `json:"missing_days"`
				Behind                        int64      `json:"days_behind"`
				Imported                      time.Time  `json:"last_import"`
			}
			Imports []struct {
				At                                    time.Time
				Source, File                          string
				Inserted, Updated, Unchanged, Removed int64
			}
		}
	}
	if err := json.Unmarshal(text, &result); err != nil {
		t.Fatal(err)
	}
	diagnosis := result.StructuredContent
	wants := []string{diagnosis.Summary}
	for _, r := range diagnosis.Rows {
		if r.Severity != "ok" {
			wants = append(wants, "<bdi>"+r.Check+"</bdi>", r.Finding, r.Fix)
		}
	}
	for _, c := range diagnosis.Connections {
		wants = append(wants, "<bdi>"+frame.SourceName(c.Source)+"</bdi>", c.Kind, c.Account, `">`+c.Status+`</span>`,
			fmt.Sprintf(`<td class="number">%d<`, c.Rows), c.First.UTC().Format("Jan 2 – ")+c.Last.UTC().Format("Jan 2, 2006"), c.Imported.UTC().Format("Jan 2, 2006, 15:04 UTC"))
		if c.Missed > 0 {
			wants = append(wants, fmt.Sprintf("%d days without rows", c.Missed))
		}
		if c.Behind > 1 {
			wants = append(wants, fmt.Sprintf("%d days behind", c.Behind))
		}
	}
	for _, i := range diagnosis.Imports {
		wants = append(wants, i.At.Format("Jan 2, 2006 15:04:05"), i.Source, i.File, fmt.Sprintf(">%d new<", i.Inserted), fmt.Sprintf(">%d updated ·", i.Updated))
	}
	if len(diagnosis.Connections) != 2 || len(diagnosis.Imports) != 3 || len(wants) < 40 {
		t.Errorf("the answer has %d sources and %d imports in %d facts; want 2 and 3", len(diagnosis.Connections), len(diagnosis.Imports), len(wants))
	}
	page := b.get("/data?workspace=acme")
	for _, want := range wants {
		if !strings.Contains(html.UnescapeString(page.body), want) {
			t.Errorf("the page lacks %q", want)
		}
	}
}

func TestRejectedRowsAreShownAndCanBeSkipped(t *testing.T) {
	t.Parallel()
	d := newDataSite(t)
	d.member(email, control.RoleOwner)
	b := d.signedIn(email)
	csrf := b.get("/data?workspace=acme").field("csrf")
	file := append(orderFile(2), orderRow(3, "twenty")...)
	looked := b.sendFile(csrf, "orders.csv", file)
	for _, want := range []string{"rejected, nothing changed", "Rejected rows", "<td>4</td>", "twenty", "without the rejected rows (1)"} {
		if !strings.Contains(looked.body, want) {
			t.Errorf("the preview does not contain %q", want)
		}
	}
	if looked.status != http.StatusUnprocessableEntity {
		t.Errorf("status %d, want 422", looked.status)
	}
	if done := b.form("/data", "action", "import-rest", "file", looked.field("file")); done.status != http.StatusOK || d.orders() != 2 {
		t.Errorf("the rest: %d, %d orders, want 2", done.status, d.orders())
	}
}

func TestOnlyPermittedMembersImportTheirOwnUploads(t *testing.T) {
	t.Parallel()
	d := newDataSite(t)
	d.member(email, control.RoleOwner)
	d.member("vera@acme.example", control.RoleViewer)
	d.member("ana@acme.example", control.RoleAnalyst)
	owner, viewer, analyst := d.signedIn(email), d.signedIn("vera@acme.example"), d.signedIn("ana@acme.example")
	page := viewer.get("/data?workspace=acme")
	if page.status != http.StatusOK || strings.Contains(page.body, `type="file"`) {
		t.Errorf("a viewer: %d, or the form is visible", page.status)
	}
	csrf := viewer.get("/people?workspace=acme").field("csrf")
	if p := viewer.sendFile(csrf, "orders.csv", orderFile(1)); p.status != http.StatusForbidden {
		t.Errorf("a viewer sends a file: %d, want 403", p.status)
	}
	looked := owner.sendFile(owner.get("/data?workspace=acme").field("csrf"), "orders.csv", orderFile(1))
	if p := analyst.form("/data", "action", "import", "file", looked.field("file")); p.status != http.StatusConflict || d.orders() != 0 {
		t.Errorf("another person imports it: %d, %d orders", p.status, d.orders())
	}
	if p := owner.sendFile("", "orders.csv", orderFile(1)); p.status != http.StatusForbidden {
		t.Errorf("without a token: %d, want 403", p.status)
	}
	if p := owner.sendFile(csrf, "orders.csv", orderFile(1)); p.status != http.StatusForbidden {
		t.Errorf("with another session's token: %d, want 403", p.status)
	}
	if p := d.browser().sendFile(csrf, "orders.csv", orderFile(1)); p.status != http.StatusForbidden {
		t.Errorf("signed out: %d, want 403", p.status)
	}
	if p := owner.sendFile(looked.field("csrf"), "orders.csv", orderFile(1), "workspace", "other"); p.status != http.StatusNotFound {
		t.Errorf("into another workspace: %d, want 404", p.status)
	}
	d.clock.move(31 * time.Minute)
	if p := owner.form("/data", "action", "import", "file", looked.field("file")); p.status != http.StatusConflict || d.waiting() != 0 {
		t.Errorf("after half an hour: %d, %d files wait", p.status, d.waiting())
	}
}

// bomb is a small workbook with a sheet that unpacks to more than the limit.
func bomb(t *testing.T) []byte {
	t.Helper()
	var packed bytes.Buffer
	z := zip.NewWriter(&packed)
	for name, text := range map[string]string{
		"[Content_Types].xml":        `<?xml version="1.0"?><Types xmlns="http://schemas.openxmlformats.org/package/2006/content-types"><Default Extension="xml" ContentType="application/xml"/></Types>`,
		"xl/workbook.xml":            `<?xml version="1.0"?><workbook xmlns="http://schemas.openxmlformats.org/spreadsheetml/2006/main"><sheets><sheet name="a" sheetId="1" r:id="rId1" xmlns:r="http://schemas.openxmlformats.org/officeDocument/2006/relationships"/></sheets></workbook>`,
		"xl/_rels/workbook.xml.rels": `<?xml version="1.0"?><Relationships xmlns="http://schemas.openxmlformats.org/package/2006/relationships"><Relationship Id="rId1" Type="http://schemas.openxmlformats.org/officeDocument/2006/relationships/worksheet" Target="worksheets/sheet1.xml"/></Relationships>`,
	} {
		f, err := z.Create(name)
		if err != nil {
			t.Fatal(err)
		}
		fmt.Fprint(f, text)
	}
	f, err := z.Create("xl/worksheets/sheet1.xml")
	if err != nil {
		t.Fatal(err)
	}
	zeros := make([]byte, 1<<20)
	for range 160 {
		if _, err := f.Write(zeros); err != nil {
			t.Fatal(err)
		}
	}
	if err := z.Close(); err != nil {
		t.Fatal(err)
	}
	return packed.Bytes()
}

func TestHostileFilesAreRejectedWithTheReason(t *testing.T) {
	t.Parallel()
	d := newDataSite(t)
	d.member(email, control.RoleOwner)
	b := d.signedIn(email)
	csrf := b.get("/data?workspace=acme").field("csrf")
	for name, c := range map[string]struct {
		file    string
		content []byte
		want    string
	}{
		"zip bomb":        {"a.xlsx", bomb(t), "rejected"},
		"not a workbook":  {"a.xlsx", []byte("PK\x03\x04garbage"), "cannot be read"},
		"broken gzip":     {"a.csv.gz", []byte("\x1f\x8b\x08garbage that is none"), "cannot be read"},
		"huge header":     {"a.csv", []byte(strings.Repeat("column,", 100_000) + "\n1\n"), "rejected"},
		"one endless row": {"a.csv", bytes.Repeat([]byte("x"), 6<<20), "rejected"},
		"a program":       {"a.exe", []byte("MZ\x90\x00\x03\x00\x00\x00" + strings.Repeat("\x00\xff", 500)), "rejected"},
		"markup":          {`<img src=x onerror=alert(1)>.csv`, []byte("<script>alert(1)</script>,b\n1,2\n"), "&lt;script&gt;"},
		"nothing":         {"a.csv", nil, "rejected"},
		"path":            {`..\..\secret/../../etc/passwd`, []byte("a,b\n1,2\n"), "<bdi>passwd</bdi>"},
		"no name":         {"", orderFile(1), "Choose a file first"},
	} {
		p := b.sendFile(csrf, c.file, c.content)
		if p.status == http.StatusSeeOther { // a large file is read in the background
			p = d.ended(b, p.header.Get("Location"))
		}
		if p.status != http.StatusUnprocessableEntity || !strings.Contains(p.body, c.want) {
			t.Errorf("%s: %d, want 422 with %q: %.3000s", name, p.status, c.want, p.body)
		}
		if strings.Contains(p.body, "<script>") || strings.Contains(p.body, "<img src=x") {
			t.Errorf("%s: markup of the file is in the page", name)
		}
	}
	if d.waiting() > 1 || d.orders() != 0 { // the last file with unknown columns waits for a mapping
		t.Errorf("%d files wait, %d orders", d.waiting(), d.orders())
	}
	if p := b.post("/data/check", nil); p.status != http.StatusUnsupportedMediaType {
		t.Errorf("a plain form: %d, want 415", p.status)
	}
	if p := b.sendFile(csrf, "a.csv", orderFile(1), "source", strings.Repeat("x", 2000)); p.status != http.StatusForbidden {
		t.Errorf("an endless field: %d, want 403", p.status)
	}
}

func TestFileAboveTheLimitIsRejected(t *testing.T) {
	t.Parallel()
	if testing.Short() {
		t.Skip("sends 256 MiB")
	}
	d := newDataSite(t)
	d.member(email, control.RoleOwner)
	b := d.signedIn(email)
	csrf := b.get("/data?workspace=acme").field("csrf")
	head := "--x\r\nContent-Disposition: form-data; name=\"csrf\"\r\n\r\n" + csrf +
		"\r\n--x\r\nContent-Disposition: form-data; name=\"workspace\"\r\n\r\nacme" +
		"\r\n--x\r\nContent-Disposition: form-data; name=\"file\"; filename=\"a.csv\"\r\n\r\n"
	body := io.MultiReader(strings.NewReader(head), io.LimitReader(zeros{}, 256<<20+1), strings.NewReader("\r\n--x--\r\n"))
	r, err := http.NewRequestWithContext(t.Context(), http.MethodPost, b.url+"/data/check", body)
	if err != nil {
		t.Fatal(err)
	}
	r.Header.Set("Content-Type", "multipart/form-data; boundary=x")
	r.Header.Set("Origin", b.url)
	if p := b.send(r); p.status != http.StatusRequestEntityTooLarge || !strings.Contains(p.body, "larger than 256 MiB") || d.waiting() != 0 {
		t.Errorf("%d, %d files remain", p.status, d.waiting())
	}
}

// zeros is an endless stream of zeros.
type zeros struct{}

func (zeros) Read(p []byte) (int, error) {
	clear(p)
	return len(p), nil
}

func TestOnlyAdminsManageWebhookSecrets(t *testing.T) {
	t.Parallel()
	d := newDataSite(t)
	d.member(email, control.RoleAdmin)
	d.member("ana@acme.example", control.RoleAnalyst)
	admin, analyst := d.signedIn(email), d.signedIn("ana@acme.example")
	if p := analyst.get("/data?workspace=acme"); strings.Contains(p.body, "webhooks/shopify/acme") {
		t.Error("an analyst sees the form")
	}
	if p := analyst.form("/data/webhooks", "action", "add", "secret", "s3cret"); p.status != http.StatusForbidden {
		t.Errorf("an analyst adds a secret: %d, want 403", p.status)
	}
	if p := admin.form("/data/webhooks", "action", "add", "secret", ""); p.status != http.StatusUnprocessableEntity || !strings.Contains(p.body, "A webhook secret must have 1 to 256 characters") {
		t.Errorf("no secret: %d", p.status)
	}
	if p := admin.form("/data/webhooks", "action", "add", "secret", "s3cret", "shop", "acme.myshopify.com"); p.status != http.StatusSeeOther {
		t.Errorf("a secret: %d", p.status)
	}
	kept, err := d.store.HookSecrets(t.Context(), "acme")
	if err != nil || len(kept) != 1 {
		t.Fatalf("%d secrets are stored, %v; want one", len(kept), err)
	}
	p := admin.get("/data?workspace=acme")
	if !strings.Contains(p.body, d.url+"/api/webhooks/shopify/acme") || !strings.Contains(p.body, "<code>"+string(kept[0].ID)+"</code> for <bdi>acme.myshopify.com</bdi>") || strings.Contains(p.body, "s3cret") {
		t.Error("the page lacks the address or the secret's line, or shows the secret")
	}
	if p := admin.form("/data/webhooks", "action", "remove", "id", string(kept[0].ID)); p.status != http.StatusSeeOther {
		t.Errorf("removal: %d", p.status)
	}
	if all, err := d.store.HookSecrets(t.Context(), "acme"); len(all) != 0 || err != nil {
		t.Errorf("%d secrets remain, %v", len(all), err)
	}
}

func TestOnlyAdminsForgetCustomers(t *testing.T) {
	t.Parallel()
	d := newDataSite(t)
	d.member(email, control.RoleAdmin)
	d.member("ana@acme.example", control.RoleAnalyst)
	admin, analyst := d.signedIn(email), d.signedIn("ana@acme.example")
	if p := analyst.get("/data?workspace=acme"); strings.Contains(p.body, "Forget a customer…") {
		t.Error("an analyst sees the form")
	}
	if p := analyst.form("/data/forget", "customer", "bo@example.com", "meant", "yes"); p.status != http.StatusForbidden {
		t.Errorf("an analyst forgets a customer: %d, want 403", p.status)
	}
	if p := admin.get("/data?workspace=acme"); !strings.Contains(p.body, "Forget a customer…") {
		t.Error("an admin does not see the form")
	}
	for name, fields := range map[string][]string{
		"The customer is missing.":                {"customer", " ", "meant", "yes"},
		"Forgetting a customer cannot be undone.": {"customer", "bo@example.com"},
	} {
		p := admin.form("/data/forget", fields...)
		if p.status != http.StatusUnprocessableEntity || !strings.Contains(p.body, name) || strings.Contains(p.body, "bo@example.com") {
			t.Errorf("%v: %d, want 422, %q and no email address", fields, p.status, name)
		}
	}
	d.sell("bo@example.com", "cy@example.com", "cy@example.com")
	for customer, want := range map[string]string{
		"ed@example.com": "No order matched", "bo@example.com": "1 order is now anonymous", "cy@example.com": "2 orders are now anonymous",
	} {
		p := admin.form("/data/forget", "customer", " "+customer+" ", "meant", "yes")
		if p.status != http.StatusOK || !strings.Contains(p.body, want) || strings.Contains(p.body, customer) {
			t.Errorf("%s: %d, want 200, %q and no email address", customer, p.status, want)
		}
	}
}
