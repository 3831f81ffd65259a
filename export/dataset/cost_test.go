package dataset

import (
	"os"
	"testing"

	"draughtlab/engine/variants"
)

// Protects the measurement against leaving a step out, or files behind: what it
// encodes is as large as the shard.
func TestMeasureCost(t *testing.T) {
	for _, v := range variants.All() {
		const games = 20
		spec, dir, scratch := testSpec(v, 0, 0, games), t.TempDir(), t.TempDir()
		writeTestShard(t, dir, spec)
		var records []*Record
		var positions, bytes int64
		for n := range int64(games) {
			records = append(records, randomRecord(t, v, n, testPlyLimit))
			positions += int64(len(records[n].Moves))
		}
		for _, text := range files(t, dir) {
			bytes += int64(len(text))
		}
		c, err := MeasureCost(scratch, spec, records)
		if err != nil {
			t.Fatal(err)
		}
		// The shard's footers tell some hundred bytes more.
		if c.Positions != positions || c.Bytes > bytes || c.Bytes < bytes-2000 {
			t.Errorf("%s: %d positions, %d bytes, want %d and about %d", v.Name, c.Positions, c.Bytes, positions, bytes)
		}
		if c.Rows <= 0 || c.Hash <= 0 || c.Parquet <= 0 || c.Write <= 0 {
			t.Errorf("%s: %+v", v.Name, c)
		}
		if left, err := os.ReadDir(scratch); err != nil || len(left) > 0 {
			t.Errorf("%s: %d files left, %v", v.Name, len(left), err)
		}
		records[3].Moves = records[3].Moves[:2]
		if _, err := MeasureCost(scratch, spec, records); err == nil {
			t.Errorf("%s: a spoilt game is measured", v.Name)
		}
	}
}
