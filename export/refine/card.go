package refine

import (
	"bytes"
	"encoding/json"
	"fmt"
	"strings"
)

// card returns the text of DATASET.md, all of which follows from the
// provenance.
func card(p *Provenance) []byte {
	var b bytes.Buffer
	fmt.Fprintf(&b, cardHead, p.Schema)
	fmt.Fprint(&b, "| game | rows | positions | White won | draw | Black won | no result | with a score |\n|---|---:|---:|---:|---:|---:|---:|---:|\n")
	for _, v := range p.Variants {
		fmt.Fprintf(&b, "| %s | %d | %d | %d | %d | %d | %d | %d |\n", v.Variant, v.Rows, v.Positions,
			v.WhiteWins, v.Draws, v.BlackWins, v.Positions-v.WhiteWins-v.Draws-v.BlackWins, v.Scored)
	}
	fmt.Fprint(&b, cardReading)
	b.WriteString(columnTable())
	fmt.Fprint(&b, "\n## Where it comes from\n\n| source | run | engine | draw articles | SHA-256 of its config.json |\n|---:|---|---|---|---|\n")
	for i, s := range p.Sources {
		fmt.Fprintf(&b, "| %d | %s | %s | %s | %s |\n", i, s.Name, s.Engine, s.Profile, s.Config)
	}
	fmt.Fprint(&b, "\nHow it was made, the last step first; `provenance.json` has the hashes:\n\n")
	writeStep(&b, &p.Made, 0)
	return b.Bytes()
}

// columnTable describes the columns in Markdown.
func columnTable() string {
	var b strings.Builder
	b.WriteString("| column | type | unit | meaning |\n|---|---|---|---|\n")
	for _, c := range Columns() {
		fmt.Fprintf(&b, "| `%s` | %s | %s | %s |\n", c.Name, c.Type, c.Unit, c.Meaning)
	}
	return b.String()
}

// writeStep lists a step and those before it.
func writeStep(b *bytes.Buffer, s *Step, depth int) {
	indent := strings.Repeat("  ", depth)
	var options bytes.Buffer
	_ = json.Compact(&options, s.Options) // it is JSON: this program wrote it, or read it as such
	fmt.Fprintf(b, "%s- %s `%s`\n", indent, s.Command, options.String())
	for _, c := range s.Counts {
		fmt.Fprintf(b, "%s  - %s: %d rows (%d positions) of %d (%d)", indent, c.Variant, c.Out, c.PositionsOut, c.In, c.PositionsIn)
		if len(c.Left) > 0 {
			fmt.Fprintf(b, "; left out: %s", c.LeftText())
		}
		if c.Leaks != nil {
			fmt.Fprintf(b, "; %d positions in several parts", c.Leaks.Positions)
		}
		b.WriteString("\n")
	}
	for _, in := range s.Inputs {
		if in.Made == nil {
			fmt.Fprintf(b, "%s  - of the run %s\n", indent, in.Name)
			continue
		}
		fmt.Fprintf(b, "%s  - of %s:\n", indent, in.Name)
		writeStep(b, in.Made, depth+2)
	}
}

const cardHead = `# Training set of draughts positions

Positions of games of Croda, Russian and Frisian draughts that a program played
against itself, with the outcomes of these games. Written by draughtlab, schema
version %d of training sets.

Data: CC0-1.0.

`

const cardReading = `
A row is one position of a game, or several equal ones with the sums of what
became of them. The label of a row from White's view, 0 to 1, is

    (white_wins + draws / 2) / (white_wins + draws + black_wins)

and its weight the sum below the line. Where a row's games have no result that
sum is 0: such rows have no label. The mean score, from the view of the side to
move, is score_sum / scored where scored is not 0.

## How to read it

Parquet files in Hive layout: ` + "`positions/variant=V/part-00000.parquet`" + `. The game
(variant) is in the path, not in a column. No column is ever null.

` + "```python" + `
import duckdb, pandas as pd, polars as pl, pyarrow.dataset as ds
duckdb.sql("SELECT variant, count(*), sum(count) FROM read_parquet('positions/*/*.parquet', hive_partitioning=true) GROUP BY variant")
pl.scan_parquet("positions/**/*.parquet", hive_partitioning=True)
pd.read_parquet("positions")
ds.dataset("positions", format="parquet", partitioning="hive").to_table()
` + "```" + `

Bitboards are int64 that hold 64 bits in two's complement. Bit 8*rank+file
stands for a square of Croda and Russian (a1 is bit 0, h1 bit 7, h8 bit 63); bit
number-1 for a square of Frisian (1 is bit 0, 50 is bit 49).

| reader | piece on bit k | unsigned |
|---|---|---|
| pandas, numpy | ` + "`(df.white_men.to_numpy() >> k) & 1`" + ` | ` + "`df.white_men.to_numpy().view('uint64')`" + ` |
| Polars | ` + "`(pl.col('white_men') // 2**k) & 1` for k < 63, `pl.col('white_men') < 0` for 63" + ` | ` + "`pl.col('white_men').reinterpret(signed=False)`" + ` |
| DuckDB | ` + "`(white_men >> k) & 1`" + ` | ` + "`white_men::BIT`, or `bit_count(white_men)` to count" + ` |
| Spark | ` + "`shiftright(white_men, k) & 1`" + ` | ` + "`bit_count(white_men)`" + ` |

## Columns

`
