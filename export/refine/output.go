package refine

import (
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"hash"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strconv"

	"github.com/parquet-go/parquet-go"

	"draughtlab/export/dataset"
)

// output is a directory in the making. Until commit it stands beside its place
// under a name that begins with a dot, locked against other processes.
type output struct {
	final, dir string
	lock       *os.File
	done       bool
}

// create begins the directory that will be called path, which must not exist. It
// removes what a killed process left of an earlier try.
func create(path string) (*output, error) {
	if path == "" {
		return nil, errors.New("the name of the output is empty: name a directory")
	}
	if dataset.InBucket(path) {
		return nil, fmt.Errorf("%s: a training set is made in a directory, not in a bucket", path)
	}
	path = filepath.Clean(path)
	if _, err := os.Lstat(path); err == nil {
		return nil, fmt.Errorf("%s is there already: name a directory that is not", dataset.Quoted(path))
	} else if !errors.Is(err, fs.ErrNotExist) {
		return nil, err
	}
	if within := tableAbove(path); within != "" {
		return nil, fmt.Errorf("%s is within %s, whose readers would take its rows for their own: name a directory elsewhere", dataset.Quoted(path), dataset.Quoted(within))
	}
	// What is found under this name is taken away: nobody else calls a directory so.
	o := &output{final: path, dir: filepath.Join(filepath.Dir(path), "."+filepath.Base(path)+".draughtlab.tmp")}
	if err := os.Mkdir(o.dir, 0o755); err != nil && !errors.Is(err, fs.ErrExist) {
		return nil, o.failed(err)
	}
	lock, err := os.Open(o.dir)
	if err != nil {
		return nil, o.failed(err)
	}
	if lockDir(lock) != nil || !samePlace(lock, o.dir) {
		lock.Close()
		return nil, fmt.Errorf("another process is writing %s: wait for its end, or name another directory", dataset.Quoted(path))
	}
	o.lock = lock
	entries, err := os.ReadDir(o.dir)
	for _, e := range entries {
		err = errors.Join(err, os.RemoveAll(filepath.Join(o.dir, e.Name())))
	}
	if err != nil {
		o.abort()
		return nil, o.failed(err)
	}
	return o, nil
}

// tableAbove returns the directory of a table, of a run or a training set, that a
// path is in; "" if there is none.
func tableAbove(path string) string {
	dir, err := filepath.Abs(filepath.Dir(path))
	if err != nil {
		return "" // without a working directory there is none above
	}
	if real, err := filepath.EvalSymlinks(dir); err == nil {
		dir = real
	}
	for dir != filepath.Dir(dir) {
		above := filepath.Dir(dir)
		if name := dataset.Table(filepath.Base(dir)); name == dataset.GamesTable || name == dataset.PositionsTable {
			for _, file := range []string{dataset.ConfigFile, dataset.ManifestFile, ProvenanceFile} {
				if _, err := os.Lstat(filepath.Join(above, file)); err == nil {
					return dir
				}
			}
		}
		dir = above
	}
	return ""
}

// samePlace reports whether the directory that was opened still has that name:
// the process that made it may have given it its final one before the lock.
func samePlace(opened *os.File, path string) bool {
	a, errA := opened.Stat()
	b, errB := os.Stat(path)
	return errA == nil && errB == nil && os.SameFile(a, b)
}

// failed names the output instead of the file that is being written.
func (o *output) failed(err error) error {
	var p *fs.PathError
	if errors.As(err, &p) {
		err = p.Err
	}
	return fmt.Errorf("cannot write %s: %w", dataset.Quoted(o.final), err)
}

// commit makes everything durable and gives the directory its name.
func (o *output) commit() error {
	err := filepath.WalkDir(o.dir, func(path string, e fs.DirEntry, err error) error {
		if err != nil || !e.IsDir() {
			return err // files are synced when they are closed
		}
		return syncDir(path)
	})
	if err == nil {
		err = os.Rename(o.dir, o.final) // fails if there is something by now
	}
	if err == nil {
		o.done = true
		err = syncDir(filepath.Dir(o.final))
	}
	o.abort()
	if err != nil {
		return o.failed(err)
	}
	return nil
}

// abort removes the directory unless it has its name.
func (o *output) abort() {
	if !o.done {
		o.done = true
		_ = os.RemoveAll(o.dir) // what stays, the next try removes
	}
	_ = o.lock.Close()
}

func syncDir(path string) error {
	d, err := os.Open(path)
	if err != nil {
		return err
	}
	return errors.Join(d.Sync(), d.Close())
}

// Sizes of a file's parts. They, and never the order or size of calls, decide
// where files, row groups and pages end, so that equal rows give equal bytes.
const (
	batchRows    = 1024      // rows handed to the encoder at once; divides the next
	rowGroupRows = 128 << 10 // rows of a full row group; divides the next
	fileRows     = 4 << 20   // rows of a full file
	pageBytes    = 128 << 10 // a page ends when a column has this many bytes
	dictBytes    = 256 << 10 // a larger dictionary goes on without one
)

// The keys of a file's metadata.
const (
	keySchema  = "draughtlab.refined_schema"
	keyVariant = "draughtlab.variant"
	keyPart    = "draughtlab.part"
)

// rowWriter writes the rows of one variant into a training set: files one after
// the other.
type rowWriter struct {
	dir     string // of the training set
	variant string
	made    VariantFiles
	batch   []Row

	file  *os.File
	out   *parquet.GenericWriter[Row]
	bytes *countedHash
	rows  int64 // in the current file
}

// countedHash is the SHA-256 and the number of bytes of what is written to it.
type countedHash struct {
	hash.Hash
	n int64
}

func (h *countedHash) Write(b []byte) (int, error) {
	h.n += int64(len(b))
	return h.Hash.Write(b)
}

func newRowWriter(dir, variant string) *rowWriter {
	return &rowWriter{dir: dir, variant: variant, made: VariantFiles{Variant: variant}, batch: make([]Row, 0, batchRows)}
}

// add writes rows.
func (w *rowWriter) add(rows []Row) error {
	for len(rows) > 0 {
		n := min(len(rows), cap(w.batch)-len(w.batch))
		w.batch = append(w.batch, rows[:n]...)
		rows = rows[n:]
		if len(w.batch) == cap(w.batch) {
			if err := w.flush(); err != nil {
				return err
			}
		}
	}
	return nil
}

// flush hands the rows that wait to the encoder.
func (w *rowWriter) flush() error {
	if len(w.batch) == 0 {
		return nil
	}
	if w.file == nil {
		if err := w.begin(); err != nil {
			return err
		}
	}
	for i := range w.batch {
		w.made.Totals.add(&w.batch[i])
	}
	if _, err := w.out.Write(w.batch); err != nil {
		return err
	}
	w.rows += int64(len(w.batch))
	w.batch = w.batch[:0]
	if w.rows == fileRows {
		return w.end()
	}
	return nil
}

// fileName is the path of a file within a training set, with slashes.
func fileName(variant string, part int) string {
	return fmt.Sprintf("%s/variant=%s/part-%05d.parquet", dataset.PositionsTable, variant, part)
}

func (w *rowWriter) begin() error {
	path := filepath.Join(w.dir, filepath.FromSlash(fileName(w.variant, len(w.made.Files))))
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		return err
	}
	file, err := os.OpenFile(path, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o644)
	if err != nil {
		return err
	}
	w.file, w.rows, w.bytes = file, 0, &countedHash{Hash: sha256.New()}
	w.out = parquet.NewGenericWriter[Row](io.MultiWriter(file, w.bytes),
		parquet.Compression(&parquet.Zstd),
		parquet.CreatedBy("draughtlab", strconv.Itoa(SchemaVersion), "refined-schema"),
		parquet.MaxRowsPerRowGroup(rowGroupRows),
		parquet.PageBufferSize(pageBytes),
		parquet.DictionaryMaxBytes(dictBytes),
		parquet.DataPageStatistics(true),
		parquet.KeyValueMetadata(keySchema, strconv.Itoa(SchemaVersion)),
		parquet.KeyValueMetadata(keyVariant, w.variant),
		parquet.KeyValueMetadata(keyPart, strconv.Itoa(len(w.made.Files))),
	)
	return nil
}

// end completes the current file.
func (w *rowWriter) end() error {
	err := w.out.Close()
	if err == nil {
		err = w.file.Sync()
	}
	if err = errors.Join(err, w.file.Close()); err != nil {
		return err
	}
	w.made.Files = append(w.made.Files, File{
		File: fileName(w.variant, len(w.made.Files)), Rows: w.rows,
		Bytes: w.bytes.n, SHA256: hex.EncodeToString(w.bytes.Sum(nil)),
	})
	w.file = nil
	return nil
}

// close completes the last file. Without rows there is none, which is an error
// of the caller's to tell.
func (w *rowWriter) close() error {
	if err := w.flush(); err != nil {
		return err
	}
	if w.file == nil {
		return nil
	}
	return w.end()
}

// abort closes what is open; the output is removed with all its files.
func (w *rowWriter) abort() {
	if w.file != nil {
		_ = w.file.Close()
	}
}

// writeFile writes a file of an output durably.
func writeFile(path string, content []byte) error {
	file, err := os.OpenFile(path, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o644)
	if err != nil {
		return err
	}
	_, err = file.Write(content)
	if err == nil {
		err = file.Sync()
	}
	return errors.Join(err, file.Close())
}
