package drawrate

import (
	"errors"
	"fmt"
	"image/color"
	"io"
	"slices"
	"strings"

	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"
	"gonum.org/v1/plot/vg/vgsvg"
)

// EndgameShare is the share of an ending's placements that are drawn.
type EndgameShare struct {
	Game     string  // as it is to be called in the plot
	Material string  // what stands on the board: "KM v K"
	Drawn    float64 // 0 to 1
}

// endgameColors tell games apart, in the order in which they are given.
var endgameColors = []color.RGBA{
	blue, drawnSide, {0x2e, 0x8b, 0x57, 0xff}, {0x9b, 0x4f, 0x96, 0xff}, edgeGray, ink,
}

// WriteEndgames draws shares of draws as an SVG document: a row a material, in
// the order in which they first come, with a bar a game. It takes at most six
// games.
func WriteEndgames(w io.Writer, shares []EndgameShare) error {
	var games, materials []string
	for _, s := range shares {
		if !slices.Contains(games, s.Game) {
			games = append(games, s.Game)
		}
		if !slices.Contains(materials, s.Material) {
			materials = append(materials, s.Material)
		}
	}
	if len(games) == 0 || len(games) > len(endgameColors) {
		return fmt.Errorf("a plot of endings: %d games, it takes 1 to %d", len(games), len(endgameColors))
	}
	p := newPlot("drawn placements, %")
	const room = 0.84 // of a row's height, for its bars
	half := room / 2 / float64(len(games))
	for _, s := range shares {
		row, game := slices.Index(materials, s.Material), slices.Index(games, s.Game)
		y := -float64(row) + room/2 - float64(2*game+1)*half
		share := label(100*s.Drawn, y, decimal(100*s.Drawn, 1), ink)
		share.TextStyle[0].Font.Size, share.Offset = 8.5, vg.Point{X: 4, Y: 1}
		p.Add(box(0, s.Drawn, y, half*0.92, endgameColors[game]), share)
	}
	p.X.Max = 106 // room for the label of a full bar
	nameRows(p, materials)
	p.Y.Min, p.Y.Max = 0.4-float64(len(materials)), 1
	for i, game := range games { // the legend, in a line above the rows
		const y, wide = 0.75, 0.03
		left := float64(i) / float64(len(endgameColors))
		p.Add(box(left, left+wide, y, 0.12, endgameColors[i]), label(100*(left+wide), y, game, ink))
	}
	height := 64 + (len(materials)+1)*(10+11*len(games))
	c := vgsvg.New(plotWidth, vg.Length(height))
	p.Draw(draw.New(c))
	var b strings.Builder
	if _, err := c.WriteTo(&b); err != nil {
		return err
	}
	document := strings.ReplaceAll(b.String(), "font-family:Liberation Sans;", fontFallback)
	if !strings.Contains(document, fontFallback) {
		return errors.New("a plot of endings: the fonts are not those expected")
	}
	_, err := io.WriteString(w, document)
	return err
}

// fontFallback is the font of plots, with others for where it is not there.
const fontFallback = "font-family:Liberation Sans,Arimo,Helvetica,Arial,sans-serif;"
