package drawrate

import (
	"bytes"
	"flag"
	"os"
	"strings"
	"testing"
	"unicode/utf8"
)

var rewrite = flag.Bool("rewrite", false, "rewrite testdata/report.txt")

func textOf(t testing.TB, r Report) string {
	t.Helper()
	var b bytes.Buffer
	if err := WriteText(&b, r); err != nil {
		t.Fatal(err)
	}
	return b.String()
}

func htmlOf(t testing.TB, r Report, sections ...Section) string {
	t.Helper()
	var b bytes.Buffer
	if err := WriteHTML(&b, r, "Study <1>", sections...); err != nil {
		t.Fatal(err)
	}
	return b.String()
}

// hardReport has what strains a layout: two profiles, ten million games, long
// names, a rate near 0, a row without games, a single opening.
func hardReport(t testing.TB) Report {
	var tally Tally
	mustAdd(t, &tally, studyGames()...)
	for _, variant := range []string{"croda", "frisian", "russian"} {
		row := tally.row(rowKey{variant, "federation"})
		row.counts = Counts{White: 41234567, Draw: 12345678, Black: 39876543, Unfinished: 1234567}
		row.openings = sums{list: []sum{{1, 41234567 + 39876543, 0}, {2, 12345678, 12345678}}}
		row.ends[endKey{ClassRule, "a-very-long-name-of-an-article-of-the-federation-rules"}] = Counts{Draw: 12345678}
		row.ends[endKey{ClassWin, "no-pieces"}] = Counts{White: 41234567, Black: 39876543}
		row.ends[endKey{ClassCutOff, "ply-limit"}] = Counts{Unfinished: 1234567}
	}
	tally.Expect("croda", "none")
	mustAdd(t, &tally, Game{Variant: "russian", Profile: "rare", Outcome: Draw, Termination: "agreed", Class: "agreement"})
	rare := tally.row(rowKey{"russian", "rare"})
	rare.counts.White = 9_999_999
	return mustReport(t, &tally)
}

// Protects the text report: every table as it should look. After a change that
// is meant, run the test with -rewrite and read the difference.
func TestText(t *testing.T) {
	const file = "testdata/report.txt"
	got := textOf(t, study(t))
	if *rewrite {
		if err := os.WriteFile(file, []byte(got), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	if got != string(want) {
		t.Errorf("got\n%s\nwant\n%s", got, want)
	}
}

// Protects terminals: no line wider than 80 columns, nothing but ASCII, no
// number that is none, whatever the counts.
func TestTextFits(t *testing.T) {
	for _, r := range []Report{study(t), hardReport(t), mustReport(t, &Tally{})} {
		for line := range strings.Lines(textOf(t, r)) {
			line = strings.TrimSuffix(line, "\n")
			if utf8.RuneCountInString(line) > textWidth || line != strings.TrimRight(line, " ") {
				t.Errorf("%d columns: %q", utf8.RuneCountInString(line), line)
			}
			if strings.ContainsFunc(line, func(c rune) bool { return c < ' ' || c > '~' }) || strings.Contains(line, "NaN") {
				t.Errorf("not plain: %q", line)
			}
		}
	}
}

// Protects the page: the same bytes each time, nothing fetched from elsewhere,
// all text escaped, every part and source there.
func TestHTML(t *testing.T) {
	section := Section{
		Title: "Training", Text: "one & two\n\nthree", SVG: []byte("<?xml version=\"1.0\"?>\n<svg id=\"loss\"></svg>"),
		Table: &Table{Header: []string{"what", "value"}, Rows: [][]string{{"<commit>", "abc"}}},
	}
	got := htmlOf(t, study(t), section)
	if again := htmlOf(t, study(t), section); again != got {
		t.Error("a second page differs")
	}
	for _, want := range []string{
		"Study &lt;1&gt;", "Croda", "Frisian", "Russian", "three-kings-one-king", "<h2>Differences</h2>",
		"<p>one &amp; two</p>", "<p>three</p>", "&lt;commit&gt;", `aria-label="Training" id="loss"`,
		"Wilson 1927", "Newcombe 1998", "Brown, Cai and DasGupta 2001", "Clopper and Pearson 1934",
		"Miettinen and Nurminen 1985", "10000 resamples", "seed 7", "95 %",
	} {
		if !strings.Contains(got, want) {
			t.Errorf("the page lacks %q", want)
		}
	}
	if n := strings.Count(got, "<svg "); n != 4 {
		t.Errorf("%d pictures, want 4", n)
	}
	bare := strings.NewReplacer("http://www.w3.org/2000/svg", "", "http://www.w3.org/1999/xlink", "").Replace(got)
	for _, bad := range []string{"http", "src=", "url(", "<link", "<script", "<?xml", "NaN", "Inf", "ZgotmplZ"} {
		if strings.Contains(bare, bad) {
			t.Errorf("the page has %q", bad)
		}
	}
}

// Protects the pictures against rows without numbers: gonum/plot panics on
// infinite ranges, and NaN coordinates draw nothing.
func TestHTMLOfHardReports(t *testing.T) {
	var empty, cut, won Tally
	empty.Expect("croda", "basic")
	mustAdd(t, &cut, Game{Variant: "croda", Outcome: Unfinished, Termination: "ply-limit", Class: ClassCutOff})
	mustAdd(t, &won, Game{Variant: "croda", Outcome: White, Termination: "no-moves", Class: ClassWin})
	for name, r := range map[string]Report{
		"hard": hardReport(t), "nothing": mustReport(t, &Tally{}), "no games": mustReport(t, &empty),
		"cut off": mustReport(t, &cut), "won": mustReport(t, &won),
	} {
		got := htmlOf(t, r)
		if strings.Contains(got, "NaN") || strings.Contains(got, "Inf") {
			t.Errorf("%s: the page has NaN or Inf", name)
		}
		if strings.Contains(got, ">-1.0<") {
			t.Errorf("%s: an axis of rates starts below 0", name)
		}
	}
	if r := mustReport(t, &won); !strings.Contains(htmlOf(t, r), "No game was drawn") || strings.Contains(textOf(t, r), "Drawn by") {
		t.Error("a split of no draws is shown")
	}
	if err := WriteHTML(&bytes.Buffer{}, study(t), "x", Section{Title: "Curve", SVG: []byte("no picture")}); err == nil {
		t.Error("a section's SVG that is none is accepted")
	}
}

// Protects the axes: round steps, few of them, written without superfluous zeros.
func TestTicks(t *testing.T) {
	for _, test := range []struct {
		high float64
		want string
	}{
		{100, "0 10 20 30 40 50 60 70 80 90 100"},
		{64, "0 10 20 30 40 50 60"},
		{7.1, "0 1 2 3 4 5 6 7"},
		{0.013, "0.000 0.002 0.004 0.006 0.008 0.010 0.012"},
	} {
		var labels []string
		for _, tick := range ticks(0, test.high) {
			labels = append(labels, tick.Label)
		}
		if got := strings.Join(labels, " "); got != test.want {
			t.Errorf("0 to %v: got %s, want %s", test.high, got, test.want)
		}
	}
}
