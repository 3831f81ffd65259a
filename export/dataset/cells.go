package dataset

import (
	"fmt"
	"io"

	"github.com/parquet-go/parquet-go"
)

// cells fills one column of rows from the values of a file.
type cells[T any] struct {
	column string
	fill   func(rows []T, values []parquet.Value, texts texts)
	since  int // the schema version that brought the column; 0 is the first
}

// texts keeps one copy of each text of a column of few different ones.
type texts map[string]string

// maxTexts bounds what a column's texts keep in memory.
const maxTexts = 1 << 14

func (t texts) of(b []byte) string {
	if s, ok := t[string(b)]; ok {
		return s
	}
	s := string(b)
	if len(t) < maxTexts && len(s) < 1<<10 {
		t[s] = s
	}
	return s
}

// from returns the column as one that a schema version brought.
func (c cells[T]) from(schema int) cells[T] {
	c.since = schema
	return c
}

func int64Cells[T any](column string, at func(*T) *int64) cells[T] {
	return cells[T]{column: column, fill: func(rows []T, values []parquet.Value, _ texts) {
		for i := range values {
			*at(&rows[i]) = values[i].Int64()
		}
	}}
}

func intCells[T any, I int8 | int16 | int32](column string, at func(*T) *I) cells[T] {
	return cells[T]{column: column, fill: func(rows []T, values []parquet.Value, _ texts) {
		for i := range values {
			*at(&rows[i]) = I(values[i].Int32())
		}
	}}
}

// nullableCells gives each batch an array of its own for the cells to point to.
func nullableCells[T any, I int8 | int16](column string, at func(*T) **I) cells[T] {
	return cells[T]{column: column, fill: func(rows []T, values []parquet.Value, _ texts) {
		numbers := make([]I, len(values))
		for i := range values {
			if values[i].IsNull() {
				*at(&rows[i]) = nil
				continue
			}
			numbers[i] = I(values[i].Int32())
			*at(&rows[i]) = &numbers[i]
		}
	}}
}

func boolCells[T any](column string, at func(*T) *bool) cells[T] {
	return cells[T]{column: column, fill: func(rows []T, values []parquet.Value, _ texts) {
		for i := range values {
			*at(&rows[i]) = values[i].Boolean()
		}
	}}
}

func textCells[T any](column string, at func(*T) *string) cells[T] {
	return cells[T]{column: column, fill: func(rows []T, values []parquet.Value, texts texts) {
		for i := range values {
			*at(&rows[i]) = texts.of(values[i].ByteArray())
		}
	}}
}

func gameCells() []cells[GameRow] {
	type row = GameRow
	return []cells[row]{
		int64Cells("game", func(r *row) *int64 { return &r.Game }),
		int64Cells("seed", func(r *row) *int64 { return &r.Seed }),
		textCells("profile", func(r *row) *string { return &r.Profile }),
		textCells("opening", func(r *row) *string { return &r.Opening }),
		intCells("opening_plies", func(r *row) *int32 { return &r.OpeningPlies }),
		textCells("start_fen", func(r *row) *string { return &r.StartFEN }),
		intCells("start_white_run_square", func(r *row) *int8 { return &r.StartWhiteRunSquare }),
		intCells("start_white_run", func(r *row) *int8 { return &r.StartWhiteRun }),
		intCells("start_black_run_square", func(r *row) *int8 { return &r.StartBlackRunSquare }),
		intCells("start_black_run", func(r *row) *int8 { return &r.StartBlackRun }),
		textCells("moves", func(r *row) *string { return &r.Moves }),
		intCells("plies", func(r *row) *int32 { return &r.Plies }),
		intCells("ply_limit", func(r *row) *int32 { return &r.PlyLimit }),
		nullableCells("outcome", func(r *row) **int8 { return &r.Outcome }),
		textCells("termination", func(r *row) *string { return &r.Termination }),
		textCells("termination_class", func(r *row) *string { return &r.TerminationClass }),
		textCells("engine", func(r *row) *string { return &r.Engine }),
		textCells("weights_hash", func(r *row) *string { return &r.WeightsHash }),
		intCells("table_pieces", func(r *row) *int8 { return &r.TablePieces }).from(tableSchema),
	}
}

func positionCells() []cells[PositionRow] {
	type row = PositionRow
	return []cells[row]{
		int64Cells("game", func(r *row) *int64 { return &r.Game }),
		intCells("ply", func(r *row) *int32 { return &r.Ply }),
		int64Cells("white_men", func(r *row) *int64 { return &r.WhiteMen }),
		int64Cells("white_kings", func(r *row) *int64 { return &r.WhiteKings }),
		int64Cells("black_men", func(r *row) *int64 { return &r.BlackMen }),
		int64Cells("black_kings", func(r *row) *int64 { return &r.BlackKings }),
		boolCells("white_to_move", func(r *row) *bool { return &r.WhiteToMove }),
		intCells("white_run_square", func(r *row) *int8 { return &r.WhiteRunSquare }),
		intCells("white_run", func(r *row) *int8 { return &r.WhiteRun }),
		intCells("black_run_square", func(r *row) *int8 { return &r.BlackRunSquare }),
		intCells("black_run", func(r *row) *int8 { return &r.BlackRun }),
		intCells("since_change", func(r *row) *int16 { return &r.SinceChange }),
		intCells("since_man", func(r *row) *int16 { return &r.SinceMan }),
		intCells("road", func(r *row) *int16 { return &r.Road }),
		intCells("legal_moves", func(r *row) *int16 { return &r.LegalMoves }),
		boolCells("capture_due", func(r *row) *bool { return &r.CaptureDue }),
		textCells("move", func(r *row) *string { return &r.Move }),
		nullableCells("score", func(r *row) **int16 { return &r.Score }),
		nullableCells("win_in", func(r *row) **int16 { return &r.WinIn }),
		intCells("depth", func(r *row) *int16 { return &r.Depth }),
		intCells("nodes", func(r *row) *int32 { return &r.Nodes }),
		nullableCells("outcome", func(r *row) **int8 { return &r.Outcome }),
		intCells("plies_to_end", func(r *row) *int32 { return &r.PliesToEnd }),
		textCells("termination", func(r *row) *string { return &r.Termination }),
	}
}

// columnReader reads the values of one column through all row groups.
type columnReader struct {
	chunks []parquet.ColumnChunk // those not begun
	pages  parquet.Pages         // of the current one
	page   parquet.Page
	values parquet.ValueReader // of the current page
	texts  texts
	buffer [256]parquet.Value
}

// next returns up to most values; it returns none only with an error, io.EOF
// after the last one. They last until the next call.
func (c *columnReader) next(most int) ([]parquet.Value, error) {
	for {
		if c.values != nil {
			n, err := c.values.ReadValues(c.buffer[:min(most, len(c.buffer))])
			if n > 0 {
				return c.buffer[:n], nil
			}
			if err != nil && err != io.EOF {
				return nil, err
			}
			parquet.Release(c.page)
			c.page, c.values = nil, nil
		}
		if c.pages == nil {
			if len(c.chunks) == 0 {
				return nil, io.EOF
			}
			c.pages, c.chunks = c.chunks[0].Pages(), c.chunks[1:]
		}
		page, err := c.pages.ReadPage()
		if err == io.EOF {
			err = c.pages.Close()
			c.pages = nil
		}
		if err != nil {
			return nil, err
		}
		if page != nil {
			c.page, c.values = page, page.Values()
		}
	}
}

func (c *columnReader) close() {
	if c.page != nil {
		parquet.Release(c.page)
	}
	if c.pages != nil {
		_ = c.pages.Close() // only read from
	}
	c.page, c.values, c.pages, c.chunks = nil, nil, nil, nil
}

// fillColumn fills a column of all rows. Memory of a page that its values
// point to is copied before the next one is read.
func fillColumn[T any](c *columnReader, cells cells[T], rows []T) error {
	for len(rows) > 0 {
		values, err := c.next(len(rows))
		if err == io.EOF {
			err = io.ErrUnexpectedEOF
		}
		if err != nil {
			return fmt.Errorf("column %s: %w", cells.column, err)
		}
		cells.fill(rows[:len(values)], values, c.texts)
		rows = rows[len(values):]
	}
	return nil
}
