package refine

import (
	"fmt"
	"io"

	"github.com/parquet-go/parquet-go"
)

// cells fills one column of rows from the pages of a file. parquet-go reads
// whole rows by itself, at a fifth of the speed.
type cells struct {
	column string
	kind   parquet.Kind
	fill   func(rows []Row, page *pageValues)
}

// pageValues are the values of a page that were not read yet. One of the slices
// of values is set; index, if not nil, holds the places of the page's values in
// it, and from is the first value to be read.
type pageValues struct {
	long  []int64
	short []int32
	bits  []byte
	index []int32
	from  int
	left  int
}

// intCells is for columns of 8 to 32 bits, longCells for those of 64.
func intCells[I int8 | int16 | int32](column string, at func(*Row) *I) cells {
	return cells{column, parquet.Int32, func(rows []Row, p *pageValues) {
		if p.index == nil {
			for i, v := range p.short[p.from:][:len(rows)] {
				*at(&rows[i]) = I(v)
			}
			return
		}
		for i, k := range p.index[p.from:][:len(rows)] {
			*at(&rows[i]) = I(p.short[k])
		}
	}}
}

func longCells(column string, at func(*Row) *int64) cells {
	return cells{column, parquet.Int64, func(rows []Row, p *pageValues) {
		if p.index == nil {
			for i, v := range p.long[p.from:][:len(rows)] {
				*at(&rows[i]) = v
			}
			return
		}
		for i, k := range p.index[p.from:][:len(rows)] {
			*at(&rows[i]) = p.long[k]
		}
	}}
}

func boolCells(column string, at func(*Row) *bool) cells {
	return cells{column, parquet.Boolean, func(rows []Row, p *pageValues) {
		for i := range rows {
			k := p.from + i
			*at(&rows[i]) = p.bits[k/8]>>(k%8)&1 != 0
		}
	}}
}

func rowCells() []cells {
	return []cells{
		longCells("white_men", func(r *Row) *int64 { return &r.WhiteMen }),
		longCells("white_kings", func(r *Row) *int64 { return &r.WhiteKings }),
		longCells("black_men", func(r *Row) *int64 { return &r.BlackMen }),
		longCells("black_kings", func(r *Row) *int64 { return &r.BlackKings }),
		boolCells("white_to_move", func(r *Row) *bool { return &r.WhiteToMove }),
		intCells("white_run_square", func(r *Row) *int8 { return &r.WhiteRunSquare }),
		intCells("white_run", func(r *Row) *int8 { return &r.WhiteRun }),
		intCells("black_run_square", func(r *Row) *int8 { return &r.BlackRunSquare }),
		intCells("black_run", func(r *Row) *int8 { return &r.BlackRun }),
		intCells("since_change", func(r *Row) *int16 { return &r.SinceChange }),
		intCells("since_man", func(r *Row) *int16 { return &r.SinceMan }),
		intCells("road", func(r *Row) *int16 { return &r.Road }),
		intCells("legal_moves", func(r *Row) *int16 { return &r.LegalMoves }),
		boolCells("capture_due", func(r *Row) *bool { return &r.CaptureDue }),
		longCells("count", func(r *Row) *int64 { return &r.Count }),
		longCells("white_wins", func(r *Row) *int64 { return &r.WhiteWins }),
		longCells("draws", func(r *Row) *int64 { return &r.Draws }),
		longCells("black_wins", func(r *Row) *int64 { return &r.BlackWins }),
		longCells("scored", func(r *Row) *int64 { return &r.Scored }),
		longCells("score_sum", func(r *Row) *int64 { return &r.ScoreSum }),
		longCells("proven_wins", func(r *Row) *int64 { return &r.ProvenWins }),
		longCells("proven_losses", func(r *Row) *int64 { return &r.ProvenLosses }),
		intCells("source", func(r *Row) *int32 { return &r.Source }),
		longCells("game", func(r *Row) *int64 { return &r.Game }),
		intCells("ply", func(r *Row) *int32 { return &r.Ply }),
		intCells("opening_plies", func(r *Row) *int32 { return &r.OpeningPlies }),
		longCells("opening", func(r *Row) *int64 { return &r.Opening }),
		boolCells("one_opening", func(r *Row) *bool { return &r.OneOpening }),
	}
}

// columnReader reads one column through all row groups of a file.
type columnReader struct {
	cells
	chunks []parquet.ColumnChunk // those not begun
	pages  parquet.Pages         // of the current one
	page   parquet.Page          // the current one, until its values are read
	values pageValues            // of page
}

// newColumnReaders checks that a file has all columns, of the right types.
func newColumnReaders(pf *parquet.File) ([]*columnReader, error) {
	var readers []*columnReader
	for _, c := range rowCells() {
		leaf, ok := pf.Schema().Lookup(c.column)
		if !ok || !leaf.Node.Required() || leaf.Node.Type().Kind() != c.kind {
			return nil, fmt.Errorf("no column %q of %s without nulls", c.column, c.kind)
		}
		r := &columnReader{cells: c}
		for _, g := range pf.RowGroups() {
			r.chunks = append(r.chunks, g.ColumnChunks()[leaf.ColumnIndex])
		}
		readers = append(readers, r)
	}
	return readers, nil
}

// read fills the column of all rows.
func (c *columnReader) read(rows []Row) error {
	for len(rows) > 0 {
		if c.values.left == 0 {
			if err := c.nextPage(); err != nil {
				return fmt.Errorf("column %s: %w", c.column, err)
			}
		}
		n := min(len(rows), c.values.left)
		c.fill(rows[:n], &c.values)
		c.values.from += n
		c.values.left -= n
		rows = rows[n:]
	}
	return nil
}

// nextPage goes to the next page with values.
func (c *columnReader) nextPage() error {
	parquet.Release(c.page)
	c.page, c.values = nil, pageValues{}
	for {
		if c.pages == nil {
			if len(c.chunks) == 0 {
				return io.ErrUnexpectedEOF
			}
			c.pages, c.chunks = c.chunks[0].Pages(), c.chunks[1:]
		}
		page, err := c.pages.ReadPage()
		switch {
		case err == io.EOF:
			if err := c.pages.Close(); err != nil {
				return err
			}
			c.pages = nil
		case err != nil:
			return err
		case page.NumValues() > 0:
			c.page = page
			c.take(page)
			return nil
		}
	}
}

// take looks where the values of a page are. It panics if they are of another
// type, as the decoder does where a file is damaged.
func (c *columnReader) take(page parquet.Page) {
	data, dictionary := page.Data(), page.Dictionary()
	c.values.left = int(page.NumValues())
	if dictionary != nil {
		c.values.index, data = data.Int32(), dictionary.Page().Data()
	}
	switch c.kind {
	case parquet.Int64:
		c.values.long = data.Int64()
	case parquet.Int32:
		c.values.short = data.Int32()
	default:
		c.values.bits = data.Boolean()
	}
}

func (c *columnReader) close() {
	parquet.Release(c.page)
	if c.pages != nil {
		_ = c.pages.Close() // only read from
	}
}
