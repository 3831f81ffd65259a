package selfplay

import (
	"runtime"
	"testing"
)

// Protects runs of any length (case pq-memory-growth): what a run keeps does not
// grow with the shards it has finished.
func TestMemoryStaysFlat(t *testing.T) {
	const open = 48 << 20 // what shards take that happen to be open at one time and not at the other
	cfg := randomConfig(1000, "croda")
	var early, late uint64
	progress := func(p Progress) {
		switch p.Games {
		case 2 * cfg.ShardGames:
			early = heap()
		case cfg.Games:
			late = heap()
		}
	}
	if _, err := Run(t.Context(), t.TempDir(), cfg, Options{Workers: 2, Progress: progress}); err != nil {
		t.Fatal(err)
	}
	if shards := cfg.Games / cfg.ShardGames; early == 0 || late > early+open {
		t.Errorf("%d bytes of heap after 2 shards, %d after %d", early, late, shards)
	}
}

func heap() uint64 {
	runtime.GC()
	runtime.GC() // the second empties pools
	var m runtime.MemStats
	runtime.ReadMemStats(&m)
	return m.HeapAlloc
}
