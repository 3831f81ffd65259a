package convert

import (
	"bufio"
	"io"
	"reflect"
	"strconv"
	"strings"
)

// csvEncoder writes RFC 4180: lines end with CR LF, fields with a comma, a
// quote or a line break are quoted. Null is an empty field; columns that can be
// null are numbers, so an empty text is not mistaken for it.
type csvEncoder struct {
	out     *bufio.Writer
	columns []column
	line    []byte
}

func newCSV(w io.Writer, columns []column) *csvEncoder {
	e := &csvEncoder{out: bufio.NewWriterSize(w, 1<<16), columns: columns}
	e.out.WriteString("variant")
	for _, c := range columns {
		e.out.WriteString("," + c.Name)
	}
	e.out.WriteString("\r\n") // a bufio.Writer keeps its first error for Flush
	return e
}

func (e *csvEncoder) add(variant string, row reflect.Value) error {
	e.line = appendField(e.line[:0], variant)
	for _, c := range e.columns {
		e.line = append(e.line, ',')
		v := row.Field(c.field)
		if v.Kind() == reflect.Pointer {
			if v.IsNil() {
				continue
			}
			v = v.Elem()
		}
		switch v.Kind() {
		case reflect.String:
			e.line = appendField(e.line, v.String())
		case reflect.Bool:
			e.line = strconv.AppendBool(e.line, v.Bool())
		default:
			e.line = strconv.AppendInt(e.line, v.Int(), 10)
		}
	}
	e.line = append(e.line, '\r', '\n')
	_, err := e.out.Write(e.line)
	return err
}

func (e *csvEncoder) close() error { return e.out.Flush() }

func appendField(line []byte, s string) []byte {
	if !strings.ContainsAny(s, ",\"\r\n") {
		return append(line, s...)
	}
	line = append(line, '"')
	line = append(line, strings.ReplaceAll(s, `"`, `""`)...)
	return append(line, '"')
}
