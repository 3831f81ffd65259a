package drawrate

import (
	"bytes"
	"fmt"
	"html/template"
	"image/color"
	"math"
	"slices"
	"strings"

	"gonum.org/v1/plot"
	"gonum.org/v1/plot/plotter"
	"gonum.org/v1/plot/text"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"
	"gonum.org/v1/plot/vg/vgsvg"
)

// plotWidth is the width of every plot. Pages scale plots; this sets how large
// their text is beside them.
const plotWidth = 640 * vg.Length(1)

// bold is golang.org/x/image/font.WeightBold.
const bold = 3

// figure is a plot with the meaning of its colours.
type figure struct {
	SVG  template.HTML
	Keys []key
}

type key struct {
	Label string
	Color template.CSS
}

func keyOf(label string, c color.RGBA) key {
	return key{label, template.CSS(fmt.Sprintf("#%02x%02x%02x", c.R, c.G, c.B))}
}

var (
	ink       = color.RGBA{0x22, 0x26, 0x2b, 0xff}
	gridGray  = color.RGBA{0xe3, 0xe5, 0xe8, 0xff}
	bandGray  = color.RGBA{0xd5, 0xd9, 0xde, 0xff}
	edgeGray  = color.RGBA{0x8a, 0x90, 0x98, 0xff}
	blue      = color.RGBA{0x1b, 0x5e, 0x9b, 0xff}
	orange    = color.RGBA{0xc2, 0x57, 0x1a, 0xff}
	whiteSide = color.RGBA{0xf6, 0xf1, 0xe4, 0xff}
	drawnSide = color.RGBA{0xe0, 0xa1, 0x2e, 0xff}
	blackSide = color.RGBA{0x3a, 0x3f, 0x46, 0xff}
)

// classColor gives each known class its colour, and the others one together.
func classColor(class string) color.RGBA {
	switch class {
	case ClassWin:
		return color.RGBA{0x66, 0xa1, 0xc9, 0xff}
	case ClassRule:
		return color.RGBA{0x2f, 0x6d, 0xb5, 0xff}
	case ClassRepetition:
		return drawnSide
	case ClassTable:
		return color.RGBA{0x2e, 0x8b, 0x57, 0xff}
	case ClassCutOff:
		return color.RGBA{0xa9, 0xaf, 0xb8, 0xff}
	}
	return color.RGBA{0x9b, 0x4f, 0x96, 0xff}
}

// rateFigure shows each draw rate with its intervals and bounds.
func (r Report) rateFigure() (figure, error) {
	p := newPlot("draws / finished games, %")
	var names []string
	for i, row := range r.Games {
		names = append(names, r.name(row.Variant, row.Profile))
		y := float64(-i)
		if row.DrawRate == nil {
			p.Add(label(0, y, "no finished games", ink))
			continue
		}
		if b := row.Bounds; row.Unfinished > 0 {
			p.Add(span(*b.NoneDrawn.Rate, *b.AllDrawn.Rate, y, 26, bandGray))
		}
		if err := addWhisker(p, *row.DrawRate, row.Wilson, y+0.13, blue); err != nil {
			return figure{}, err
		}
		if row.ByOpening != nil {
			if err := addWhisker(p, *row.DrawRate, row.ByOpening.Interval, y-0.13, orange); err != nil {
				return figure{}, err
			}
		}
		right := max(row.Wilson.High, *row.Bounds.AllDrawn.Rate)
		if row.ByOpening != nil {
			right = max(right, row.ByOpening.Interval.High)
		}
		p.Add(label(100*right, y, typeset.rate(row.DrawRate, row.Wilson)+" %", ink))
	}
	nameRows(p, names)
	svg, err := render(p, "Draw rate of each game with its intervals", 60+46*len(names))
	return figure{SVG: svg, Keys: []key{
		keyOf("Wilson", blue), keyOf("by opening", orange),
		keyOf("cut-off games none drawn to all drawn", bandGray),
	}}, err
}

// outcomeFigure shows how the games of each row came out, as stacked bars.
func (r Report) outcomeFigure() (figure, error) {
	p := newPlot("% of all games")
	sides := []struct {
		name  string
		color color.RGBA
		text  color.RGBA
		count func(Counts) int64
	}{
		{"White won", whiteSide, ink, func(c Counts) int64 { return c.White }},
		{"drawn", drawnSide, ink, func(c Counts) int64 { return c.Draw }},
		{"Black won", blackSide, color.RGBA{0xff, 0xff, 0xff, 0xff}, func(c Counts) int64 { return c.Black }},
		{"cut off", bandGray, ink, func(c Counts) int64 { return c.Unfinished }},
	}
	var names []string
	for i, row := range r.Games {
		names = append(names, r.name(row.Variant, row.Profile))
		var from, to int64
		for _, side := range sides {
			from, to = to, to+side.count(row.Counts)
			start, _ := Rate(from, row.Games)
			end, _ := Rate(to, row.Games)
			p.Add(box(start, end, float64(-i), 0.34, side.color))
			if end-start > 0.06 {
				share := label(50*(start+end), float64(-i), typeset.percent(end-start, 1), side.text)
				share.TextStyle[0].XAlign, share.Offset.X = text.XCenter, 0
				p.Add(share)
			}
		}
	}
	p.X.Min, p.X.Max = 0, 100
	nameRows(p, names)
	svg, err := render(p, "Wins of White, draws, wins of Black and games cut off", 60+40*len(names))
	f := figure{SVG: svg}
	for _, side := range sides {
		f.Keys = append(f.Keys, keyOf(side.name, side.color))
	}
	return f, err
}

// endFigure shows the games that nobody won by how they ended, under a heading
// for each row that has any. It has no SVG when every game was won.
func (r Report) endFigure() (figure, error) {
	p := newPlot("% of all games")
	var names, classes []string // of the plot's rows, a heading has no name; of all ends
	for _, row := range r.Games {
		ends := slices.DeleteFunc(slices.Clone(row.Terminations), func(e End) bool { return e.Draw+e.Unfinished == 0 })
		if len(ends) == 0 {
			continue
		}
		heading := label(0, float64(-len(names)), r.name(row.Variant, row.Profile), ink)
		heading.TextStyle[0].Font.Weight, heading.Offset.X = bold, 1
		p.Add(heading)
		names = append(names, "")
		for _, e := range ends {
			y := float64(-len(names))
			share, _ := Rate(e.Draw+e.Unfinished, row.Games)
			p.Add(box(0, share, y, 0.32, classColor(e.Class)), label(100*share, y,
				typeset.percent(share, 2)+" % ("+whole(e.Draw+e.Unfinished)+")", ink))
			names, classes = append(names, e.Termination), append(classes, e.Class)
		}
	}
	if len(names) == 0 {
		return figure{}, nil
	}
	p.X.Max *= 1.25 // room for the label of the longest bar
	nameRows(p, names)
	svg, err := render(p, "Games that nobody won, by how they ended", 50+24*len(names))
	f := figure{SVG: svg}
	slices.SortFunc(classes, compareClasses)
	for _, class := range slices.Compact(classes) {
		f.Keys = append(f.Keys, keyOf(class, classColor(class)))
	}
	return f, err
}

func newPlot(xLabel string) *plot.Plot {
	p := plot.New()
	p.X.Label.Text = xLabel
	for _, s := range []*text.Style{&p.X.Label.TextStyle, &p.X.Tick.Label, &p.Y.Tick.Label} {
		s.Font.Variant, s.Font.Size, s.Color = "Sans", 11, ink
	}
	p.X.Label.Padding = 4
	p.X.LineStyle.Color, p.X.Tick.Color = edgeGray, edgeGray
	p.X.Min = 0
	p.X.Tick.Marker = plot.TickerFunc(ticks)
	grid := plotter.NewGrid()
	grid.Horizontal.Color = nil
	grid.Vertical.Color = gridGray
	p.Add(grid)
	return p
}

// ticks sets a labelled tick at each multiple of 1, 2 or 5 times a power of ten,
// at most ten of them.
func ticks(low, high float64) []plot.Tick {
	power := math.Pow(10, math.Floor(math.Log10((high-low)/10)))
	step := 10 * power
	for _, few := range []float64{5, 2, 1} {
		if (high-low)/(few*power) <= 10 {
			step = few * power
		}
	}
	digits := max(0, -int(math.Floor(math.Log10(step)+1e-9)))
	var marks []plot.Tick
	for i := math.Ceil(low / step); i*step <= high; i++ {
		marks = append(marks, plot.Tick{Value: i * step, Label: decimal(i*step, digits)})
	}
	return marks
}

// nameRows names the rows at y = 0, -1, -2 and so on, and gives a plot on which
// nothing was drawn an axis all the same.
func nameRows(p *plot.Plot, names []string) {
	ticks := make(plot.ConstantTicks, len(names))
	for i, name := range names {
		ticks[i] = plot.Tick{Value: float64(-i), Label: name}
	}
	p.Y.Tick.Marker = ticks
	p.Y.Tick.Length, p.Y.LineStyle.Width = 0, 0
	p.Y.Min, p.Y.Max = 0.5-float64(len(names)), 0.5
	if p.X.Max <= 0 {
		p.X.Max = 100
	}
}

// addWhisker draws a rate as a dot and its interval as a line with caps.
func addWhisker(p *plot.Plot, rate float64, ci Interval, y float64, c color.RGBA) error {
	point := struct {
		plotter.XYs
		plotter.XErrors
	}{
		plotter.XYs{{X: 100 * rate, Y: y}},
		plotter.XErrors{{Low: 100 * (rate - ci.Low), High: 100 * (ci.High - rate)}},
	}
	bars, err := plotter.NewXErrorBars(point)
	if err != nil {
		return err
	}
	bars.LineStyle = draw.LineStyle{Color: c, Width: 1.6}
	bars.CapWidth = 8
	dot, err := plotter.NewScatter(point.XYs)
	if err != nil {
		return err
	}
	dot.GlyphStyle = draw.GlyphStyle{Color: c, Radius: 3.4, Shape: draw.CircleGlyph{}}
	p.Add(bars, dot)
	return nil
}

func span(from, to, y float64, width vg.Length, c color.RGBA) *plotter.Line {
	return &plotter.Line{
		XYs:       plotter.XYs{{X: 100 * from, Y: y}, {X: 100 * to, Y: y}},
		LineStyle: draw.LineStyle{Color: c, Width: width},
	}
}

// box fills from..to (fractions) on row y, half of its height above the row.
func box(from, to, y, half float64, c color.RGBA) *plotter.Polygon {
	from, to = 100*from, 100*to
	return &plotter.Polygon{
		XYs: []plotter.XYs{{
			{X: from, Y: y - half}, {X: to, Y: y - half}, {X: to, Y: y + half}, {X: from, Y: y + half},
		}},
		LineStyle: draw.LineStyle{Color: edgeGray, Width: 0.5},
		Color:     c,
	}
}

// label writes text to the right of the point at x percent on row y.
func label(x, y float64, s string, c color.RGBA) *plotter.Labels {
	style := text.Style{Color: c, YAlign: text.YCenter, Handler: plot.DefaultTextHandler}
	style.Font = plot.DefaultFont
	style.Font.Variant, style.Font.Size = "Sans", 11
	return &plotter.Labels{
		XYs: plotter.XYs{{X: x, Y: y}}, Labels: []string{s},
		TextStyle: []text.Style{style}, Offset: vg.Point{X: 7, Y: 1.5},
	}
}

func render(p *plot.Plot, title string, height int) (template.HTML, error) {
	c := vgsvg.New(plotWidth, vg.Length(height))
	p.Draw(draw.New(c))
	var b bytes.Buffer
	if _, err := c.WriteTo(&b); err != nil {
		return "", err
	}
	return inlineSVG(b.Bytes(), title)
}

// inlineSVG makes an SVG document fit to stand inside HTML: no prologue, a name
// for those who cannot see it, and fonts to fall back on.
func inlineSVG(document []byte, title string) (template.HTML, error) {
	_, body, ok := strings.Cut(string(document), "<svg")
	if !ok {
		return "", fmt.Errorf("%s: no <svg> element in %d bytes", title, len(document))
	}
	body = strings.ReplaceAll(body, "font-family:Liberation Sans;",
		"font-family:Liberation Sans,Arimo,Helvetica,Arial,sans-serif;")
	return template.HTML(`<svg role="img" aria-label="` + template.HTMLEscapeString(title) + `"` + body), nil
}
