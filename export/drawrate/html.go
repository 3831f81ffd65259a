package drawrate

import (
	_ "embed"
	"html/template"
	"io"
	"strings"
)

// Section is a part of the HTML report that the caller adds after its own: how
// the games were played, a training curve, provenance. Every field but Title may
// be empty.
type Section struct {
	Title string
	Text  string // paragraphs, separated by empty lines
	Table *Table
	SVG   []byte // an SVG document, put into the page as it is
}

//go:embed report.html.tmpl
var reportTemplate string

// page is what the template sees.
type page struct {
	Report
	Title        string
	Profile      string
	Level        string
	Rates        Table
	Bounds       Table
	Causes       Table
	Ends         Table
	Intervals    Table
	Compared     Table
	RateFigure   figure
	Outcomes     figure
	EndFigure    figure
	Sections     []pageSection
	Notes        []note
	CountedGames string
	Few          int
}

type pageSection struct {
	Title      string
	Paragraphs []string
	Table      *Table
	SVG        template.HTML
}

// WriteHTML writes the report as one HTML page that needs no other file: plots
// are inline SVG. The sections follow the report's own. The same arguments give
// the same bytes.
func WriteHTML(w io.Writer, r Report, title string, sections ...Section) error {
	p := page{
		Report: r, Title: title, Level: percentLevel(r.Level), Few: FewOpenings,
		Rates: r.ratesTable(typeset), Bounds: r.boundsTable(typeset), Causes: r.causesTable(typeset),
		Ends: r.endsTable(typeset), Intervals: r.intervalsTable(typeset), Compared: r.withBounds(r.differencesTable(typeset), typeset),
		Notes: r.notes(typeset), CountedGames: countedGames,
	}
	p.Profile, _ = r.profile()
	var err error
	if p.RateFigure, err = r.rateFigure(); err != nil {
		return err
	}
	if p.Outcomes, err = r.outcomeFigure(); err != nil {
		return err
	}
	if p.EndFigure, err = r.endFigure(); err != nil {
		return err
	}
	for _, s := range sections {
		section := pageSection{Title: s.Title, Table: s.Table}
		for paragraph := range strings.SplitSeq(s.Text, "\n\n") {
			if paragraph = strings.TrimSpace(paragraph); paragraph != "" {
				section.Paragraphs = append(section.Paragraphs, paragraph)
			}
		}
		if len(s.SVG) > 0 {
			if section.SVG, err = inlineSVG(s.SVG, s.Title); err != nil {
				return err
			}
		}
		p.Sections = append(p.Sections, section)
	}
	t, err := template.New("report").Funcs(template.FuncMap{
		"trim":  strings.TrimSpace,
		"right": func(t Table, column int) bool { return column >= max(1, t.Left) },
	}).Parse(reportTemplate)
	if err != nil {
		return err
	}
	return t.Execute(w, p)
}
