package plot

import (
	"encoding/json"
	"html"
	"html/template"
	"math"
	"slices"

	"assay/internal/civil"
)

// Days is a chart of a figure over time, with a second pane for spend.
type Days struct {
	Label   string // text alternative
	Name    string // name of the figure
	Earlier string // name of the comparison period, "" for none
	Ahead   string // name of the dashed line, such as a forecast or a counterfactual, "" for none
	Band    string // name of the interval of the dashed line
	Goal    string // name of the target, "" for none
	Points  []Day
	Notes   []Note
	Lower   string                  // name of the bars in the second pane, "" for none
	Axis    func(float64) string    // formats numbers of the axes
	Value   func(float64) string    // formats values
	Title   func(civil.Date) string // formats a day, week or month
	Tick    func(civil.Date) string // formats a date of the axis
}

// Day is a point. Absent values are unknown.
type Day struct {
	Date     civil.Date
	Value    *float64
	Before   *float64 // value in the comparison period
	Expected *float64
	Anomaly  bool
	Partial  bool // incomplete: drawn hollow, not part of the line
	Lower    *float64

	Ahead     *float64 // value on the dashed line
	Low, High *float64 // interval of Ahead
	Inner     *[2]float64
	Goal      *float64
	Title     string // replaces the title of the date
}

// Note is an annotation.
type Note struct {
	Date  civil.Date
	Label string
}

const (
	paneTop    = 26.0
	paneHeight = 208.0
	lowerGap   = 20.0
	lowerSize  = 44.0
)

// layout maps points to the drawing.
type layout struct {
	Days
	wide, left, right float64
	step              float64 // distance between the lines of the grid
	above, below      int     // steps above and below 0
	lowerTop          float64 // largest value of the second pane
}

func (l layout) x(i int) float64 {
	return l.left + 8 + float64(i)*(l.wide-l.left-l.right-16)/math.Max(1, float64(len(l.Points)-1))
}

func (l layout) y(v float64) float64 {
	return paneTop + paneHeight*(1-(v-l.bottom())/(l.step*float64(l.above+l.below)))
}

// bottom returns the value at the lower edge: 0, or less if there are negative values.
func (l layout) bottom() float64 { return -l.step * float64(l.below) }

func (l layout) lowerY(v float64) float64 { return l.lowerBase() - lowerSize*v/l.lowerTop }

func (l layout) lowerBase() float64 { return paneTop + paneHeight + lowerGap + lowerSize }

func (l layout) height() float64 {
	if l.Lower == "" {
		return paneTop + paneHeight + 24
	}
	return l.lowerBase() + 24
}

// Draw draws the chart with a width in CSS pixels. The values of each point are in the attribute data-points, which the
// script of the pages shows on hover and focus.
func (d Days) Draw(width int) template.HTML {
	l := layout{Days: d, wide: float64(width), left: 46, right: 8, lowerTop: 1}
	var top, low float64
	for _, p := range d.Points {
		for _, v := range []*float64{p.Value, p.Before, p.Ahead, p.High, p.Goal} {
			if v != nil {
				top, low = math.Max(top, *v), math.Min(low, *v)
			}
		}
		if p.Lower != nil {
			l.lowerTop = math.Max(l.lowerTop, *p.Lower)
		}
	}
	l.step, l.above, l.lowerTop = nice(math.Max(1, math.Max(top, -low)))/4, 4, nice(l.lowerTop)
	if low < 0 {
		l.above, l.below = int(math.Ceil(top/l.step)), int(math.Ceil(-low/l.step))
	}
	var c canvas
	l.grid(&c)
	if l.Lower != "" {
		l.bars(&c)
	}
	l.bands(&c)
	l.notes(&c)
	l.lines(&c)
	l.marks(&c)
	return c.done("days", d.Label, l.wide, l.height(), l.data())
}

func (l layout) grid(c *canvas) {
	for i := -l.below; i <= l.above; i++ {
		v := l.step * float64(i)
		class := "rule"
		if i == 0 {
			class = "base"
		}
		c.line(class, l.left, l.y(v), l.wide-l.right, l.y(v))
		c.text("tick", "end", l.left-8, l.y(v)+4, l.Axis(v))
	}
	every := int(math.Ceil(float64(len(l.Points)) / math.Max(2, math.Floor((l.wide-l.left)/110))))
	for i := 0; i < len(l.Points); i += max(1, every) {
		anchor := "middle"
		if i == 0 {
			anchor = "start"
		}
		x := l.x(i)
		if x > l.wide-28 {
			break
		}
		if i == 0 {
			x = l.left
		}
		c.text("tick", anchor, x, l.height()-4, l.Tick(l.Points[i].Date))
	}
}

func (l layout) bars(c *canvas) {
	c.line("base", l.left, l.lowerBase(), l.wide-l.right, l.lowerBase())
	c.text("tick", "end", l.left-8, l.lowerBase()+4, l.Axis(0))
	c.text("tick", "end", l.left-8, l.lowerBase()-lowerSize+6, l.Axis(l.lowerTop))
	apart := 16.0
	if len(l.Points) > 1 {
		apart = l.x(1) - l.x(0)
	}
	wide := math.Max(1, math.Min(14, apart*.66))
	for i, p := range l.Points {
		if p.Lower != nil {
			c.rect("spend", l.x(i)-wide/2, l.lowerY(*p.Lower), wide, l.lowerBase()-l.lowerY(*p.Lower), math.Min(2, wide/4))
		}
	}
}

func (l layout) notes(c *canvas) {
	row, free := 0, 0.0
	for _, note := range l.Notes {
		at := -1
		for i, p := range l.Points {
			if !p.Date.After(note.Date) {
				at = i
			}
		}
		if at < 0 {
			continue
		}
		x := l.x(at)
		c.line("note", x, 6, x, paneTop+paneHeight)
		if x < free {
			continue // no room for the label; the script shows it
		}
		text, anchor := shortened(note.Label, 34), "start"
		wide := float64(len([]rune(text))) * 5.8
		tx := x + 6
		if tx+wide > l.wide {
			anchor, tx = "end", x-6
		}
		c.text("note-text", anchor, tx, 14+float64(row)*12, text)
		free = x + wide + 14
	}
}

func (l layout) lines(c *canvas) {
	now, before := make([]*float64, len(l.Points)), make([]*float64, len(l.Points))
	for i, p := range l.Points {
		before[i] = p.Before
		if !p.Partial {
			now[i] = p.Value
		}
	}
	c.add(`<path class="before" d="%s"/>`, path(before, l.x, l.y))
	if l.Goal != "" {
		c.add(`<path class="target" d="%s"/>`, path(l.of(func(p Day) *float64 { return p.Goal }), l.x, l.y))
	}
	if l.Ahead != "" {
		c.add(`<path class="ahead" d="%s"/>`, path(l.of(func(p Day) *float64 { return p.Ahead }), l.x, l.y))
	}
	c.add(`<path class="now" d="%s"/>`, path(now, l.x, l.y))
}

// of returns a value of each point.
func (l layout) of(value func(Day) *float64) []*float64 {
	values := make([]*float64, len(l.Points))
	for i, p := range l.Points {
		values[i] = value(p)
	}
	return values
}

// bands draws the intervals of the dashed line: first the outer interval, then the inner interval.
func (l layout) bands(c *canvas) {
	l.area(c, func(p Day) (low, high float64, ok bool) {
		if p.Low == nil || p.High == nil {
			return 0, 0, false
		}
		return *p.Low, *p.High, true
	})
	l.area(c, func(p Day) (low, high float64, ok bool) {
		if p.Inner == nil {
			return 0, 0, false
		}
		return p.Inner[0], p.Inner[1], true
	})
}

// area fills the space between the bounds of consecutive points.
func (l layout) area(c *canvas, bounds func(Day) (low, high float64, ok bool)) {
	for i := 0; i < len(l.Points); i++ {
		var there, back string
		pen := "M"
		for ; i < len(l.Points); i++ {
			low, high, ok := bounds(l.Points[i])
			if !ok {
				break
			}
			there += pen + px(l.x(i)) + " " + px(l.y(high))
			back = "L" + px(l.x(i)) + " " + px(l.y(math.Max(low, l.bottom()))) + back
			pen = "L"
		}
		if there != "" {
			c.add(`<path class="fan" d="%s%sZ"/>`, there, back)
		}
	}
}

func (l layout) marks(c *canvas) {
	var used []float64
	for i, p := range l.Points {
		if p.Value == nil {
			continue
		}
		x, y := l.x(i), l.y(*p.Value)
		switch {
		case p.Partial:
			c.line("so-far", x, y, x, l.y(0))
			c.dot("hollow", x, y, 3.5)
			if l.last() == i {
				c.text("tick", "end", math.Min(x+14, l.wide-1), y-9, "so far")
			}
		case p.Anomaly:
			c.dot("ring", x, y, 5)
			if l.crowded(used, x) {
				continue
			}
			used = append(used, x)
			l.anomaly(c, p, x, y)
		}
	}
}

// last returns the index of the last point with a value.
func (l layout) last() int {
	for i, p := range slices.Backward(l.Points) {
		if p.Value != nil {
			return i
		}
	}
	return -1
}

func (l layout) crowded(used []float64, x float64) bool {
	for _, u := range used {
		if math.Abs(u-x) < 110 {
			return true
		}
	}
	return false
}

func (l layout) anomaly(c *canvas, p Day, x, y float64) {
	anchor, tx := "start", x+10
	if x > l.wide-130 {
		anchor, tx = "end", x-10
	}
	up := p.Expected != nil && *p.Value > *p.Expected
	ty := math.Min(y+5, l.y(l.bottom())-16)
	if up {
		ty = math.Max(y-2, paneTop+8)
	}
	c.text("ring-text", anchor, tx, ty, l.Tick(p.Date)+": "+l.Value(*p.Value))
	if p.Expected != nil {
		c.text("tick", anchor, tx, ty+13, "expected "+l.Value(*p.Expected))
	}
}

// data returns the values of all points as JSON for an attribute.
func (l layout) data() string {
	type point struct {
		X     float64     `json:"x"`
		Title string      `json:"title"`
		Rows  [][2]string `json:"rows"`
	}
	points := make([]point, len(l.Points))
	for i, p := range l.Points {
		at := point{X: math.Round(l.x(i)*10) / 10, Title: l.Title(p.Date), Rows: [][2]string{}}
		if p.Title != "" {
			at.Title = p.Title
		}
		add := func(name string, v *float64) {
			if v != nil && name != "" {
				at.Rows = append(at.Rows, [2]string{name, l.Value(*v)})
			}
		}
		name := l.Name
		if p.Partial {
			name += " so far"
		}
		add(name, p.Value)
		if p.Anomaly {
			add("Expected", p.Expected)
		}
		add(l.Ahead, p.Ahead)
		if l.Band != "" && p.Low != nil && p.High != nil {
			at.Rows = append(at.Rows, [2]string{l.Band, l.Value(*p.Low) + " – " + l.Value(*p.High)})
		}
		add(l.Goal, p.Goal)
		add(l.Earlier, p.Before)
		add(l.Lower, p.Lower)
		for _, n := range l.Notes {
			if n.Date == p.Date {
				at.Rows = append(at.Rows, [2]string{"Note", n.Label})
			}
		}
		points[i] = at
	}
	text, err := json.Marshal(points)
	if err != nil {
		panic(err) // coordinates are finite
	}
	return ` data-points="` + html.EscapeString(string(text)) + `" data-top="` + px(paneTop) + `" data-bottom="` + px(l.height()-22) + `"`
}

func shortened(text string, most int) string {
	letters := []rune(text)
	if len(letters) <= most {
		return text
	}
	return string(letters[:most-1]) + "…"
}
