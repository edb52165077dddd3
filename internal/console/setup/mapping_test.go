package setup_test

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

	"assay/internal/console/consoletest"
	"assay/internal/control"
	"assay/internal/ingest"
	"assay/internal/ingest/mapper"
)

const tillFile = "Receipt;Closed;Paid;Loyalty card;Type\n" +
	"R-1;10.11.2036 09:30;1.020,50;anna@example.com;sale\n" +
	"R-2;11.11.2036 19:05;20,00;;sale\n"

// unknown uploads a file that no source reads, and opens the mapping page.
func unknown(d *consoletest.DataSite, b *consoletest.Browser, name, content string) (page consoletest.Page, file string) {
	d.T.Helper()
	looked := sendFile(b, b.Get("/data?workspace=acme").Field("csrf"), name, []byte(content))
	file = looked.Field("file")
	if looked.Status != http.StatusUnprocessableEntity || file == "" || !strings.Contains(looked.Body, "Map the columns") {
		d.T.Fatalf("a file that no source reads: %d, file %q: %s", looked.Status, file, looked.Body)
	}
	page = b.Get("/data/mapping?" + url.Values{"workspace": {"acme"}, "file": {file}}.Encode())
	if page.Status != http.StatusOK {
		d.T.Fatalf("the mapping's page: %d %s", page.Status, page.Body)
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
	d := consoletest.NewData(t)
	d.Member(consoletest.Email, control.RoleAnalyst)
	b := d.SignedIn(consoletest.Email)
	page, file := unknown(d, b, "till-2036-11.csv", tillFile)
	for _, want := range []string{`<option value="Receipt">Receipt: R-1</option>`, `Closed: 10.11.2036 09:30`, `value="till"`, "(address)"} {
		if !strings.Contains(page.Body, want) {
			t.Errorf("the page does not contain %q", want)
		}
	}
	if strings.Contains(page.Body, "anna@example.com") {
		t.Error("the page shows an address of the file")
	}
	checked := b.Form("/data/mapping", tillForm(file, "action", "check")...)
	for _, want := range []string{"can be imported", "<bdi>R-1</bdi>", "<bdi>2036-11-10 09:30 UTC</bdi>", "<bdi>USD 1,020.50</bdi>", "stored as a hash", "$1,040.50", "Save and import"} {
		if !strings.Contains(checked.Body, want) {
			t.Errorf("the check does not report %q", want)
		}
	}
	if all, err := d.Store.Mappings(t.Context(), "acme"); checked.Status != http.StatusOK || orders(d) != 0 || len(all) != 0 || err != nil {
		t.Fatalf("after the check: %d, %d orders, %d mappings, %v: %s", checked.Status, orders(d), len(all), err, checked.Body)
	}
	done := b.Form("/data/mapping", tillForm(file, "action", "import")...)
	if done.Status != http.StatusOK || orders(d) != 2 || waiting(d) != 0 || !strings.Contains(done.Body, "imported<") {
		t.Fatalf("import: %d, %d orders, %d files wait: %s", done.Status, orders(d), waiting(d), done.Body)
	}
	// The command reads the same file with the saved mapping and finds it already imported.
	kept, err := d.Store.Mapping(t.Context(), "acme", "till")
	if err != nil {
		t.Fatal(err)
	}
	m, err := mapper.Parse([]byte(kept.Content))
	if err != nil {
		t.Fatal(err)
	}
	w, err := d.Store.Workspace(t.Context(), "acme")
	if err != nil {
		t.Fatal(err)
	}
	spooled, remove, err := ingest.Spool("", "till.csv", strings.NewReader(tillFile))
	if err != nil {
		t.Fatal(err)
	}
	defer remove()
	again, err := ingest.Run(t.Context(), d.Facts, ingest.Options{
		Workspace: w, HashKey: []byte("key"), Files: []ingest.File{spooled}, Mapping: &m, Clock: d.Clock.Now, Log: slog.New(slog.DiscardHandler),
	})
	if err != nil || again.Files[0].Status != ingest.Already {
		t.Errorf("the command finds the file %+v, %v; want it already imported", again.Files, err)
	}
	// A similar file is read with the mapping if the form names the mapping.
	next := sendFile(b, done.Field("csrf"), "till-2036-12.csv", []byte(strings.ReplaceAll(tillFile, "R-", "S-")), "source", "mapping:till")
	if next.Status != http.StatusOK || !strings.Contains(next.Body, "can be imported") {
		t.Errorf("the next file: %d %s", next.Status, next.Body)
	}
	if p := b.Form("/data", "action", "import", "file", next.Field("file")); p.Status != http.StatusOK || orders(d) != 4 {
		t.Errorf("its import: %d, %d orders", p.Status, orders(d))
	}
	// Otherwise the page suggests the mapping.
	like := sendFile(b, done.Field("csrf"), "till-2037-01.csv", []byte(strings.ReplaceAll(tillFile, "R-", "T-")))
	if !strings.Contains(like.Body, "Your mapping <bdi>till</bdi> fits this file") {
		t.Error("the mapping that fits is not named")
	}
}

func TestMappingErrorsAreShownAtTheirFields(t *testing.T) {
	t.Parallel()
	d := consoletest.NewData(t)
	d.Member(consoletest.Email, control.RoleOwner)
	b := d.SignedIn(consoletest.Email)
	_, file := unknown(d, b, "till.csv", tillFile)
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
		p := b.Form("/data/mapping", append(c.fields, "action", "check")...)
		_, text, found := strings.Cut(p.Body, `id="`+c.at+`">`)
		text, _, _ = strings.Cut(text, "</p>")
		if p.Status != http.StatusUnprocessableEntity || !found || !strings.Contains(text, c.want) {
			t.Errorf("%s: %d, at %s got %q, want %q", name, p.Status, c.at, text, c.want)
		}
	}
	if all, err := d.Store.Mappings(t.Context(), "acme"); len(all) != 0 || err != nil || orders(d) != 0 {
		t.Errorf("%d mappings are stored, %d orders imported, %v", len(all), orders(d), err)
	}
}

func TestOnlyImportersManageMappings(t *testing.T) {
	t.Parallel()
	d := consoletest.NewData(t)
	d.Member(consoletest.Email, control.RoleOwner)
	d.Member("vera@acme.example", control.RoleViewer)
	d.Member("ana@acme.example", control.RoleAnalyst)
	owner, viewer, analyst := d.SignedIn(consoletest.Email), d.SignedIn("vera@acme.example"), d.SignedIn("ana@acme.example")
	_, file := unknown(d, owner, "till.csv", tillFile)
	if p := owner.Form("/data/mapping", tillForm(file, "action", "save")...); p.Status != http.StatusOK || !strings.Contains(p.Body, "Mapping saved") {
		t.Fatalf("save: %d %s", p.Status, p.Body)
	}
	if p := viewer.Get("/data?workspace=acme"); !strings.Contains(p.Body, "<bdi>till</bdi>") || strings.Contains(p.Body, "/data/mapping?") {
		t.Error("a viewer does not see the mapping, or gets a link to its form")
	}
	if p := viewer.Get("/data/mapping?workspace=acme&name=till"); p.Status != http.StatusForbidden {
		t.Errorf("a viewer opens it: %d, want 403", p.Status)
	}
	if p := viewer.Form("/data/mapping", "action", "delete", "was", "till"); p.Status != http.StatusForbidden {
		t.Errorf("a viewer deletes it: %d, want 403", p.Status)
	}
	if p := owner.Post("/data/mapping", url.Values{"workspace": {"acme"}, "action": {"delete"}, "was": {"till"}}); p.Status != http.StatusForbidden {
		t.Errorf("without a token: %d, want 403", p.Status)
	}
	if p := owner.PostFrom("/data/mapping", url.Values{"workspace": {"acme"}, "csrf": {owner.Get("/data?workspace=acme").Field("csrf")}, "action": {"delete"}, "was": {"till"}}, "https://evil.example"); p.Status != http.StatusForbidden {
		t.Errorf("from another site: %d, want 403", p.Status)
	}
	if p := analyst.Get("/data/mapping?workspace=acme&file=" + file); p.Status != http.StatusConflict || strings.Contains(p.Body, "R-1") {
		t.Errorf("another person's file: %d, want 409", p.Status)
	}
	if p := analyst.Form("/data/mapping", tillForm("", "action", "check")...); p.Status != http.StatusUnprocessableEntity {
		t.Errorf("a check without a file: %d, want 422", p.Status)
	}
	if p := analyst.Form("/data/mapping", tillForm("", "title", "Another", "action", "save")...); p.Status != http.StatusUnprocessableEntity || !strings.Contains(p.Body, "A mapping with this name already exists") {
		t.Errorf("a new mapping under a name that is taken: %d", p.Status)
	}
	if p := analyst.Get("/data/mapping?workspace=acme&name=none"); p.Status != http.StatusNotFound {
		t.Errorf("a missing mapping: %d, want 404", p.Status)
	}
	if p := analyst.Get("/data/mapping?workspace=other"); p.Status != http.StatusNotFound {
		t.Errorf("another workspace: %d, want 404", p.Status)
	}
	if p := analyst.Form("/data/mapping", "action", "delete", "was", "till"); p.Status != http.StatusSeeOther {
		t.Errorf("deletion: %d", p.Status)
	}
	if all, err := d.Store.Mappings(t.Context(), "acme"); len(all) != 0 || err != nil {
		t.Errorf("%d mappings remain, %v", len(all), err)
	}
}

// Spend imported under the old name of a mapping is not counted again under the new name.
func TestRenamedMappingCountsNoRowTwice(t *testing.T) {
	t.Parallel()
	d := consoletest.NewData(t)
	d.Member(consoletest.Email, control.RoleOwner)
	b := d.SignedIn(consoletest.Email)
	const posters = "Tag;Ort;Betrag\n2036-11-10;bus stop;100\n2036-11-11;bus stop;50\n"
	form := []string{"kind", "channel_spend", "column.date", "Tag", "column.spend", "Betrag", "fixed.channel", "posters"}
	_, file := unknown(d, b, "posters.csv", posters)
	if p := b.Form("/data/mapping", append(form, "file", file, "name", "posters", "action", "import")...); p.Status != http.StatusOK {
		t.Fatalf("import: %d %s", p.Status, p.Body)
	}
	version := b.Get("/data/mapping?workspace=acme&name=posters").Field("version")
	if p := b.Form("/data/mapping", append(form, "was", "posters", "version", version, "name", "street", "title", "Posters in the street", "action", "save")...); p.Status != http.StatusSeeOther {
		t.Fatalf("renaming: %d %s", p.Status, p.Body)
	}
	if all, err := d.Store.Mappings(t.Context(), "acme"); len(all) != 1 || all[0].Name != "street" || err != nil {
		t.Fatalf("stored: %+v, %v", all, err)
	}
	edited := b.Get("/data/mapping?workspace=acme&name=street")
	for _, want := range []string{"rows stored under posters", `value="Betrag"`, `value="Posters in the street"`} {
		if !strings.Contains(edited.Body, want) {
			t.Errorf("the page of the mapping does not contain %q", want)
		}
	}
	again := sendFile(b, edited.Field("csrf"), "posters.csv", []byte(strings.Replace(posters, ";50", ";70", 1)), "source", "mapping:street")
	if p := b.Form("/data", "action", "import", "file", again.Field("file")); p.Status != http.StatusOK {
		t.Fatalf("second import: %d %s", p.Status, p.Body)
	}
	sources, err := d.Facts.Sources(t.Context(), "acme")
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
	if p := sendFile(b, edited.Field("csrf"), "x.csv", []byte(posters), "source", "mapping:posters"); p.Status != http.StatusUnprocessableEntity || !strings.Contains(p.Body, "Choose another") {
		t.Errorf("by the old name: %d", p.Status)
	}
}

func TestChangeOfKindKeepsInputAndGuessesTheRest(t *testing.T) {
	t.Parallel()
	d := consoletest.NewData(t)
	d.Member(consoletest.Email, control.RoleOwner)
	b := d.SignedIn(consoletest.Email)
	_, file := unknown(d, b, "x.csv", "A;Spend;When\nx;1;2036-11-10\n")
	p := b.Form("/data/mapping", "file", file, "kind", "channel_spend", "column.date", "When", "name", "x", "action", "kind")
	for _, want := range []string{`<option value="When" selected>`, `<option value="Spend" selected>`, `<option value="channel_spend" selected>`} {
		if p.Status != http.StatusOK || !strings.Contains(p.Body, want) {
			t.Errorf("%d, the page does not contain %q", p.Status, want)
		}
	}
}

// If two members edit a mapping, the second gets an error, and the first member's change remains.
func TestConcurrentMappingChangeIsNotOverwritten(t *testing.T) {
	t.Parallel()
	d := consoletest.NewData(t)
	d.Member(consoletest.Email, control.RoleOwner)
	b := d.SignedIn(consoletest.Email)
	form := []string{"kind", "channel_spend", "column.date", "Tag", "column.spend", "Betrag", "fixed.channel", "posters", "action", "save"}
	if p := b.Form("/data/mapping", append(form, "name", "posters")...); p.Status != http.StatusSeeOther {
		t.Fatalf("a new mapping: %d %s", p.Status, p.Body)
	}
	if p := b.Form("/data/mapping", append(form, "name", "posters")...); p.Status != http.StatusSeeOther {
		t.Errorf("the same form sent twice: %d %s", p.Status, p.Body)
	}
	if p := b.Form("/data/mapping", append(form, "name", "posters", "title", "Others")...); p.Status != http.StatusUnprocessableEntity || !strings.Contains(p.Body, "A mapping with this name already exists") {
		t.Errorf("another of the same name: %d", p.Status)
	}
	opened := b.Get("/data/mapping?workspace=acme&name=posters").Field("version")
	d.Clock.Move(time.Second)
	if p := b.Form("/data/mapping", append(form, "was", "posters", "version", opened, "name", "posters", "title", "The first")...); p.Status != http.StatusSeeOther {
		t.Fatalf("the first: %d %s", p.Status, p.Body)
	}
	for what, name := range map[string]string{"a change": "posters", "another name": "street"} {
		p := b.Form("/data/mapping", append(form, "was", "posters", "version", opened, "name", name, "title", "The second")...)
		if p.Status != http.StatusConflict || !strings.Contains(p.Body, "since it was opened") || !strings.Contains(p.Body, `value="The second"`) {
			t.Errorf("%s of the second: %d", what, p.Status)
		}
	}
	if kept, err := d.Store.Mapping(t.Context(), "acme", "posters"); err != nil || !strings.Contains(kept.Content, "The first") {
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
	d := consoletest.NewData(t)
	d.Member(consoletest.Email, control.RoleOwner)
	d.Member("ana@acme.example", control.RoleAnalyst)
	b, other := d.SignedIn(consoletest.Email), d.SignedIn("ana@acme.example")
	sent := sendFile(b, b.Get("/data?workspace=acme").Field("csrf"), "till.csv.gz", zipped(t, "R-"))
	if sent.Status != http.StatusSeeOther {
		t.Fatalf("a compressed file: %d %s", sent.Status, sent.Body)
	}
	file := ended(d, b, sent.Header.Get("Location")).Field("file")
	unlock := lock(d)
	var tasks []string
	csrf := other.Get("/data?workspace=acme").Field("csrf")
	for i := range 4 {
		p := sendFile(other, csrf, fmt.Sprintf("other%d.csv.gz", i), zipped(t, "S-"))
		tasks = append(tasks, p.Header.Get("Location"))
	}
	form := tillForm(file, "column.customer", "", "decimal", "comma", "action", "import") // the first row is longer than the detection reads
	if p := b.Form("/data/mapping", form...); p.Status != http.StatusServiceUnavailable {
		t.Fatalf("without room: %d %s", p.Status, p.Body)
	}
	if all, err := d.Store.Mappings(t.Context(), "acme"); len(all) != 0 || err != nil {
		t.Errorf("%d mappings are stored without room, %v", len(all), err)
	}
	unlock()
	for _, at := range tasks {
		ended(d, other, at)
	}
	done := ended(d, b, b.Form("/data/mapping", form...).Header.Get("Location"))
	if done.Status != http.StatusOK || orders(d) != 12 || !strings.Contains(done.Body, "imported<") {
		t.Errorf("the form again: %d, %d orders: %s", done.Status, orders(d), done.Body)
	}
}

// The Data page of every member who may write lists a running import. Another member cancels it, and no row is stored.
func TestALargeImportIsListedAndCancelled(t *testing.T) {
	t.Parallel()
	d := consoletest.NewData(t)
	d.Member(consoletest.Email, control.RoleOwner)
	d.Member("ana@acme.example", control.RoleAnalyst)
	d.Member("vera@acme.example", control.RoleViewer)
	b, other, viewer := d.SignedIn(consoletest.Email), d.SignedIn("ana@acme.example"), d.SignedIn("vera@acme.example")
	sent := sendFile(b, b.Get("/data?workspace=acme").Field("csrf"), "large.csv", largeOrders())
	looked := ended(d, b, sent.Header.Get("Location"))
	unlock := lock(d)
	begun := b.Form("/data", "action", "import", "file", looked.Field("file"))
	at := begun.Header.Get("Location")
	waiting := b.Get(at)
	for !strings.Contains(waiting.Body, "Waiting for another job to end") && waiting.Header.Get("Refresh") != "" {
		waiting = b.Get(at)
	}
	if !strings.Contains(waiting.Body, "Importing large.csv") || !strings.Contains(waiting.Body, ">Cancel<") {
		t.Errorf("the page of the import: %s", waiting.Body)
	}
	if p := viewer.Get("/data?workspace=acme"); strings.Contains(p.Body, "Importing large.csv") {
		t.Error("a viewer sees the import")
	}
	job := waiting.Field("job")
	if p := viewer.Form("/jobs", "job", job); p.Status != http.StatusSeeOther || b.Get(at).Header.Get("Refresh") == "" {
		t.Errorf("a viewer cancels it: %d", p.Status)
	}
	listed := other.Get("/data?workspace=acme")
	for _, want := range []string{"In progress", "Importing large.csv", "started by <bdi>" + consoletest.Email, "A canceled import stores nothing", job} {
		if !strings.Contains(listed.Body, want) {
			t.Errorf("the Data page of another member lacks %q", want)
		}
	}
	if p := other.Form("/jobs", "job", job, "from", "/data"); p.Status != http.StatusSeeOther || p.Header.Get("Location") != "/data?workspace=acme" {
		t.Errorf("cancel: %d to %q", p.Status, p.Header.Get("Location"))
	}
	unlock()
	if p := ended(d, b, at); p.Status != http.StatusOK || !strings.Contains(p.Body, "Importing large.csv was canceled. Assay stored nothing from the file.") {
		t.Errorf("after it was cancelled: %d %s", p.Status, p.Body)
	}
	if orders(d) != 0 {
		t.Errorf("%d orders are stored", orders(d))
	}
	again := ended(d, b, b.Form("/data", "action", "import", "file", looked.Field("file")).Header.Get("Location"))
	if again.Status != http.StatusOK || orders(d) != 12 {
		t.Errorf("the same file again: %d, %d orders", again.Status, orders(d))
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
	d := consoletest.NewData(t)
	d.Member(consoletest.Email, control.RoleOwner)
	d.Member("ana@acme.example", control.RoleAnalyst)
	b, other := d.SignedIn(consoletest.Email), d.SignedIn("ana@acme.example")
	csrf := b.Get("/data?workspace=acme").Field("csrf")
	sent := sendFile(b, csrf, "large.csv", largeOrders())
	at := sent.Header.Get("Location")
	if sent.Status != http.StatusSeeOther || !strings.HasPrefix(at, "/data/task?") {
		t.Fatalf("a large file: %d to %q", sent.Status, at)
	}
	if p := other.Get(at); p.Status != http.StatusNotFound || !strings.Contains(p.Body, "Job not found") {
		t.Errorf("another person looks: %d", p.Status)
	}
	looked := ended(d, b, at)
	if looked.Status != http.StatusOK || !strings.Contains(looked.Body, "can be imported") {
		t.Fatalf("the preview: %d %s", looked.Status, looked.Body)
	}
	begun := b.Form("/data", "action", "import", "file", looked.Field("file"))
	if done := ended(d, b, begun.Header.Get("Location")); done.Status != http.StatusOK || orders(d) != 12 || !strings.Contains(done.Body, "imported<") {
		t.Errorf("the import: %d, %d orders", done.Status, orders(d))
	}
	if p := b.Get("/data/task?workspace=acme&task=none"); p.Status != http.StatusNotFound || !strings.Contains(p.Body, "upload the file again") {
		t.Errorf("an unknown job: %d", p.Status)
	}
}

// ended reloads the page of a task until the task ends.
func ended(d *consoletest.DataSite, b *consoletest.Browser, at string) consoletest.Page {
	d.T.Helper()
	for {
		p := b.Get(at)
		if p.Header.Get("Refresh") == "" {
			return p
		}
		if p.Status != http.StatusOK || !strings.Contains(p.Body, "<progress") {
			d.T.Fatalf("the page of the task: %d %s", p.Status, p.Body)
		}
	}
}
