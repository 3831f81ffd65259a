package dataset

import (
	"bytes"
	"fmt"
	"slices"
	"strings"

	"draughtlab/engine"
)

// Card returns the text of DATASET.md: what the dataset holds, how to read it,
// where it comes from. It reads the games table and config.json of dir; the
// counts of rows are those of the manifest.
func Card(dir string, m Manifest) ([]byte, error) {
	config, err := readAll(Join(dir, ConfigFile))
	if err != nil {
		return nil, fmt.Errorf("dataset card: %w", err)
	}
	var b bytes.Buffer
	fmt.Fprintf(&b, cardHead, m.Schema)
	origins := ""
	fmt.Fprint(&b, "| game | games | positions | White won | draw | Black won | no result |\n|---|---:|---:|---:|---:|---:|---:|\n")
	endings := ""
	for _, v := range m.Variants {
		c, err := countGames(dir, v)
		if err != nil {
			return nil, fmt.Errorf("dataset card: %w", err)
		}
		fmt.Fprintf(&b, "| %s | %d | %d | %d | %d | %d | %d |\n", v.Variant, v.Games, v.Positions,
			c.outcomes[engine.WhiteWins], c.outcomes[engine.Draw], c.outcomes[engine.BlackWins], c.outcomes[engine.Unfinished])
		endings += c.endings(v.Variant)
		origins += fmt.Sprintf("| %s | %s | %s | %d | %s | %d games a shard |\n", v.Variant, c.settings.engine, c.settings.profile,
			c.settings.plyLimit, c.settings.weights, v.ShardGames)
	}
	fmt.Fprintf(&b, "\nHow the games ended:\n\n| game | termination | class | games |\n|---|---|---|---:|\n%s", endings)
	fmt.Fprint(&b, cardReading)
	for _, t := range tables {
		fmt.Fprintf(&b, "\n## Table `%s`\n\n%s", t, columnTable(t))
	}
	fmt.Fprintf(&b, cardOrigin, origins, m.Config, strings.TrimSpace(string(config)))
	return b.Bytes(), nil
}

// columnTable describes the columns of a table in Markdown.
func columnTable(t Table) string {
	var b strings.Builder
	b.WriteString("| column | type | null | unit | meaning |\n|---|---|---|---|---|\n")
	for _, c := range Columns(t) {
		null := "no"
		if c.Nullable {
			null = "yes"
		}
		fmt.Fprintf(&b, "| `%s` | %s | %s | %s | %s |\n", c.Name, c.Type, null, c.Unit, c.Meaning)
	}
	return b.String()
}

// gameCounts are the counts of the card.
type gameCounts struct {
	settings     settings
	outcomes     map[engine.Outcome]int64
	terminations map[[2]string]int64
}

// countGames reads the shards that a manifest lists, which need not be written yet.
func countGames(dir string, v VariantManifest) (gameCounts, error) {
	c := gameCounts{outcomes: map[engine.Outcome]int64{}, terminations: map[[2]string]int64{}}
	for _, sm := range v.Shards {
		columns := []string{"profile", "ply_limit", "outcome", "termination", "termination_class", "engine", "weights_hash"}
		err := Shard{dir, v.Variant, sm.Shard}.gameColumns(columns, func(rows []GameRow) error {
			for _, r := range rows {
				c.settings = settings{r.Profile, r.PlyLimit, r.Engine, r.WeightsHash}
				c.outcomes[r.Result()]++
				c.terminations[[2]string{r.Termination, r.TerminationClass}]++
			}
			return nil
		})
		if err != nil {
			return c, err
		}
	}
	return c, nil
}

func (c gameCounts) endings(variant string) string {
	var lines []string
	for t, n := range c.terminations {
		lines = append(lines, fmt.Sprintf("| %s | %s | %s | %d |\n", variant, t[0], t[1], n))
	}
	slices.Sort(lines)
	return strings.Join(lines, "")
}

const cardHead = `# Dataset of draughts self-play

Games of Croda, Russian and Frisian draughts that a program played against
itself, and every position in them. Written by draughtlab, schema version %d.

Data: CC0-1.0.

`

const cardReading = `
A result is coded 1, 0, -1 from White's view. A game the program stopped has no
result: its outcome is null, never 0, so that an average cannot take it for a
draw. Count such games apart.

## How to read it

The two tables are Parquet files in Hive layout:
` + "`games/variant=V/*.parquet` and `positions/variant=V/*.parquet`" + `. The game (variant)
is in the path, not in a column of the files.

` + "```python" + `
import duckdb, pandas as pd, polars as pl, pyarrow.dataset as ds
duckdb.sql("SELECT variant, count(*), avg((outcome = 0)::INT) FROM read_parquet('games/*/*.parquet', hive_partitioning=true) GROUP BY variant")
pl.scan_parquet("positions/**/*.parquet", hive_partitioning=True)
pd.read_parquet("positions", dtype_backend="numpy_nullable")
ds.dataset("positions", format="parquet", partitioning="hive").to_table()
` + "```" + `

Bitboards are int64 that hold 64 bits in two's complement, because several
readers have no unsigned 64-bit integers. Bit 8*rank+file stands for a square
of Croda and Russian (a1 is bit 0, h1 bit 7, h8 bit 63); bit number-1 for a
square of Frisian (1 is bit 0, 50 is bit 49). A Croda board with a piece on h8
is a negative number; nothing is lost. To test the bit of a square, and to get
unsigned numbers:

| reader | piece on bit k | unsigned |
|---|---|---|
| pandas, numpy | ` + "`(df.white_men.to_numpy() >> k) & 1`" + ` | ` + "`df.white_men.to_numpy().view('uint64')`" + ` |
| Polars | ` + "`(pl.col('white_men') // 2**k) & 1` for k < 63, `pl.col('white_men') < 0` for 63" + ` | ` + "`pl.col('white_men').reinterpret(signed=False)`" + ` |
| DuckDB | ` + "`(white_men >> k) & 1`" + ` | ` + "`white_men::BIT`, or `bit_count(white_men)` to count" + ` |
| Spark | ` + "`shiftright(white_men, k) & 1`" + ` | ` + "`bit_count(white_men)`" + ` |

Columns that can be null are whole numbers in Parquet; pandas makes floats of
them unless it is told otherwise (` + "`dtype_backend=\"numpy_nullable\"`" + `). Bitboards are
never null.

Rows are sorted by game and ply.
`

const cardOrigin = `
## Where it comes from

| game | engine | articles | ply limit | weights | shards |
|---|---|---|---:|---|---|
%s
Every file carries in its metadata the schema version, table, variant, shard,
its games, the SHA-256 of the configuration and a hash of its rows. The games
can be played again from this configuration (SHA-256 %s):

` + "```json\n%s\n```\n"
