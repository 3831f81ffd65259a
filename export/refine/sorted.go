package refine

import (
	"cmp"
	"slices"
	"unsafe"
)

// sortedBytes is what a row takes in memory while a part is sorted.
const sortedBytes = int64(unsafe.Sizeof(Row{}) + unsafe.Sizeof(hashed{}))

// hashed is the place of a row in the order of hashes.
type hashed struct {
	hash uint64
	row  uint32
}

// readPart reads the rows of one part of a spool.
func readPart(s *spool, part int) ([]Row, error) {
	rows := make([]Row, 0, s.parts[part].records)
	err := s.read(part, func(record []byte) error {
		rows = rows[:len(rows)+1]
		return readRecord(record, &rows[len(rows)-1])
	})
	if err != nil {
		return nil, err
	}
	return rows, s.free(part)
}

// yieldSorted calls yield with the rows, some at a time, in the order of their
// hashes and of compare where these are equal.
func yieldSorted(rows []Row, hash func(*Row) uint64, compare func(a, b *Row) int, yield func([]Row) error) error {
	order := make([]hashed, len(rows))
	for i := range rows {
		order[i] = hashed{hash(&rows[i]), uint32(i)}
	}
	slices.SortFunc(order, func(a, b hashed) int {
		if c := cmp.Compare(a.hash, b.hash); c != 0 {
			return c
		}
		return compare(&rows[a.row], &rows[b.row])
	})
	for some := range slices.Chunk(order, readRows) {
		batch := make([]Row, len(some))
		for i, h := range some {
			batch[i] = rows[h.row]
		}
		if err := yield(batch); err != nil {
			return err
		}
	}
	return nil
}
