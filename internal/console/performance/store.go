package performance

import (
	"cmp"
	"fmt"
	"slices"

	answers "assay/internal/answer"
	"assay/internal/console/frame"
	"assay/internal/console/frame/plot"
	"assay/internal/money"
	"assay/internal/tools"
)

// dollars returns two functions that format amounts: without cents and with cents.
func dollars(c money.Currency) (whole, exact func(answers.Money) string) {
	return func(x answers.Money) string { return amount(x, c) }, func(x answers.Money) string { return cents(x, c) }
}

// products shows which products sell, and which coupons are used.
func products(r *request) (*reportView, error) {
	var a *tools.ProductsAnswer
	var rows []tools.SalesRow
	with := dated(r.Filter.Days)
	err := askAll(r, tools.Products, with, func(one *tools.ProductsAnswer) *answers.Pagination {
		a, rows = cmp.Or(a, one), append(rows, one.Rows...)
		return one.Pagination
	})
	if err != nil {
		return nil, err
	}
	couponsWith := dated(r.Filter.Days)
	couponsWith["view"], couponsWith["limit"] = "coupons", pageRows
	coupons, err := ask(r, tools.Products, couponsWith)
	if err != nil {
		return nil, err
	}
	whole, exact := dollars(a.Currency)
	m := a.Metrics
	view := &reportView{
		Heading: productsHeading(a, rows), Lead: "Product revenue is the amount charged for line items after discounts, without shipping.",
		Bar: r.bar(), Warnings: sentences(a.Warnings),
	}
	view.KPIs = []frame.KPI{
		kpiOf("Product revenue", m.Revenue, whole, moreIsBetter, ""), kpiOf("Revenue per order", m.AOV, exact, moreIsBetter, ""),
		kpiOf("Discounts", m.Discount, whole, neutral, ""),
	}
	if m.Units != nil {
		view.KPIs = slices.Insert(view.KPIs, 1, kpiOf("Units", *m.Units, countText, moreIsBetter, ""))
	}
	view.Blocks = []block{
		{
			Section: r.section("products", "Products", "", "products report", r.call("products", "products", with)), Table: productTable(a, rows),
			After: cut(len(rows), a.Pagination.Total, "the most revenue"),
		},
		{
			Section: r.section("coupons", "Coupon codes", "", "discount codes", r.call("coupons", "products", couponsWith)), Table: couponTable(coupons),
			After: cut(len(coupons.Rows), coupons.Pagination.Total, "the most revenue"),
		},
	}
	view.Blocks[0].CSV, view.Blocks[1].CSV = r.csv(""), r.csv("coupons-table")
	return view, nil
}

func productsHeading(a *tools.ProductsAnswer, rows []tools.SalesRow) string {
	if len(rows) == 0 || a.Metrics.Revenue.Value == nil {
		return "No product was sold in this period."
	}
	whole, _ := dollars(a.Currency)
	text := cmp.Or(moved("Product revenue", a.Metrics.Revenue, whole), "Product revenue is "+whole(*a.Metrics.Revenue.Value)+".")
	if share := rows[0].SharePct; share != nil {
		text += " " + string(cmp.Or(rows[0].Title, rows[0].SKU, "The first product")) + " generates " + percentText(*share) + " of product revenue."
	}
	return text
}

func productTable(a *tools.ProductsAnswer, rows []tools.SalesRow) *frame.Table {
	t := &frame.Table{Caption: "Products", Size: 25, Columns: []frame.Column{
		{Key: "product", Name: "Product"},
		{Name: "", Fixed: true, Minor: true},
		{Key: "revenue", Name: "Revenue", Number: true},
		{Key: "share_pct", Name: "Share", Number: true, Minor: true},
		{Key: "units", Name: "Units", Number: true},
		{Key: "orders", Name: "Orders", Number: true, Minor: true},
		{Key: "discount", Name: "Discounts", Number: true, Minor: true},
		{Key: "margin_pct", Name: "Margin", Number: true, Minor: true},
	}}
	largest := 0.0
	for _, row := range rows {
		largest = max(largest, float64(row.Revenue))
	}
	for _, row := range rows {
		title := frame.TextCell(cmp.Or(row.Title, row.SKU, "unnamed"))
		title.Sub = string(row.SKU)
		units := frame.None("none")
		if row.Units != nil {
			units = frame.FigureCell(new(float64(*row.Units)), 0)
		}
		t.Rows = append(t.Rows, frame.Row{Cells: []frame.Cell{
			title,
			{Picture: plot.Bar(float64(row.Revenue), largest, 120, false, "accent")},
			frame.MoneyCell(&row.Revenue, 0, a.Currency),
			frame.PercentCell(row.SharePct), units,
			frame.FigureCell(&row.Orders, 0), frame.MoneyCell(row.Discount, 0, a.Currency), frame.PercentCell(row.MarginPct),
		}})
	}
	return t
}

func couponTable(a *tools.ProductsAnswer) *frame.Table {
	t := &frame.Table{Name: "coupons-table", Caption: "Coupon codes", Size: 25, Empty: "No coupon code was used in this period.", Columns: []frame.Column{
		{Key: "code", Name: "Code"},
		{Key: "channel", Name: "Channel", Minor: true},
		{Key: "revenue", Name: "Revenue", Number: true},
		{Key: "orders", Name: "Orders", Number: true},
		{Key: "new_orders", Name: "New customers", Number: true, Minor: true},
		{Key: "aov", Name: "AOV", Number: true, Minor: true},
		{Key: "discount", Name: "Discounts", Number: true, Minor: true},
	}}
	for _, row := range a.Rows {
		t.Rows = append(t.Rows, frame.Row{Cells: []frame.Cell{
			frame.TextCell(row.Code), frame.OptionalChannel(row.Channel), frame.MoneyCell(&row.Revenue, 0, a.Currency), frame.FigureCell(&row.Orders, 0),
			frame.FigureCell(row.NewOrders, 0), frame.MoneyCell(row.AOV, 2, a.Currency), frame.MoneyCell(row.Discount, 0, a.Currency),
		}})
	}
	return t
}

// creators shows which creators are profitable.
func creators(r *request) (*reportView, error) {
	with := dated(r.Filter.Days)
	with["limit"] = pageRows
	a, err := ask(r, tools.Creators, with)
	if err != nil {
		return nil, err
	}
	whole, _ := dollars(a.Currency)
	m := a.Metrics
	heading := "There are no creator data."
	if len(a.Rows) > 0 && m.TotalOrders.Value != nil {
		heading = fmt.Sprintf(
			"Creators generated an estimated %s orders (90%% interval %s – %s).", countText(*m.TotalOrders.Value), countText(m.OrdersLow),
			countText(m.OrdersHigh),
		)
	}
	view := &reportView{
		Heading: heading, Lead: "The estimate of orders combines orders by coupon code, orders by link and survey answers. ROI is (revenue − creator cost) / creator cost. The cost of goods is not subtracted.",
		Bar: r.bar(), Warnings: sentences(a.Warnings),
	}
	orders := kpiOf("Estimated orders", m.TotalOrders, countText, moreIsBetter, "")
	view.KPIs = []frame.KPI{
		kpiOf("Estimated revenue", m.TotalRevenue, whole, moreIsBetter, ""), orders, kpiOf("Cost", m.Cost, whole, neutral, ""),
		kpiOf("ROI", m.ROI, ratioText, moreIsBetter, ""),
	}
	t := &frame.Table{Caption: "Creators", Size: 25, Columns: []frame.Column{
		{Key: "creator", Name: "Creator"},
		{Key: "platform", Name: "Platform", Minor: true},
		{Key: "revenue", Name: "Revenue", Number: true},
		{Key: "orders", Name: "Orders", Number: true, Minor: true},
		{Key: "code_orders", Name: "Orders by code", Number: true, Minor: true},
		{Key: "survey_mentions", Name: "Survey mentions", Number: true, Minor: true},
		{Key: "cost", Name: "Cost", Number: true, Minor: true},
		{Key: "roi", Name: "ROI", Number: true},
	}}
	for _, row := range a.Rows {
		roi := frame.FigureCell(row.ROI, 2)
		if row.ROILow != nil && row.ROIHigh != nil {
			roi.Sub = ratioText(*row.ROILow) + " – " + ratioText(*row.ROIHigh)
		}
		orders := frame.FigureCell(&row.Orders, 0)
		orders.Sub = countText(row.OrdersLow) + " – " + countText(row.OrdersHigh)
		t.Rows = append(t.Rows, frame.Row{Cells: []frame.Cell{
			frame.TextCell(row.Name), frame.TextCell(frame.Capitalized(string(row.Platform))), frame.MoneyCell(&row.Revenue, 0, a.Currency), orders,
			frame.FigureCell(row.CodeOrders, 0), frame.FigureCell(row.SurveyMentions, 0), frame.MoneyCell(row.Cost, 0, a.Currency), roi,
		}})
	}
	view.Blocks = []block{block{
		Section: r.section("creators", "Creators", "90% intervals", "creator estimate", r.call("creators", "creators", with)), Table: t,
	}.WithCSV(r.csv(""))}
	if omitted := a.Truncated; omitted != nil {
		view.Blocks[0].After = cut(omitted.RowsReturned, omitted.RowsTotal, "the most revenue")
	}
	return view, nil
}

// messages shows the revenue that email and SMS generate.
func messages(r *request) (*reportView, error) {
	with := dated(r.Filter.Days)
	with["limit"] = pageRows
	a, err := ask(r, tools.EmailLifecycle, with)
	if err != nil {
		return nil, err
	}
	whole, _ := dollars(a.Currency)
	m := a.Metrics
	heading, lead := "No email or SMS report covers this period.", ""
	if m.Revenue.Value != nil {
		heading = "Email and SMS platforms report " + amount(*m.Revenue.Value, a.Currency) + " of revenue."
		if m.Credited != nil && m.Credited.Value != nil {
			heading = "Email and SMS platforms report " + amount(*m.Revenue.Value, a.Currency) + " of revenue. Last-touch revenue of email and SMS is " + amount(*m.Credited.Value, a.Currency) + "."
		}
		lead = "Each email or SMS platform uses its own attribution window. Clicks are more reliable than opens, because some email apps load images automatically."
	}
	view := &reportView{Heading: heading, Lead: lead, Bar: r.bar(), Warnings: sentences(a.Warnings)}
	view.KPIs = []frame.KPI{kpiOf("Reported revenue", m.Revenue, whole, moreIsBetter, "")}
	if m.Credited != nil {
		view.KPIs = append(view.KPIs, kpiOf("Attributed revenue", *m.Credited, whole, moreIsBetter, ""))
	}
	view.KPIs = append(view.KPIs, shareKPI("Click rate", m.ClickPct, moreIsBetter), shareKPI("Open rate, email", m.OpenPct, moreIsBetter))
	t := &frame.Table{Caption: "Campaigns and flows", Size: 25, Columns: []frame.Column{
		{Key: "name", Name: "Name"},
		{Key: "kind", Name: "Kind", Minor: true},
		{Key: "revenue", Name: "Reported", Number: true},
		{Key: "conversions", Name: "Conversions", Number: true, Minor: true},
		{Key: "delivered", Name: "Delivered", Number: true, Minor: true},
		{Key: "open_rate_pct", Name: "Open rate", Number: true, Minor: true},
		{Key: "click_rate_pct", Name: "Click rate", Number: true},
		{Key: "revenue_per_1000", Name: "Revenue per 1,000", Number: true, Minor: true},
	}}
	for _, row := range a.Rows {
		t.Rows = append(t.Rows, frame.Row{Cells: []frame.Cell{
			frame.TextCell(row.Name), frame.TextCell(frame.ChannelName(row.Channel) + " " + row.Entity), frame.MoneyCell(&row.Revenue, 0, a.Currency),
			frame.FigureCell(row.Conversions, 0),
			frame.FigureCell(&row.Delivered, 0), frame.PercentCell(row.OpenPct), frame.PercentCell(row.ClickPct), frame.MoneyCell(row.PerMessage, 2, a.Currency),
		}})
	}
	view.Blocks = []block{block{
		Section: r.section("messages", "Campaigns and flows", "reported by the sending platform", "email sms", r.call("messages", "email_lifecycle", with)),
		Table:   t, After: cut(len(a.Rows), a.Ranked, "the most reported revenue"),
	}.WithCSV(r.csv(""))}
	return view, nil
}

// surveys shows the customers' answers on how they found the store.
func surveys(r *request) (*reportView, error) {
	var a *tools.SurveysAnswer
	var rows []tools.SurveyRow
	with := dated(r.Filter.Days)
	err := askAll(r, tools.Surveys, with, func(one *tools.SurveysAnswer) *answers.Pagination {
		a, rows = cmp.Or(a, one), append(rows, one.Rows...)
		return one.Pagination
	})
	if err != nil {
		return nil, err
	}
	view := &reportView{
		Heading: surveysHeading(rows), Lead: "Survey answers rely on customers’ memory. The intervals of the shares include sampling error, but not recall bias.",
		Bar: r.bar(), Warnings: sentences(a.Warnings),
	}
	view.KPIs = []frame.KPI{
		kpiOf("Orders with an answer", a.Metrics.Responses, countText, moreIsBetter, ""), kpiOf("Answers", a.Metrics.Answers, countText, moreIsBetter, ""),
		estimateKPI("Response rate", a.Metrics.ResponsePct, percentText),
	}
	t := &frame.Table{Caption: "Survey answers", Size: 25, Columns: []frame.Column{
		{Key: "answer", Name: "Answer"},
		{Key: "question", Name: "Question", Minor: true},
		{Key: "answers", Name: "Answers", Number: true, Minor: true},
		{Name: "", Fixed: true, Minor: true},
		{Key: "share_pct", Name: "Share", Number: true},
		{Key: "last_touch_pct", Name: "Last touch", Number: true},
		{Key: "new_pct", Name: "New customers", Number: true, Minor: true},
		{Key: "aov", Name: "AOV", Number: true, Minor: true},
	}}
	var highs []float64
	for _, row := range rows {
		if row.Share != nil {
			highs = append(highs, float64(row.Share.High))
		}
	}
	s := plot.Scale{Max: max(1, slices.Max(append(highs, 0))), Width: 150}
	for _, row := range rows {
		t.Rows = append(t.Rows, surveyRow(row, s, a.Currency))
	}
	view.Blocks = []block{block{
		Section: r.section("answers", "Answers", "90% intervals", "post-purchase survey", r.call("answers", "surveys", with)), Table: t,
		After: cut(len(rows), a.Pagination.Total, "the most answers to the question"),
	}.WithCSV(r.csv(""))}
	return view, nil
}

func surveysHeading(rows []tools.SurveyRow) string {
	at := slices.IndexFunc(rows, func(row tools.SurveyRow) bool { return row.Channel != "" && row.Share != nil })
	if at < 0 {
		return "No survey answer names a channel in this period."
	}
	text := percentText(rows[at].Share.Value) + " of answers name " + frame.ChannelName(rows[at].Channel) + "."
	if last := rows[at].LastTouch; last != nil {
		text += " Of the orders with an answer, last touch attributes " + percentText(*last) + " to this channel."
	}
	return text
}

func surveyRow(row tools.SurveyRow, s plot.Scale, c money.Currency) frame.Row {
	name, color := frame.TextCell(row.Answer), "owned"
	if row.Channel != "" {
		name, color = frame.ChannelCell(row.Channel), frame.ChannelColor(row.Channel)
		name.Sub = string(row.Answer)
	}
	share, interval := frame.None("none"), frame.Cell{}
	if e := row.Share; e != nil {
		share = frame.PercentCell(&e.Value)
		share.Sub = frame.Figure(e.Low, 1) + " – " + frame.Figure(e.High, 1)
		interval.Picture = s.Interval(float64(e.Value), float64(e.Low), float64(e.High), color)
	}
	return frame.Row{Cells: []frame.Cell{
		name, frame.TextCell(frame.Capitalized(frame.Words(string(row.Question)))), frame.FigureCell(row.Answers, 0), interval, share,
		frame.PercentCell(row.LastTouch), frame.PercentCell(row.NewPct), frame.MoneyCell(row.AOV, 2, c),
	}}
}

func surfacesHeading(a *tools.OmnichannelAnswer) string {
	if n := a.Metrics.Orders.Value; len(a.Rows) == 0 || n == nil || *n == 0 {
		return "No sales surface has orders in this period."
	}
	if a.Rows[0].Share == nil {
		return "The orders in this period have no revenue."
	}
	heading := fmt.Sprintf("%s generates %s of revenue.", frame.Capitalized(frame.Words(string(a.Rows[0].Surface))), percentText(*a.Rows[0].Share))
	if a.Metrics.Halo.Estimated > 0 && a.Metrics.Halo.AboveZero == 0 {
		heading += " No halo effect is clearly positive."
	}
	return heading
}

// surfaces shows the surfaces on which the store sells, and the halo effects of ads.
func surfaces(r *request) (*reportView, error) {
	with := dated(r.Filter.Days)
	a, err := ask(r, tools.Omnichannel, with)
	if err != nil {
		return nil, err
	}
	whole, exact := dollars(a.Currency)
	view := &reportView{Heading: surfacesHeading(a), Lead: haloLead(a), Bar: r.bar(), Warnings: sentences(a.Warnings)}
	view.KPIs = []frame.KPI{
		kpiOf("Revenue", a.Metrics.Revenue, whole, moreIsBetter, ""), kpiOf("Orders", a.Metrics.Orders, countText, moreIsBetter, ""),
		kpiOf("AOV", a.Metrics.AOV, exact, moreIsBetter, ""),
	}
	t := &frame.Table{Caption: "Sales surfaces", Columns: []frame.Column{
		{Key: "surface", Name: "Surface"},
		{Name: "", Fixed: true, Minor: true},
		{Key: "revenue", Name: "Revenue", Number: true},
		{Key: "share_pct", Name: "Share", Number: true},
		{Key: "change_pct", Name: "Change", Number: true, Minor: true},
		{Key: "orders", Name: "Orders", Number: true, Minor: true},
		{Key: "aov", Name: "AOV", Number: true, Minor: true},
	}}
	for _, row := range a.Rows {
		t.Rows = append(t.Rows, frame.Row{Cells: []frame.Cell{
			frame.TextCell(frame.Capitalized(frame.Words(string(row.Surface)))),
			{Picture: plot.Bar(float64(row.Revenue), float64(a.Rows[0].Revenue), 240, false, "accent")},
			frame.MoneyCell(&row.Revenue, 0, a.Currency), frame.PercentCell(row.Share), frame.ChangeCell(row.Change), frame.FigureCell(&row.Orders, 0),
			frame.MoneyCell(row.AOV, 2, a.Currency),
		}})
	}
	view.Blocks = []block{
		block{Section: r.section("surfaces", "Sales surfaces", "", "sales surfaces", r.call("surfaces", "omnichannel", with)), Table: t}.WithCSV(r.csv("")),
		r.haloBlock(a, with),
	}
	return view, nil
}

func haloLead(a *tools.OmnichannelAnswer) string {
	n := a.Metrics.Halo
	if n.Estimated+n.NotEstimable == 0 {
		return ""
	}
	return fmt.Sprintf(
		"Clearly positive halo effects: %d of %s (95%% interval entirely above zero). Halo effects that Assay cannot estimate: %d.", n.AboveZero,
		frame.Count(int64(n.Estimated)), n.NotEstimable,
	)
}

func (r *request) haloBlock(a *tools.OmnichannelAnswer, with frame.Arguments) block {
	t := &frame.Table{Name: "halo-table", Caption: "Halo effects", Size: 12, Empty: "Assay cannot estimate a halo effect from these data.", Columns: []frame.Column{
		{Key: "channel", Name: "Channel"},
		{Key: "surface", Name: "Surface"},
		{Key: "revenue_per_spend", Name: "Revenue per unit of spend", Number: true},
		{Key: "probability_pct", Name: "Probability above zero", Number: true, Minor: true},
		{Key: "evidence", Name: "Evidence", Number: true, Minor: true},
	}}
	for _, e := range a.Halo {
		effect, evidence := frame.None("not estimable"), frame.TextCell(e.Grade)
		if e.Coefficient != nil {
			effect = frame.FigureCell(e.Coefficient, 2)
			effect.Sub = ratioText(*e.Low) + " – " + ratioText(*e.High)
		} else {
			evidence = frame.None(frame.Words(string(e.Reason)))
		}
		t.Rows = append(t.Rows, frame.Row{Cells: []frame.Cell{
			frame.ChannelCell(e.Channel), frame.TextCell(frame.Capitalized(frame.Words(string(e.Surface)))), effect, frame.PercentCell(e.Positive), evidence,
		}})
	}
	return block{
		Section: r.section("halo", "Halo effects", "90% intervals", "halo effect", r.call("halo", "omnichannel", with)), Table: t,
	}.WithCSV(r.csv("halo-table"))
}
