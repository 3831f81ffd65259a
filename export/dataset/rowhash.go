package dataset

import (
	"crypto/sha256"
	"encoding/binary"
	"encoding/hex"
	"hash"
)

// rowHash hashes the content of rows, whatever their encoding in a file: every
// column in the order of the schema, integers little-endian in the width of
// their type, a byte for a bool, a length of four bytes before a text, and
// before a nullable cell a byte that is 0 where it is null.
type rowHash[T any] struct {
	sum    hash.Hash
	buf    []byte
	schema int
	encode func(b []byte, r *T, schema int) []byte
}

// newRowHash hashes rows of a schema version as that version says.
func newRowHash[T any](t tableOf[T], variant string, schema int) *rowHash[T] {
	h := &rowHash[T]{sum: sha256.New(), schema: schema, encode: t.encode}
	h.buf = binary.LittleEndian.AppendUint32(h.buf, uint32(schema))
	h.buf = appendText(appendText(h.buf, string(t.name)), variant)
	h.flush()
	return h
}

func (h *rowHash[T]) add(rows []T) {
	for i := range rows {
		h.buf = h.encode(h.buf, &rows[i], h.schema)
		if len(h.buf) >= 1<<15 {
			h.flush()
		}
	}
	h.flush()
}

func (h *rowHash[T]) flush() {
	h.sum.Write(h.buf)
	h.buf = h.buf[:0]
}

func (h *rowHash[T]) hex() string { return hex.EncodeToString(h.sum.Sum(nil)) }

func encodeGame(b []byte, r *GameRow, schema int) []byte {
	le := binary.LittleEndian
	b = le.AppendUint64(b, uint64(r.Game))
	b = le.AppendUint64(b, uint64(r.Seed))
	b = appendText(b, r.Profile)
	b = appendText(b, r.Opening)
	b = le.AppendUint32(b, uint32(r.OpeningPlies))
	b = appendText(b, r.StartFEN)
	b = append(b, byte(r.StartWhiteRunSquare), byte(r.StartWhiteRun), byte(r.StartBlackRunSquare), byte(r.StartBlackRun))
	b = appendText(b, r.Moves)
	b = le.AppendUint32(b, uint32(r.Plies))
	b = le.AppendUint32(b, uint32(r.PlyLimit))
	b = appendNull8(b, r.Outcome)
	b = appendText(b, r.Termination)
	b = appendText(b, r.TerminationClass)
	b = appendText(b, r.Engine)
	b = appendText(b, r.WeightsHash)
	if schema >= tableSchema {
		b = append(b, byte(r.TablePieces))
	}
	return b
}

func encodePosition(b []byte, r *PositionRow, _ int) []byte {
	le := binary.LittleEndian
	b = le.AppendUint64(b, uint64(r.Game))
	b = le.AppendUint32(b, uint32(r.Ply))
	b = le.AppendUint64(b, uint64(r.WhiteMen))
	b = le.AppendUint64(b, uint64(r.WhiteKings))
	b = le.AppendUint64(b, uint64(r.BlackMen))
	b = le.AppendUint64(b, uint64(r.BlackKings))
	b = append(b, bit(r.WhiteToMove), byte(r.WhiteRunSquare), byte(r.WhiteRun), byte(r.BlackRunSquare), byte(r.BlackRun))
	b = le.AppendUint16(b, uint16(r.SinceChange))
	b = le.AppendUint16(b, uint16(r.SinceMan))
	b = le.AppendUint16(b, uint16(r.Road))
	b = le.AppendUint16(b, uint16(r.LegalMoves))
	b = append(b, bit(r.CaptureDue))
	b = appendText(b, r.Move)
	b = appendNull16(b, r.Score)
	b = appendNull16(b, r.WinIn)
	b = le.AppendUint16(b, uint16(r.Depth))
	b = le.AppendUint32(b, uint32(r.Nodes))
	b = appendNull8(b, r.Outcome)
	b = le.AppendUint32(b, uint32(r.PliesToEnd))
	return appendText(b, r.Termination)
}

func appendText(b []byte, s string) []byte {
	return append(binary.LittleEndian.AppendUint32(b, uint32(len(s))), s...)
}

func appendNull8(b []byte, v *int8) []byte {
	if v == nil {
		return append(b, 0)
	}
	return append(b, 1, byte(*v))
}

func appendNull16(b []byte, v *int16) []byte {
	if v == nil {
		return append(b, 0)
	}
	return binary.LittleEndian.AppendUint16(append(b, 1), uint16(*v))
}

func bit(v bool) byte {
	if v {
		return 1
	}
	return 0
}
