package console_test

import (
	"bytes"
	"compress/gzip"
	"fmt"
	"log/slog"
	"net/http"
	"net/url"
	"strings"
	"testing"
	"time"

	"assay/internal/control"
	"assay/internal/ingest"
	"assay/internal/ingest/mapper"
)

const tillFile = "Receipt;Closed;Paid;Loyalty card;Type\n" +
	"R-1;10.11.2036 09:30;1.020,50;anna@example.com;sale\n" +
	"R-2;11.11.2036 19:05;20,00;;sale\n"

// unknown uploads a file that no source reads, and opens the mapping page.
func (d *dataSite) unknown(b *browser, name, content string) (page seen, file string) {
	d.t.Helper()
	looked := b.sendFile(b.get("/data?workspace=acme").field("csrf"), name, []byte(content))
	file = looked.field("file")
	if looked.status != http.StatusUnprocessableEntity || file == "" || !strings.Contains(looked.body, "Map the columns") {
		d.t.Fatalf("a file that no source reads: %d, file %q: %s", looked.status, file, looked.body)
	}
	page = b.get("/data/mapping?" + url.Values{"workspace": {"acme"}, "file": {file}}.Encode())
	if page.status != http.StatusOK {
		d.t.Fatalf("the mapping's page: %d %s", page.status, page.body)
	}
	return page, file
}

func tillForm(file string, more ...string) []string {
	return append([]string{
		"file", file, "kind", "orders", "column.order", "Receipt", "column.at", "Closed", "column.total", "Paid", "column.customer", "Loyalty card",
		"fixed.currency", "USD", "fixed.surface", "retail", "layout", "DD.MM.YYYY HH:mm", "name", "till",
	}, more...)
}

func TestColumnsAreMappedCheckedSavedAndImported(t *testing.T) {
	t.Parallel()
	d := newDataSite(t)
	d.member(email, control.RoleAnalyst)
	b := d.signedIn(email)
	page, file := d.unknown(b, "till-2036-11.csv", tillFile)
	for _, want := range []string{`<option value="Receipt">Receipt: R-1</option>`, `Closed: 10.11.2036 09:30`, `value="till"`, "(address)"} {
		if !strings.Contains(page.body, want) {
			t.Errorf("the page does not contain %q", want)
		}
	}
	if strings.Contains(page.body, "anna@example.com") {
		t.Error("the page shows an address of the file")
	}
	checked := b.form("/data/mapping", tillForm(file, "action", "check")...)
	for _, want := range []string{"can be imported", "<bdi>R-1</bdi>", "<bdi>2036-11-10 09:30 UTC</bdi>", "<bdi>USD 1,020.50</bdi>", "stored as a hash", "$1,040.50", "Save and import"} {
		if !strings.Contains(checked.body, want) {
			t.Errorf("the check does not report %q", want)
		}
	}
	if all, err := d.store.Mappings(t.Context(), "acme"); checked.status != http.StatusOK || d.orders() != 0 || len(all) != 0 || err != nil {
		t.Fatalf("after the check: %d, %d orders, %d mappings, %v: %s", checked.status, d.orders(), len(all), err, checked.body)
	}
	done := b.form("/data/mapping", tillForm(file, "action", "import")...)
	if done.status != http.StatusOK || d.orders() != 2 || d.waiting() != 0 || !strings.Contains(done.body, "imported<") {
		t.Fatalf("import: %d, %d orders, %d files wait: %s", done.status, d.orders(), d.waiting(), done.body)
	}
	// The command reads the same file with the saved mapping and finds it already imported.
	kept, err := d.store.Mapping(t.Context(), "acme", "till")
	if err != nil {
		t.Fatal(err)
	}
	m, err := mapper.Parse([]byte(kept.Content))
	if err != nil {
		t.Fatal(err)
	}
	w, err := d.store.Workspace(t.Context(), "acme")
	if err != nil {
		t.Fatal(err)
	}
	spooled, remove, err := ingest.Spool("", "till.csv", strings.NewReader(tillFile))
	if err != nil {
		t.Fatal(err)
	}
	defer remove()
	again, err := ingest.Run(t.Context(), d.facts, ingest.Options{
		Workspace: w, HashKey: []byte("key"), Files: []ingest.File{spooled}, Mapping: &m, Clock: d.clock.now, Log: slog.New(slog.DiscardHandler),
	})
	if err != nil || again.Files[0].Status != ingest.Already {
		t.Errorf("the command finds the file %+v, %v; want it already imported", again.Files, err)
	}
	// A similar file is read with the mapping if the form names the mapping.
	next := b.sendFile(done.field("csrf"), "till-2036-12.csv", []byte(strings.ReplaceAll(tillFile, "R-", "S-")), "source", "mapping:till")
	if next.status != http.StatusOK || !strings.Contains(next.body, "can be imported") {
		t.Errorf("the next file: %d %s", next.status, next.body)
	}
	if p := b.form("/data", "action", "import", "file", next.field("file")); p.status != http.StatusOK || d.orders() != 4 {
		t.Errorf("its import: %d, %d orders", p.status, d.orders())
	}
	// Otherwise the page suggests the mapping.
	like := b.sendFile(done.field("csrf"), "till-2037-01.csv", []byte(strings.ReplaceAll(tillFile, "R-", "T-")))
	if !strings.Contains(like.body, "Your mapping <bdi>till</bdi> fits this file") {
		t.Error("the mapping that fits is not named")
	}
}

func TestMappingErrorsAreShownAtTheirFields(t *testing.T) {
	t.Parallel()
	d := newDataSite(t)
	d.member(email, control.RoleOwner)
	b := d.signedIn(email)
	_, file := d.unknown(b, "till.csv", tillFile)
	for name, c := range map[string]struct {
		fields []string
		at     string // ID of the text
		want   string
	}{
		"no column":          {tillForm(file, "column.total", ""), "wrong-total", "Choose the column for this field."},
		"a column is absent": {tillForm(file, "column.total", "Sum"), "wrong-total", "no column &#34;Sum&#34;"},
		"no currency":        {tillForm(file, "fixed.currency", "euro"), "wrong-currency", "is not a currency"},
		"no zone":            {tillForm(file, "zone", "Mars/Olympus"), "zone-wrong", "Europe/Berlin"},
		"no name":            {tillForm(file, "name", " "), "name-wrong", "Give the mapping a name"},
		"a path":             {tillForm(file, "name", "/etc/passwd"), "name-wrong", "letters, digits"},
		"a long title":       {tillForm(file, "title", strings.Repeat("x", 101)), "title-wrong", "up to 100 characters"},
		"a source's name":    {tillForm(file, "name", "orders"), "name-wrong", "name of a built-in source"},
		"another layout":     {tillForm(file, "layout", "YYYY-MM-DD"), "wrong-at", "Line 2: &#34;10.11.2036 09:30&#34; is not in the mapping&#39;s layout YYYY-MM-DD"},
		"no amount":          {tillForm(file, "column.total", "Type"), "wrong-total", "Line 2"},
		"a wrong separator":  {tillForm(file, "decimal", "point"), "wrong-total", "Line 2"},
		"no kind":            {tillForm(file, "kind", "salad"), "kind-wrong", "must be one of"},
	} {
		p := b.form("/data/mapping", append(c.fields, "action", "check")...)
		_, text, found := strings.Cut(p.body, `id="`+c.at+`">`)
		text, _, _ = strings.Cut(text, "</p>")
		if p.status != http.StatusUnprocessableEntity || !found || !strings.Contains(text, c.want) {
			t.Errorf("%s: %d, at %s got %q, want %q", name, p.status, c.at, text, c.want)
		}
	}
	if all, err := d.store.Mappings(t.Context(), "acme"); len(all) != 0 || err != nil || d.orders() != 0 {
		t.Errorf("%d mappings are stored, %d orders imported, %v", len(all), d.orders(), err)
	}
}

func TestOnlyImportersManageMappings(t *testing.T) {
	t.Parallel()
	d := newDataSite(t)
	d.member(email, control.RoleOwner)
	d.member("vera@acme.example", control.RoleViewer)
	d.member("ana@acme.example", control.RoleAnalyst)
	owner, viewer, analyst := d.signedIn(email), d.signedIn("vera@acme.example"), d.signedIn("ana@acme.example")
	_, file := d.unknown(owner, "till.csv", tillFile)
	if p := owner.form("/data/mapping", tillForm(file, "action", "save")...); p.status != http.StatusOK || !strings.Contains(p.body, "Mapping saved") {
		t.Fatalf("save: %d %s", p.status, p.body)
	}
	if p := viewer.get("/data?workspace=acme"); !strings.Contains(p.body, "<bdi>till</bdi>") || strings.Contains(p.body, "/data/mapping?") {
		t.Error("a viewer does not see the mapping, or gets a link to its form")
	}
	if p := viewer.get("/data/mapping?workspace=acme&name=till"); p.status != http.StatusForbidden {
		t.Errorf("a viewer opens it: %d, want 403", p.status)
	}
	if p := viewer.form("/data/mapping", "action", "delete", "was", "till"); p.status != http.StatusForbidden {
		t.Errorf("a viewer deletes it: %d, want 403", p.status)
	}
	if p := owner.post("/data/mapping", url.Values{"workspace": {"acme"}, "action": {"delete"}, "was": {"till"}}); p.status != http.StatusForbidden {
		t.Errorf("without a token: %d, want 403", p.status)
	}
	if p := owner.postFrom("/data/mapping", url.Values{"workspace": {"acme"}, "csrf": {owner.get("/data?workspace=acme").field("csrf")}, "action": {"delete"}, "was": {"till"}}, "https://evil.example"); p.status != http.StatusForbidden {
		t.Errorf("from another site: %d, want 403", p.status)
	}
	if p := analyst.get("/data/mapping?workspace=acme&file=" + file); p.status != http.StatusConflict || strings.Contains(p.body, "R-1") {
		t.Errorf("another person's file: %d, want 409", p.status)
	}
	if p := analyst.form("/data/mapping", tillForm("", "action", "check")...); p.status != http.StatusUnprocessableEntity {
		t.Errorf("a check without a file: %d, want 422", p.status)
	}
	if p := analyst.form("/data/mapping", tillForm("", "title", "Another", "action", "save")...); p.status != http.StatusUnprocessableEntity || !strings.Contains(p.body, "A mapping with this name exists") {
		t.Errorf("a new mapping under a name that is taken: %d", p.status)
	}
	if p := analyst.get("/data/mapping?workspace=acme&name=none"); p.status != http.StatusNotFound {
		t.Errorf("a missing mapping: %d, want 404", p.status)
	}
	if p := analyst.get("/data/mapping?workspace=other"); p.status != http.StatusNotFound {
		t.Errorf("another workspace: %d, want 404", p.status)
	}
	if p := analyst.form("/data/mapping", "action", "delete", "was", "till"); p.status != http.StatusSeeOther {
		t.Errorf("deletion: %d", p.status)
	}
	if all, err := d.store.Mappings(t.Context(), "acme"); len(all) != 0 || err != nil {
		t.Errorf("%d mappings remain, %v", len(all), err)
	}
}

// Spend imported under the old name of a mapping is not counted again under the new name.
func TestRenamedMappingCountsNoRowTwice(t *testing.T) {
	t.Parallel()
	d := newDataSite(t)
	d.member(email, control.RoleOwner)
	b := d.signedIn(email)
	const posters = "Tag;Ort;Betrag\n2036-11-10;bus stop;100\n2036-11-11;bus stop;50\n"
	form := []string{"kind", "channel_spend", "column.date", "Tag", "column.spend", "Betrag", "fixed.channel", "posters"}
	_, file := d.unknown(b, "posters.csv", posters)
	if p := b.form("/data/mapping", append(form, "file", file, "name", "posters", "action", "import")...); p.status != http.StatusOK {
		t.Fatalf("import: %d %s", p.status, p.body)
	}
	version := b.get("/data/mapping?workspace=acme&name=posters").field("version")
	if p := b.form("/data/mapping", append(form, "was", "posters", "version", version, "name", "street", "title", "Posters in the street", "action", "save")...); p.status != http.StatusSeeOther {
		t.Fatalf("renaming: %d %s", p.status, p.body)
	}
	if all, err := d.store.Mappings(t.Context(), "acme"); len(all) != 1 || all[0].Name != "street" || err != nil {
		t.Fatalf("stored: %+v, %v", all, err)
	}
	edited := b.get("/data/mapping?workspace=acme&name=street")
	for _, want := range []string{"rows stored under posters", `value="Betrag"`, `value="Posters in the street"`} {
		if !strings.Contains(edited.body, want) {
			t.Errorf("the page of the mapping does not contain %q", want)
		}
	}
	again := b.sendFile(edited.field("csrf"), "posters.csv", []byte(strings.Replace(posters, ";50", ";70", 1)), "source", "mapping:street")
	if p := b.form("/data", "action", "import", "file", again.field("file")); p.status != http.StatusOK {
		t.Fatalf("second import: %d %s", p.status, p.body)
	}
	sources, err := d.facts.Sources(t.Context(), "acme")
	if err != nil {
		t.Fatal(err)
	}
	rows := int64(0)
	for _, s := range sources {
		rows += s.Rows
	}
	if rows != 2 {
		t.Errorf("%d rows of spend, want the previous 2: %+v", rows, sources)
	}
	if p := b.sendFile(edited.field("csrf"), "x.csv", []byte(posters), "source", "mapping:posters"); p.status != http.StatusUnprocessableEntity || !strings.Contains(p.body, "Choose another") {
		t.Errorf("by the old name: %d", p.status)
	}
}

func TestChangeOfKindKeepsInputAndGuessesTheRest(t *testing.T) {
	t.Parallel()
	d := newDataSite(t)
	d.member(email, control.RoleOwner)
	b := d.signedIn(email)
	_, file := d.unknown(b, "x.csv", "A;Spend;When\nx;1;2036-11-10\n")
	p := b.form("/data/mapping", "file", file, "kind", "channel_spend", "column.date", "When", "name", "x", "action", "kind")
	for _, want := range []string{`<option value="When" selected>`, `<option value="Spend" selected>`, `<option value="channel_spend" selected>`} {
		if p.status != http.StatusOK || !strings.Contains(p.body, want) {
			t.Errorf("%d, the page does not contain %q", p.status, want)
		}
	}
}

// If two members edit a mapping, the second gets an error, and the first member's change remains.
func TestConcurrentMappingChangeIsNotOverwritten(t *testing.T) {
	t.Parallel()
	d := newDataSite(t)
	d.member(email, control.RoleOwner)
	b := d.signedIn(email)
	form := []string{"kind", "channel_spend", "column.date", "Tag", "column.spend", "Betrag", "fixed.channel", "posters", "action", "save"}
	if p := b.form("/data/mapping", append(form, "name", "posters")...); p.status != http.StatusSeeOther {
		t.Fatalf("a new mapping: %d %s", p.status, p.body)
	}
	if p := b.form("/data/mapping", append(form, "name", "posters")...); p.status != http.StatusSeeOther {
		t.Errorf("the same form sent twice: %d %s", p.status, p.body)
	}
	if p := b.form("/data/mapping", append(form, "name", "posters", "title", "Others")...); p.status != http.StatusUnprocessableEntity || !strings.Contains(p.body, "A mapping with this name exists") {
		t.Errorf("another of the same name: %d", p.status)
	}
	opened := b.get("/data/mapping?workspace=acme&name=posters").field("version")
	d.clock.move(time.Second)
	if p := b.form("/data/mapping", append(form, "was", "posters", "version", opened, "name", "posters", "title", "The first")...); p.status != http.StatusSeeOther {
		t.Fatalf("the first: %d %s", p.status, p.body)
	}
	for what, name := range map[string]string{"a change": "posters", "another name": "street"} {
		p := b.form("/data/mapping", append(form, "was", "posters", "version", opened, "name", name, "title", "The second")...)
		if p.status != http.StatusConflict || !strings.Contains(p.body, "since it was opened") || !strings.Contains(p.body, `value="The second"`) {
			t.Errorf("%s of the second: %d", what, p.status)
		}
	}
	if kept, err := d.store.Mapping(t.Context(), "acme", "posters"); err != nil || !strings.Contains(kept.Content, "The first") {
		t.Errorf("stored: %+v, %v", kept, err)
	}
}

// zipped is a compressed table of orders that is large when unpacked.
func zipped(t *testing.T, name string) []byte {
	t.Helper()
	var out bytes.Buffer
	w := gzip.NewWriter(&out)
	fmt.Fprint(w, "Receipt;Closed;Paid;Remark\n")
	for i := range 12 {
		fmt.Fprintf(w, "%s%d;10.11.2036 09:30;20,00;%s\n", name, i, strings.Repeat("x", 800_000))
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	return out.Bytes()
}

// The unpacked size of a compressed file determines whether the file is read in the background. If no task can start,
// the mapping of the form is not saved either, so the same form can be sent again.
func TestCompressedFilesQueueAndRejectedFormsCanBeResent(t *testing.T) {
	t.Parallel()
	d := newDataSite(t)
	d.member(email, control.RoleOwner)
	d.member("ana@acme.example", control.RoleAnalyst)
	b, other := d.signedIn(email), d.signedIn("ana@acme.example")
	sent := b.sendFile(b.get("/data?workspace=acme").field("csrf"), "till.csv.gz", zipped(t, "R-"))
	if sent.status != http.StatusSeeOther {
		t.Fatalf("a compressed file: %d %s", sent.status, sent.body)
	}
	file := d.ended(b, sent.header.Get("Location")).field("file")
	unlock := d.lock()
	var tasks []string
	csrf := other.get("/data?workspace=acme").field("csrf")
	for i := range 4 {
		p := other.sendFile(csrf, fmt.Sprintf("other%d.csv.gz", i), zipped(t, "S-"))
		tasks = append(tasks, p.header.Get("Location"))
	}
	form := tillForm(file, "column.customer", "", "decimal", "comma", "action", "import") // the first row is longer than the detection reads
	if p := b.form("/data/mapping", form...); p.status != http.StatusServiceUnavailable {
		t.Fatalf("without room: %d %s", p.status, p.body)
	}
	if all, err := d.store.Mappings(t.Context(), "acme"); len(all) != 0 || err != nil {
		t.Errorf("%d mappings are stored without room, %v", len(all), err)
	}
	unlock()
	for _, at := range tasks {
		d.ended(other, at)
	}
	done := d.ended(b, b.form("/data/mapping", form...).header.Get("Location"))
	if done.status != http.StatusOK || d.orders() != 12 || !strings.Contains(done.body, "imported<") {
		t.Errorf("the form again: %d, %d orders: %s", done.status, d.orders(), done.body)
	}
}

// The Data page of every member who may write lists a running import. Another member cancels it, and no row is stored.
func TestALargeImportIsListedAndCancelled(t *testing.T) {
	t.Parallel()
	d := newDataSite(t)
	d.member(email, control.RoleOwner)
	d.member("ana@acme.example", control.RoleAnalyst)
	d.member("vera@acme.example", control.RoleViewer)
	b, other, viewer := d.signedIn(email), d.signedIn("ana@acme.example"), d.signedIn("vera@acme.example")
	sent := b.sendFile(b.get("/data?workspace=acme").field("csrf"), "large.csv", largeOrders())
	looked := d.ended(b, sent.header.Get("Location"))
	unlock := d.lock()
	begun := b.form("/data", "action", "import", "file", looked.field("file"))
	at := begun.header.Get("Location")
	waiting := b.get(at)
	for !strings.Contains(waiting.body, "Waiting for another job to end") && waiting.header.Get("Refresh") != "" {
		waiting = b.get(at)
	}
	if !strings.Contains(waiting.body, "Importing large.csv") || !strings.Contains(waiting.body, ">Cancel<") {
		t.Errorf("the page of the import: %s", waiting.body)
	}
	if p := viewer.get("/data?workspace=acme"); strings.Contains(p.body, "Importing large.csv") {
		t.Error("a viewer sees the import")
	}
	job := waiting.field("job")
	if p := viewer.form("/jobs", "job", job); p.status != http.StatusSeeOther || b.get(at).header.Get("Refresh") == "" {
		t.Errorf("a viewer cancels it: %d", p.status)
	}
	listed := other.get("/data?workspace=acme")
	for _, want := range []string{"In progress", "Importing large.csv", "started by <bdi>" + email, "A canceled import stores nothing", job} {
		if !strings.Contains(listed.body, want) {
			t.Errorf("the Data page of another member lacks %q", want)
		}
	}
	if p := other.form("/jobs", "job", job, "from", "/data"); p.status != http.StatusSeeOther || p.header.Get("Location") != "/data?workspace=acme" {
		t.Errorf("cancel: %d to %q", p.status, p.header.Get("Location"))
	}
	unlock()
	if p := d.ended(b, at); p.status != http.StatusOK || !strings.Contains(p.body, "Importing large.csv was canceled. Assay stored nothing from the file.") {
		t.Errorf("after it was cancelled: %d %s", p.status, p.body)
	}
	if d.orders() != 0 {
		t.Errorf("%d orders are stored", d.orders())
	}
	again := d.ended(b, b.form("/data", "action", "import", "file", looked.field("file")).header.Get("Location"))
	if again.status != http.StatusOK || d.orders() != 12 {
		t.Errorf("the same file again: %d, %d orders", again.status, d.orders())
	}
}

// largeOrders returns a file of 12 orders that is read in the background.
func largeOrders() []byte {
	var large bytes.Buffer
	large.WriteString("order_id,created_at,total,remark\n")
	for i := range 12 {
		fmt.Fprintf(&large, "o-%d,2036-11-1%dT10:00:00Z,10.00,%s\n", i, i%9, strings.Repeat("x", 800_000))
	}
	return large.Bytes()
}

// A large file is read in the background while a page shows the progress.
func TestLargeFileIsReadInTheBackground(t *testing.T) {
	t.Parallel()
	d := newDataSite(t)
	d.member(email, control.RoleOwner)
	d.member("ana@acme.example", control.RoleAnalyst)
	b, other := d.signedIn(email), d.signedIn("ana@acme.example")
	csrf := b.get("/data?workspace=acme").field("csrf")
	sent := b.sendFile(csrf, "large.csv", largeOrders())
	at := sent.header.Get("Location")
	if sent.status != http.StatusSeeOther || !strings.HasPrefix(at, "/data/task?") {
		t.Fatalf("a large file: %d to %q", sent.status, at)
	}
	if p := other.get(at); p.status != http.StatusNotFound || !strings.Contains(p.body, "Task not found") {
		t.Errorf("another person looks: %d", p.status)
	}
	looked := d.ended(b, at)
	if looked.status != http.StatusOK || !strings.Contains(looked.body, "can be imported") {
		t.Fatalf("the preview: %d %s", looked.status, looked.body)
	}
	begun := b.form("/data", "action", "import", "file", looked.field("file"))
	if done := d.ended(b, begun.header.Get("Location")); done.status != http.StatusOK || d.orders() != 12 || !strings.Contains(done.body, "imported<") {
		t.Errorf("the import: %d, %d orders", done.status, d.orders())
	}
	if p := b.get("/data/task?workspace=acme&task=none"); p.status != http.StatusNotFound || !strings.Contains(p.body, "upload the file again") {
		t.Errorf("an unknown job: %d", p.status)
	}
}

// ended reloads the page of a task until the task ends.
func (d *dataSite) ended(b *browser, at string) seen {
	d.t.Helper()
	for {
		p := b.get(at)
		if p.header.Get("Refresh") == "" {
			return p
		}
		if p.status != http.StatusOK || !strings.Contains(p.body, "<progress") {
			d.t.Fatalf("the page of the task: %d %s", p.status, p.body)
		}
	}
}
