package endgame

import (
	"bufio"
	"bytes"
	"crypto/sha256"
	"encoding/binary"
	"errors"
	"fmt"
	"hash"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"github.com/klauspost/compress/zstd"

	"draughtlab/engine"
)

// A file holds, in this order: the header, the codes as one zstd stream, and the
// SHA-256 of all before it. Numbers are little endian.
type header struct {
	Magic    [8]byte
	Version  uint16
	Width    uint16 // bytes of a code
	Variant  [16]byte
	Rules    [16]byte
	Material [4]uint8 // White's men and kings, Black's
	Clocks   uint32
	States   uint64
}

var magic = [8]byte{'D', 'R', 'E', 'N', 'D', 'G', '\r', '\n'}

// version changes with the meaning of anything in a file, the index included.
const version = 1

const (
	headerSize = 60
	sumSize    = sha256.Size
	extension  = ".egt"
)

// FileName returns the path of an ending's file.
func FileName(dir string, v *engine.Variant, rules Rules, m Material) string {
	name := v.Name + "-" + rules.String() + "-" + strings.ReplaceAll(m.String(), " ", "") + extension
	return filepath.Join(dir, name)
}

// newHeader returns the header of an ending's file.
func newHeader(v *engine.Variant, rules Rules, e *ending, width int) header {
	h := header{Magic: magic, Version: version, Width: uint16(width), States: uint64(e.states()), Clocks: uint32(e.slices[0].clocks)}
	copy(h.Variant[:], v.Name)
	copy(h.Rules[:], rules.String())
	m := e.material
	h.Material = [4]uint8{uint8(m.White.Men), uint8(m.White.Kings), uint8(m.Black.Men), uint8(m.Black.Kings)}
	return h
}

// check says what is wrong with a header if it is not that of the ending's file.
func (h header) check(v *engine.Variant, rules Rules, e *ending) error {
	switch {
	case h.Magic != magic:
		return errors.New("not an endgame table")
	case h.Version != version:
		return fmt.Errorf("of version %d, this program reads %d", h.Version, version)
	case h.Width != 1 && h.Width != 2:
		return errors.New("damaged")
	}
	want := newHeader(v, rules, e, int(h.Width))
	switch {
	case h == want:
		return nil
	case h.Variant == want.Variant && h.Rules == want.Rules && h.Material == want.Material || h.material().Pieces() > MaxPieces:
		return errors.New("damaged: its header is wrong")
	}
	return fmt.Errorf("another table: of %s, %s rules, %s", text(h.Variant[:]), text(h.Rules[:]), h.material())
}

// material returns what the header says stands on the board.
func (h header) material() Material {
	m := h.Material
	return Material{Force{int(m[0]), int(m[1])}, Force{int(m[2]), int(m[3])}}
}

// text reads a name padded with zeros.
func text(b []byte) string { return string(bytes.TrimRight(b, "\x00")) }

// newCodes makes room for n codes, of one byte each if the greatest fits.
func newCodes(n, greatest int) *codes {
	if greatest <= 255 {
		return &codes{narrow: make([]uint8, n)}
	}
	return &codes{wide: make([]uint16, n)}
}

// set stores the code of a state.
func (c *codes) set(i int, code uint32) {
	if c.narrow != nil {
		c.narrow[i] = uint8(code)
	} else {
		c.wide[i] = uint16(code)
	}
}

// width is the number of bytes of a code.
func (c *codes) width() int {
	if c.narrow != nil {
		return 1
	}
	return 2
}

// writeFile writes an ending's file: under a temporary name first, so that what
// stands under its name is complete.
func writeFile(path string, v *engine.Variant, rules Rules, e *ending, c *codes) (err error) {
	dir := filepath.Dir(path)
	if err := os.MkdirAll(dir, 0o755); err != nil {
		return fmt.Errorf("endgame table %s: %w", path, err)
	}
	f, err := os.CreateTemp(dir, ".tmp-*")
	if err != nil {
		return fmt.Errorf("endgame table %s: %w", path, err)
	}
	defer func() {
		if err != nil {
			err = fmt.Errorf("endgame table %s: %w", path, err)
			f.Close()
			os.Remove(f.Name())
		}
	}()
	if err := writeTo(f, newHeader(v, rules, e, c.width()), c); err != nil {
		return err
	}
	for _, step := range []func() error{
		func() error { return f.Chmod(0o644) }, f.Sync, f.Close,
		func() error { return os.Rename(f.Name(), path) },
	} {
		if err := step(); err != nil {
			return err
		}
	}
	return syncDir(dir)
}

// syncDir makes the names in a directory durable.
func syncDir(dir string) error {
	d, err := os.Open(dir)
	if err != nil {
		return err
	}
	return errors.Join(d.Sync(), d.Close())
}

// writeTo writes the content of a file.
func writeTo(f io.Writer, h header, c *codes) error {
	out := bufio.NewWriterSize(f, 1<<16)
	sum := sha256.New()
	both := io.MultiWriter(out, sum)
	if err := binary.Write(both, binary.LittleEndian, h); err != nil {
		return err
	}
	z, err := zstd.NewWriter(both, zstd.WithEncoderConcurrency(1), zstd.WithEncoderLevel(zstd.SpeedBetterCompression))
	if err != nil {
		return err
	}
	if err := errors.Join(c.writeTo(z), z.Close()); err != nil {
		return err
	}
	if _, err := out.Write(sum.Sum(nil)); err != nil {
		return err
	}
	return out.Flush()
}

// writeTo writes the codes.
func (c *codes) writeTo(w io.Writer) error {
	if c.narrow != nil {
		_, err := w.Write(c.narrow)
		return err
	}
	var block [1 << 14]byte
	for rest := c.wide; len(rest) > 0; {
		n := min(len(rest), len(block)/2)
		for i, code := range rest[:n] {
			binary.LittleEndian.PutUint16(block[2*i:], code)
		}
		if _, err := w.Write(block[:2*n]); err != nil {
			return err
		}
		rest = rest[n:]
	}
	return nil
}

// readFrom fills the codes.
func (c *codes) readFrom(r io.Reader) error {
	if c.narrow != nil {
		_, err := io.ReadFull(r, c.narrow)
		return err
	}
	var block [1 << 14]byte
	for rest := c.wide; len(rest) > 0; {
		n := min(len(rest), len(block)/2)
		if _, err := io.ReadFull(r, block[:2*n]); err != nil {
			return err
		}
		for i := range n {
			rest[i] = binary.LittleEndian.Uint16(block[2*i:])
		}
		rest = rest[n:]
	}
	return nil
}

// checkFile reads a file to its end and reports whether it is there and whole.
func checkFile(path string, v *engine.Variant, rules Rules, e *ending) (bool, error) {
	f, h, err := openFile(path, v, rules, e)
	if errors.Is(err, fs.ErrNotExist) {
		return false, nil
	}
	if err != nil {
		return false, err
	}
	defer f.close()
	return true, f.read(func(r io.Reader) error {
		_, err := io.CopyN(io.Discard, r, int64(e.states())*int64(h.Width))
		return err
	})
}

// readFile reads the codes of an ending from its file.
func readFile(path string, v *engine.Variant, rules Rules, e *ending) (*codes, error) {
	f, h, err := openFile(path, v, rules, e)
	if err != nil {
		return nil, err
	}
	defer f.close()
	c := newCodes(e.states(), map[uint16]int{1: 0, 2: 256}[h.Width])
	if err := f.read(c.readFrom); err != nil {
		return nil, err
	}
	return c, nil
}

// tableFile is a file being read.
type tableFile struct {
	file *os.File
	path string
	sum  hash.Hash
	body io.Reader // between header and checksum; passes it on to sum
}

// openFile opens an ending's file and checks its header. Errors name the file.
func openFile(path string, v *engine.Variant, rules Rules, e *ending) (*tableFile, header, error) {
	file, err := os.Open(path)
	if err != nil {
		return nil, header{}, fmt.Errorf("endgame table: %w", err)
	}
	f := &tableFile{file: file, path: path, sum: sha256.New()}
	h, err := f.begin()
	if err == nil {
		err = h.check(v, rules, e)
	}
	if err != nil {
		f.close()
		return nil, header{}, f.failed(err)
	}
	return f, h, nil
}

// begin reads the header.
func (f *tableFile) begin() (header, error) {
	var h header
	info, err := f.file.Stat()
	if err != nil {
		return h, err
	}
	if info.IsDir() {
		return h, errors.New("a directory, not an endgame table")
	}
	if info.Size() < headerSize+sumSize {
		return h, errors.New("not an endgame table, or cut short")
	}
	whole := io.LimitReader(bufio.NewReaderSize(f.file, 1<<16), info.Size()-sumSize)
	f.body = io.TeeReader(whole, f.sum)
	return h, binary.Read(f.body, binary.LittleEndian, &h)
}

// read reads the codes with take, which must find as many as it wants and leave
// none, and compares the checksum.
func (f *tableFile) read(take func(io.Reader) error) error {
	z, err := zstd.NewReader(f.body, zstd.WithDecoderConcurrency(1))
	if err != nil {
		return f.failed(err)
	}
	defer z.Close()
	err = take(z)
	if err == nil {
		var more [1]byte
		if _, err = io.ReadFull(z, more[:]); err == nil {
			err = errors.New("there are more codes than states")
		}
		if err == io.EOF {
			return f.finish()
		}
	} else if err == io.EOF || err == io.ErrUnexpectedEOF {
		err = errors.New("there are fewer codes than states")
	}
	return f.failed(fmt.Errorf("damaged: %w", err))
}

// finish reads the rest and compares the checksum.
func (f *tableFile) finish() error {
	if _, err := io.Copy(io.Discard, f.body); err != nil {
		return f.failed(err)
	}
	var want [sumSize]byte
	info, err := f.file.Stat()
	if err == nil {
		_, err = f.file.ReadAt(want[:], info.Size()-sumSize)
	}
	if err != nil {
		return f.failed(err)
	}
	if !bytes.Equal(f.sum.Sum(nil), want[:]) {
		return f.failed(errors.New("damaged or cut short: its checksum is wrong"))
	}
	return nil
}

// failed names the file, and says what to do.
func (f *tableFile) failed(err error) error {
	if named := (*fs.PathError)(nil); errors.As(err, &named) {
		err = named.Err // the path stands before it
	}
	return fmt.Errorf("endgame table %s: %w (remove it, and build it again)", f.path, err)
}

// close closes the file, which was only read.
func (f *tableFile) close() { _ = f.file.Close() }
