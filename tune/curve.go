package tune

import (
	"fmt"
	"image/color"
	"io"
	"math"
	"strconv"

	"gonum.org/v1/plot"
	"gonum.org/v1/plot/plotter"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"
	"gonum.org/v1/plot/vg/vgsvg"
)

// Colours that stay apart for colour-blind eyes and in grey (Okabe and Ito,
// "Color Universal Design", 2008).
var (
	blue   = color.RGBA{R: 0, G: 114, B: 178, A: 255}
	orange = color.RGBA{R: 213, G: 94, B: 0, A: 255}
	grey   = color.RGBA{R: 110, G: 110, B: 110, A: 255}
)

// WriteSVG draws the loss curve as an SVG picture, the same bytes for the same
// result.
func (r *Result) WriteSVG(w io.Writer) error {
	p := plot.New()
	p.Title.Text = fmt.Sprintf("%s: loss while tuning", r.Variant)
	p.X.Label.Text = "iteration"
	p.X.Tick.Marker = plot.TickerFunc(wholeTicks)
	p.Y.Label.Text = "cross-entropy (nats a position)"
	p.Legend.Top = true
	p.Legend.Padding = vg.Points(2)
	p.Add(plotter.NewGrid())
	train, holdout := make(plotter.XYs, len(r.Curve)), make(plotter.XYs, len(r.Curve))
	for i, c := range r.Curve {
		train[i] = plotter.XY{X: float64(c.Iteration), Y: c.Train}
		holdout[i] = plotter.XY{X: float64(c.Iteration), Y: c.Holdout}
	}
	if err := addLine(p, fmt.Sprintf("training (%d positions)", r.Use.Train.Positions), train, blue, nil); err != nil {
		return err
	}
	if r.Use.Holdout.Positions > 0 {
		dashes := []vg.Length{vg.Points(5), vg.Points(3)}
		if err := addLine(p, fmt.Sprintf("holdout (%d positions)", r.Use.Holdout.Positions), holdout, orange, dashes); err != nil {
			return err
		}
		best, err := plotter.NewScatter(holdout[r.Best : r.Best+1])
		if err != nil {
			return fmt.Errorf("loss curve: %w", err)
		}
		best.GlyphStyle = draw.GlyphStyle{Color: grey, Radius: vg.Points(4), Shape: draw.RingGlyph{}}
		p.Add(best)
		p.Legend.Add("weights kept", best)
	}
	canvas := vgsvg.New(vg.Points(480), vg.Points(300))
	p.Draw(draw.Crop(draw.New(canvas), vg.Points(4), -vg.Points(8), vg.Points(4), -vg.Points(4)))
	if _, err := canvas.WriteTo(w); err != nil {
		return fmt.Errorf("loss curve: %w", err)
	}
	return nil
}

// wholeTicks marks whole numbers, at most ten of them.
func wholeTicks(low, high float64) (ticks []plot.Tick) {
	step := 1
	for i := 0; high-low > float64(10*step); i++ {
		step *= []int{2, 5}[i%2] // 1, 2, 10, 20, 100 …
	}
	for n := int(math.Ceil(low)); n <= int(high); n++ {
		if n%step == 0 {
			ticks = append(ticks, plot.Tick{Value: float64(n), Label: strconv.Itoa(n)})
		}
	}
	return ticks
}

func addLine(p *plot.Plot, name string, points plotter.XYs, c color.Color, dashes []vg.Length) error {
	line, err := plotter.NewLine(points)
	if err != nil {
		return fmt.Errorf("loss curve: %w", err)
	}
	line.Color, line.Width, line.Dashes = c, vg.Points(1.5), dashes
	p.Add(line)
	p.Legend.Add(name, line)
	return nil
}
