package setup_test

import (
	"archive/zip"
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"html"
	"io"
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
	"assay/internal/console/consoletest"
	"assay/internal/console/frame"
	"assay/internal/control"
	"assay/internal/fault"
	"assay/internal/ingest/source"
	"assay/internal/measure"
	"assay/internal/operation"
	"assay/internal/warehouse"
	"assay/internal/warehouse/duckdb"
)

// lock makes imports into the workspace acme wait until the function that it returns is called.
func lock(d *consoletest.DataSite) (unlock func()) {
	d.T.Helper()
	hold, done := make(chan struct{}), make(chan error, 1)
	d.OnChannel = func() {
		hold <- struct{}{} // the workspace is locked
		<-hold
	}
	go func() {
		_, err := operation.SetTarget.Do(d.T.Context(), d.Operations, operation.Call{Workspace: "acme", Caller: operation.Operator("test")}, operation.Target{
			Metric: "revenue", Period: "monthly", Start: civil.New(2036, time.November, 1), Channel: "facebook", Value: 1,
		})
		done <- err
	}()
	<-hold
	return func() {
		close(hold)
		if err := <-done; err != nil {
			d.T.Error(err)
		}
	}
}

// sell stores an order of each customer in the workspace acme.
func sell(d *consoletest.DataSite, emails ...string) {
	d.T.Helper()
	load, err := d.Facts.Begin(d.T.Context(), warehouse.ImportSpec{Workspace: "acme", Source: "test", Base: "USD"})
	if err != nil {
		d.T.Fatal(err)
	}
	defer load.Abort()
	at := time.Date(2026, 1, 10, 12, 0, 0, 0, time.UTC)
	for i, email := range emails {
		hash := source.NewCustomers(auth.NewInstallation(make([]byte, 32)).HashKey("acme")).Hashes(email)[0]
		order := warehouse.Order{
			OrderRef: warehouse.OrderRef{Source: "csv", Key: strconv.Itoa(i)}, At: at, Day: civil.DayOf(at, time.UTC),
			Surface: measure.OnlineStore, Customer: hash, Charged: 100, Status: "paid",
		}
		if err := load.Add(d.T.Context(), &warehouse.Batch{Orders: []warehouse.Order{order}}); err != nil {
			d.T.Fatal(err)
		}
	}
	if _, err := load.Commit(d.T.Context()); err != nil {
		d.T.Fatal(err)
	}
}

// orders returns how many orders the workspace acme has.
func orders(d *consoletest.DataSite) int64 {
	d.T.Helper()
	c, err := d.Facts.Coverage(d.T.Context(), "acme")
	if err != nil {
		d.T.Fatal(err)
	}
	return c.Orders
}

// waiting returns the number of uploaded files.
func waiting(d *consoletest.DataSite) int {
	d.T.Helper()
	files, err := os.ReadDir(d.Uploads)
	if err != nil {
		d.T.Fatal(err)
	}
	return len(files)
}

// sendFile uploads a file with the form of the Data page.
func sendFile(b *consoletest.Browser, csrf, name string, content []byte, fields ...string) consoletest.Page {
	b.T.Helper()
	var body bytes.Buffer
	w := multipart.NewWriter(&body)
	all := append([]string{"csrf", csrf, "workspace", "acme"}, fields...)
	for i := 0; i < len(all); i += 2 {
		if err := w.WriteField(all[i], all[i+1]); err != nil {
			b.T.Fatal(err)
		}
	}
	part, err := w.CreatePart(textproto.MIMEHeader{
		"Content-Disposition": {`form-data; name="file"; filename="` + strings.ReplaceAll(strings.ReplaceAll(name, `\`, `\\`), `"`, `\"`) + `"`},
	})
	if err != nil {
		b.T.Fatal(err)
	}
	if _, err := part.Write(content); err != nil {
		b.T.Fatal(err)
	}
	w.Close()
	r, err := http.NewRequestWithContext(b.T.Context(), http.MethodPost, b.URL+"/data/check", &body)
	if err != nil {
		b.T.Fatal(err)
	}
	r.Header.Set("Content-Type", w.FormDataContentType())
	r.Header.Set("Origin", b.URL)
	return b.Send(r)
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
	d := consoletest.NewData(t)
	d.Member(consoletest.Email, control.RoleAnalyst)
	b := d.SignedIn(consoletest.Email)
	first := b.Get("/data?workspace=acme")
	if first.Status != http.StatusOK || !strings.Contains(first.Body, "First import: orders") {
		t.Fatalf("empty store: %d %s", first.Status, first.Body)
	}
	looked := sendFile(b, first.Field("csrf"), "orders.csv", orderFile(7))
	for _, want := range []string{"orders.csv", "can be imported", "Rows: 7, rejected: 0", "$140.00", "Nov 11 – Nov 17, 2036", "(address)"} {
		if !strings.Contains(looked.Body, want) {
			t.Errorf("the preview does not contain %q", want)
		}
	}
	if looked.Status != http.StatusOK || orders(d) != 0 || waiting(d) != 1 || strings.Contains(looked.Body, "b1@example.com") {
		t.Fatalf("after the preview: %d, %d orders, %d files; or it shows an address", looked.Status, orders(d), waiting(d))
	}
	id := looked.Field("file")
	done := b.Form("/data", "action", "import", "file", id)
	if done.Status != http.StatusOK || !strings.Contains(done.Body, "orders.csv</bdi>: imported<") || orders(d) != 7 || waiting(d) != 0 {
		t.Errorf("import: %d, %d orders, %d files: %s", done.Status, orders(d), waiting(d), done.Body)
	}
	for _, want := range []string{"shopify", "9 days (Nov 11 – Nov 19, 2036), 2 without rows: Nov 18 – Nov 19<", "orders.csv", `<svg class="strip" role="img"`} {
		if !strings.Contains(done.Body, want) {
			t.Errorf("the page does not contain %q", want)
		}
	}
	if again := b.Form("/data", "action", "import", "file", id); again.Status != http.StatusConflict {
		t.Errorf("the same again: %d, want 409", again.Status)
	}
	if same := sendFile(b, first.Field("csrf"), "copy.csv", orderFile(7)); !strings.Contains(same.Body, "already imported") || waiting(d) != 0 {
		t.Errorf("the same file again: %d files wait: %s", waiting(d), same.Body)
	}
}

// An import that loses its lock in PostgreSQL is not stored.
func TestAnInterruptedImportAsksToBeRepeated(t *testing.T) {
	t.Parallel()
	d := consoletest.NewData(t, func(o *duckdb.Options) {
		o.Publish = func(context.Context, measure.WorkspaceID, *duckdb.Changes) (duckdb.Place, error) {
			return duckdb.Place{}, fault.Unavailable("the connection ended; nothing was stored").WithHint("repeat the import")
		}
	})
	d.Member(consoletest.Email, control.RoleAnalyst)
	b := d.SignedIn(consoletest.Email)
	looked := sendFile(b, b.Get("/data?workspace=acme").Field("csrf"), "orders.csv", orderFile(7))
	p := b.Form("/data", "action", "import", "file", looked.Field("file"))
	if p.Status != http.StatusServiceUnavailable || p.Header.Get("Retry-After") == "" || orders(d) != 0 {
		t.Errorf("the interrupted import: %d, Retry-After %q, %d orders; want 503 and none", p.Status, p.Header.Get("Retry-After"), orders(d))
	}
	for _, want := range []string{"Importing orders.csv was interrupted.", "nothing was stored. Repeat the import.", "upload the file again"} {
		if !strings.Contains(p.Body, want) {
			t.Errorf("the page does not contain %q: %s", want, p.Body)
		}
	}
}

// The page shows every finding, connection and import of the `diagnose` tool at detail level debug, except successful
// checks.
func TestDataPageShowsAllFindingsOfDiagnose(t *testing.T) {
	t.Parallel()
	d := consoletest.NewData(t)
	d.Member(consoletest.Email, control.RoleOwner)
	b := d.SignedIn(consoletest.Email)
	for name, content := range map[string][]byte{
		"orders.csv":  append(orderFile(3), orderRow(8, "12.00")...), // four days are missing
		"spend.csv":   []byte("date,channel,spend\n2036-10-01,posters,100\n2036-10-20,posters,50\n"),
		"regions.csv": []byte("date,region,sessions\n2036-11-19,CA,100\n"),
	} {
		looked := sendFile(b, b.Get("/data?workspace=acme").Field("csrf"), name, content)
		if p := b.Form("/data", "action", "import", "file", looked.Field("file")); p.Status != http.StatusOK {
			t.Fatalf("%s: %d %s", name, p.Status, looked.Body)
		}
	}
	w, err := d.Store.Workspace(t.Context(), "acme")
	if err != nil {
		t.Fatal(err)
	}
	text, err := d.Tools.Answer(t.Context(), auth.Principal{Workspace: w, Kind: auth.ByOAuth, Scopes: control.RoleOwner.Scopes()}, "diagnose", json.RawMessage(`{"detail_level":"debug"}`))
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
			wants = append(wants, fmt.Sprintf("days without rows: %d", c.Missed))
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
	page := b.Get("/data?workspace=acme")
	for _, want := range wants {
		if !strings.Contains(html.UnescapeString(page.Body), want) {
			t.Errorf("the page lacks %q", want)
		}
	}
}

func TestRejectedRowsAreShownAndCanBeSkipped(t *testing.T) {
	t.Parallel()
	d := consoletest.NewData(t)
	d.Member(consoletest.Email, control.RoleOwner)
	b := d.SignedIn(consoletest.Email)
	csrf := b.Get("/data?workspace=acme").Field("csrf")
	file := append(orderFile(2), orderRow(3, "twenty")...)
	looked := sendFile(b, csrf, "orders.csv", file)
	for _, want := range []string{"rejected, nothing changed", "Rejected rows", "<td>4</td>", "twenty", "without the rejected rows (1)"} {
		if !strings.Contains(looked.Body, want) {
			t.Errorf("the preview does not contain %q", want)
		}
	}
	if looked.Status != http.StatusUnprocessableEntity {
		t.Errorf("status %d, want 422", looked.Status)
	}
	if done := b.Form("/data", "action", "import-rest", "file", looked.Field("file")); done.Status != http.StatusOK || orders(d) != 2 {
		t.Errorf("the rest: %d, %d orders, want 2", done.Status, orders(d))
	}
}

func TestOnlyPermittedMembersImportTheirOwnUploads(t *testing.T) {
	t.Parallel()
	d := consoletest.NewData(t)
	d.Member(consoletest.Email, control.RoleOwner)
	d.Member("vera@acme.example", control.RoleViewer)
	d.Member("ana@acme.example", control.RoleAnalyst)
	owner, viewer, analyst := d.SignedIn(consoletest.Email), d.SignedIn("vera@acme.example"), d.SignedIn("ana@acme.example")
	page := viewer.Get("/data?workspace=acme")
	if page.Status != http.StatusOK || strings.Contains(page.Body, `type="file"`) {
		t.Errorf("a viewer: %d, or the form is visible", page.Status)
	}
	csrf := viewer.Get("/people?workspace=acme").Field("csrf")
	if p := sendFile(viewer, csrf, "orders.csv", orderFile(1)); p.Status != http.StatusForbidden {
		t.Errorf("a viewer sends a file: %d, want 403", p.Status)
	}
	looked := sendFile(owner, owner.Get("/data?workspace=acme").Field("csrf"), "orders.csv", orderFile(1))
	if p := analyst.Form("/data", "action", "import", "file", looked.Field("file")); p.Status != http.StatusConflict || orders(d) != 0 {
		t.Errorf("another person imports it: %d, %d orders", p.Status, orders(d))
	}
	if p := sendFile(owner, "", "orders.csv", orderFile(1)); p.Status != http.StatusForbidden {
		t.Errorf("without a token: %d, want 403", p.Status)
	}
	if p := sendFile(owner, csrf, "orders.csv", orderFile(1)); p.Status != http.StatusForbidden {
		t.Errorf("with another session's token: %d, want 403", p.Status)
	}
	if p := sendFile(d.Browser(), csrf, "orders.csv", orderFile(1)); p.Status != http.StatusForbidden {
		t.Errorf("signed out: %d, want 403", p.Status)
	}
	if p := sendFile(owner, looked.Field("csrf"), "orders.csv", orderFile(1), "workspace", "other"); p.Status != http.StatusNotFound {
		t.Errorf("into another workspace: %d, want 404", p.Status)
	}
	d.Clock.Move(31 * time.Minute)
	if p := owner.Form("/data", "action", "import", "file", looked.Field("file")); p.Status != http.StatusConflict || waiting(d) != 0 {
		t.Errorf("after half an hour: %d, %d files wait", p.Status, waiting(d))
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
	d := consoletest.NewData(t)
	d.Member(consoletest.Email, control.RoleOwner)
	b := d.SignedIn(consoletest.Email)
	csrf := b.Get("/data?workspace=acme").Field("csrf")
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
		p := sendFile(b, csrf, c.file, c.content)
		if p.Status == http.StatusSeeOther { // a large file is read in the background
			p = ended(d, b, p.Header.Get("Location"))
		}
		if p.Status != http.StatusUnprocessableEntity || !strings.Contains(p.Body, c.want) {
			t.Errorf("%s: %d, want 422 with %q: %.3000s", name, p.Status, c.want, p.Body)
		}
		if strings.Contains(p.Body, "<script>") || strings.Contains(p.Body, "<img src=x") {
			t.Errorf("%s: markup of the file is in the page", name)
		}
	}
	if waiting(d) > 1 || orders(d) != 0 { // the last file with unknown columns waits for a mapping
		t.Errorf("%d files wait, %d orders", waiting(d), orders(d))
	}
	if p := b.Post("/data/check", nil); p.Status != http.StatusUnsupportedMediaType {
		t.Errorf("a plain form: %d, want 415", p.Status)
	}
	if p := sendFile(b, csrf, "a.csv", orderFile(1), "source", strings.Repeat("x", 2000)); p.Status != http.StatusForbidden {
		t.Errorf("an endless field: %d, want 403", p.Status)
	}
}

func TestFileAboveTheLimitIsRejected(t *testing.T) {
	t.Parallel()
	if testing.Short() {
		t.Skip("sends 256 MiB")
	}
	d := consoletest.NewData(t)
	d.Member(consoletest.Email, control.RoleOwner)
	b := d.SignedIn(consoletest.Email)
	csrf := b.Get("/data?workspace=acme").Field("csrf")
	head := "--x\r\nContent-Disposition: form-data; name=\"csrf\"\r\n\r\n" + csrf +
		"\r\n--x\r\nContent-Disposition: form-data; name=\"workspace\"\r\n\r\nacme" +
		"\r\n--x\r\nContent-Disposition: form-data; name=\"file\"; filename=\"a.csv\"\r\n\r\n"
	body := io.MultiReader(strings.NewReader(head), io.LimitReader(zeros{}, 256<<20+1), strings.NewReader("\r\n--x--\r\n"))
	r, err := http.NewRequestWithContext(t.Context(), http.MethodPost, b.URL+"/data/check", body)
	if err != nil {
		t.Fatal(err)
	}
	r.Header.Set("Content-Type", "multipart/form-data; boundary=x")
	r.Header.Set("Origin", b.URL)
	if p := b.Send(r); p.Status != http.StatusRequestEntityTooLarge || !strings.Contains(p.Body, "larger than 256 MiB") || waiting(d) != 0 {
		t.Errorf("%d, %d files remain", p.Status, waiting(d))
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
	d := consoletest.NewData(t)
	d.Member(consoletest.Email, control.RoleAdmin)
	d.Member("ana@acme.example", control.RoleAnalyst)
	admin, analyst := d.SignedIn(consoletest.Email), d.SignedIn("ana@acme.example")
	if p := analyst.Get("/data?workspace=acme"); strings.Contains(p.Body, "webhooks/shopify/acme") {
		t.Error("an analyst sees the form")
	}
	if p := analyst.Form("/data/webhooks", "action", "add", "secret", "s3cret"); p.Status != http.StatusForbidden {
		t.Errorf("an analyst adds a secret: %d, want 403", p.Status)
	}
	if p := admin.Form("/data/webhooks", "action", "add", "secret", ""); p.Status != http.StatusUnprocessableEntity || !strings.Contains(p.Body, "A webhook secret must have 1 to 256 characters") {
		t.Errorf("no secret: %d", p.Status)
	}
	if p := admin.Form("/data/webhooks", "action", "add", "secret", "s3cret", "shop", "acme.myshopify.com"); p.Status != http.StatusSeeOther {
		t.Errorf("a secret: %d", p.Status)
	}
	kept, err := d.Store.HookSecrets(t.Context(), "acme")
	if err != nil || len(kept) != 1 {
		t.Fatalf("%d secrets are stored, %v; want one", len(kept), err)
	}
	p := admin.Get("/data?workspace=acme")
	if !strings.Contains(p.Body, d.URL+"/api/webhooks/shopify/acme") || !strings.Contains(p.Body, "<code>"+string(kept[0].ID)+"</code> for <bdi>acme.myshopify.com</bdi>") || strings.Contains(p.Body, "s3cret") {
		t.Error("the page lacks the address or the secret's line, or shows the secret")
	}
	if p := admin.Form("/data/webhooks", "action", "remove", "id", string(kept[0].ID)); p.Status != http.StatusSeeOther {
		t.Errorf("removal: %d", p.Status)
	}
	if all, err := d.Store.HookSecrets(t.Context(), "acme"); len(all) != 0 || err != nil {
		t.Errorf("%d secrets remain, %v", len(all), err)
	}
}

func TestOnlyAdminsForgetCustomers(t *testing.T) {
	t.Parallel()
	d := consoletest.NewData(t)
	d.Member(consoletest.Email, control.RoleAdmin)
	d.Member("ana@acme.example", control.RoleAnalyst)
	admin, analyst := d.SignedIn(consoletest.Email), d.SignedIn("ana@acme.example")
	if p := analyst.Get("/data?workspace=acme"); strings.Contains(p.Body, "Forget a customer…") {
		t.Error("an analyst sees the form")
	}
	if p := analyst.Form("/data/forget", "customer", "bo@example.com", "meant", "yes"); p.Status != http.StatusForbidden {
		t.Errorf("an analyst forgets a customer: %d, want 403", p.Status)
	}
	if p := admin.Get("/data?workspace=acme"); !strings.Contains(p.Body, "Forget a customer…") {
		t.Error("an admin does not see the form")
	}
	for name, fields := range map[string][]string{
		"The customer is missing.": {"customer", " ", "meant", "yes"},
		"The confirmation is missing: forgetting a customer cannot be undone.": {"customer", "bo@example.com"},
	} {
		p := admin.Form("/data/forget", fields...)
		if p.Status != http.StatusUnprocessableEntity || !strings.Contains(p.Body, name) || strings.Contains(p.Body, "bo@example.com") {
			t.Errorf("%v: %d, want 422, %q and no email address", fields, p.Status, name)
		}
	}
	sell(d, "bo@example.com", "cy@example.com", "cy@example.com")
	for customer, want := range map[string]string{
		"ed@example.com": "No order of the customer was found", "bo@example.com": "1 order is now anonymous", "cy@example.com": "2 orders are now anonymous",
	} {
		p := admin.Form("/data/forget", "customer", " "+customer+" ", "meant", "yes")
		if p.Status != http.StatusOK || !strings.Contains(p.Body, want) || strings.Contains(p.Body, customer) {
			t.Errorf("%s: %d, want 200, %q and no email address", customer, p.Status, want)
		}
	}
}
