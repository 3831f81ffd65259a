package convert

import (
	"bufio"
	"errors"
	"fmt"
	"io"
	"reflect"
	"strconv"

	"github.com/apache/arrow/go/v17/arrow"
	"github.com/apache/arrow/go/v17/arrow/array"
	"github.com/apache/arrow/go/v17/arrow/ipc"
	"github.com/apache/arrow/go/v17/arrow/memory"

	"draughtlab/export/dataset"
)

// batchRows is the number of rows of a record batch.
const batchRows = 64 << 10

// recordWriter is what both forms of Arrow IPC have.
type recordWriter interface {
	Write(arrow.Record) error
	Close() error
}

// arrowEncoder collects rows to record batches.
type arrowEncoder struct {
	buffer  *bufio.Writer
	out     recordWriter
	builder *array.RecordBuilder
	columns []column
	rows    int
}

func newArrow(w io.Writer, f Format, t dataset.Table, columns []column) (*arrowEncoder, error) {
	schema, err := arrowSchema(t, columns)
	if err != nil {
		return nil, err
	}
	e := &arrowEncoder{buffer: bufio.NewWriterSize(w, 1<<16), columns: columns, builder: array.NewRecordBuilder(memory.DefaultAllocator, schema)}
	if f == ArrowStream {
		e.out = ipc.NewWriter(e.buffer, ipc.WithSchema(schema))
		return e, nil
	}
	e.out, err = ipc.NewFileWriter(&counter{w: e.buffer}, ipc.WithSchema(schema))
	return e, err
}

// arrowSchema gives every column its documented type and meaning.
func arrowSchema(t dataset.Table, columns []column) (*arrow.Schema, error) {
	types := map[string]arrow.DataType{
		"int8": arrow.PrimitiveTypes.Int8, "int16": arrow.PrimitiveTypes.Int16, "int32": arrow.PrimitiveTypes.Int32,
		"int64": arrow.PrimitiveTypes.Int64, "bool": arrow.FixedWidthTypes.Boolean, "string": arrow.BinaryTypes.String,
	}
	fields := []arrow.Field{{Name: "variant", Type: arrow.BinaryTypes.String}}
	for _, c := range columns {
		typ, ok := types[c.Type]
		if !ok {
			return nil, fmt.Errorf("column %s: no Arrow type for %s", c.Name, c.Type)
		}
		meaning := arrow.NewMetadata([]string{"unit", "meaning"}, []string{c.Unit, c.Meaning})
		fields = append(fields, arrow.Field{Name: c.Name, Type: typ, Nullable: c.Nullable, Metadata: meaning})
	}
	about := arrow.NewMetadata([]string{"draughtlab.schema", "draughtlab.table"}, []string{strconv.Itoa(dataset.SchemaVersion), string(t)})
	return arrow.NewSchema(fields, &about), nil
}

func (e *arrowEncoder) add(variant string, row reflect.Value) error {
	e.builder.Field(0).(*array.StringBuilder).Append(variant)
	for i, c := range e.columns {
		v := row.Field(c.field)
		b := e.builder.Field(i + 1)
		if v.Kind() == reflect.Pointer {
			if v.IsNil() {
				b.AppendNull()
				continue
			}
			v = v.Elem()
		}
		switch b := b.(type) {
		case *array.Int8Builder:
			b.Append(int8(v.Int()))
		case *array.Int16Builder:
			b.Append(int16(v.Int()))
		case *array.Int32Builder:
			b.Append(int32(v.Int()))
		case *array.Int64Builder:
			b.Append(v.Int())
		case *array.BooleanBuilder:
			b.Append(v.Bool())
		case *array.StringBuilder:
			b.Append(v.String())
		default:
			panic(fmt.Sprintf("convert: no case for %T, which arrowSchema makes", b))
		}
	}
	if e.rows++; e.rows == batchRows {
		return e.flush()
	}
	return nil
}

func (e *arrowEncoder) flush() error {
	if e.rows == 0 {
		return nil
	}
	e.rows = 0
	record := e.builder.NewRecord()
	defer record.Release()
	return e.out.Write(record)
}

func (e *arrowEncoder) close() error {
	defer e.builder.Release()
	if err := e.flush(); err != nil {
		return err
	}
	if err := e.out.Close(); err != nil {
		return err
	}
	return e.buffer.Flush()
}

// counter is a writer that knows its position, which is all the Arrow library
// seeks for; so the file format can be written to a pipe.
type counter struct {
	w io.Writer
	n int64
}

func (c *counter) Write(b []byte) (int, error) {
	n, err := c.w.Write(b)
	c.n += int64(n)
	return n, err
}

// Seek returns the position; it cannot go elsewhere.
func (c *counter) Seek(offset int64, whence int) (int64, error) {
	if offset != 0 || whence != io.SeekCurrent {
		return 0, errors.New("an Arrow file is written from front to end")
	}
	return c.n, nil
}
