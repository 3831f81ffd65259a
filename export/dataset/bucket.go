package dataset

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path"
	"strings"
	"sync"
	"time"

	"gocloud.dev/blob"
	_ "gocloud.dev/blob/s3blob" // s3:// and no other: each driver brings its own megabytes
	"gocloud.dev/gcerrors"
)

// A run directory may be a prefix in a bucket of an S3 object store:
// s3://bucket/prefix. Region, credentials and endpoint come from the
// environment and the files that the AWS tools read.

const bucketScheme = "s3://"

// InBucket reports whether a path is in an object store.
func InBucket(path string) bool { return strings.HasPrefix(path, bucketScheme) }

// CheckPlace refuses the names of run directories that are none: addresses of
// other stores, which would be taken for the names of directories, and prefixes
// that the keys of objects cannot have as they are written.
func CheckPlace(dir string) error {
	scheme, rest, ok := strings.Cut(dir, "://")
	switch {
	case !ok && strings.HasPrefix(dir, "s3:/"): // what cleaning a path makes of it
		return fmt.Errorf("%s: one slash is missing: write s3://bucket/prefix", Quoted(dir))
	case !ok:
		return nil
	case !InBucket(dir):
		return fmt.Errorf("%s: no store of the kind %s:// is known, only %s", dir, scheme, bucketScheme)
	}
	name, prefix, _ := strings.Cut(rest, "/")
	prefix = "/" + strings.TrimRight(prefix, "/")
	switch {
	case name == "" || strings.ContainsAny(name, "?#@:"):
		return fmt.Errorf("%s: no name of a bucket: write s3://bucket/prefix", Quoted(dir))
	case path.Clean(prefix) != prefix || !isText(prefix):
		return fmt.Errorf("%s: a prefix in a bucket has no empty parts, no . or .. and no control characters: write s3://bucket/prefix", Quoted(dir))
	}
	return nil
}

// buckets keeps a client for each bucket that was ever asked for: they take
// their time to find credentials. It is a memo and decides nothing.
var buckets struct {
	sync.Mutex
	open map[string]*blob.Bucket
}

// bucketOf returns the bucket of a path and the key within it.
func bucketOf(path string) (b *blob.Bucket, key string, err error) {
	if err := CheckPlace(path); err != nil {
		return nil, "", err
	}
	name, key, _ := strings.Cut(strings.TrimPrefix(path, bucketScheme), "/")
	buckets.Lock()
	defer buckets.Unlock()
	b, ok := buckets.open[name]
	if !ok {
		if b, err = openBucket(name); err != nil {
			return nil, "", fmt.Errorf("%s%s: %w", bucketScheme, name, err)
		}
		if buckets.open == nil {
			buckets.open = map[string]*blob.Bucket{}
		}
		buckets.open[name] = b
	}
	return b, key, nil
}

func openBucket(name string) (*blob.Bucket, error) {
	address := bucketScheme + name
	// Stores of others than AWS are addressed by path, and few know the
	// checksums that the AWS library adds by itself.
	if os.Getenv("AWS_ENDPOINT_URL_S3") != "" || os.Getenv("AWS_ENDPOINT_URL") != "" {
		address += "?use_path_style=true&request_checksum_calculation=when_required&response_checksum_validation=when_required"
	}
	return blob.OpenBucket(context.Background(), address)
}

// patience is how long a single request may take. A store that takes the
// connection and never answers must not hold up a run for ever.
const patience = 10 * time.Minute

func patiently() (context.Context, context.CancelFunc) {
	return context.WithTimeout(context.Background(), patience)
}

// storeError is a failure of an object store or of the way to it, which says
// nothing about the files there.
type storeError struct {
	path string
	err  error
}

func (e *storeError) Error() string {
	advice := "run the same command again, and if that is no help look at credentials and endpoint, which come from the environment as for the AWS tools"
	if os.Getenv("AWS_REGION") == "" && os.Getenv("AWS_DEFAULT_REGION") == "" {
		advice = "set AWS_REGION, and credentials as for the AWS tools, if the files of these do not"
	}
	return fmt.Sprintf("%s: object store: %v; %s", e.path, e.err, advice)
}

func (e *storeError) Unwrap() error { return e.err }

// failed returns an error of the store; one that says that there is no such
// object, or that there is one already, is that of package fs.
func storeFailed(path string, err error) error {
	switch gcerrors.Code(err) {
	case gcerrors.NotFound:
		err = fs.ErrNotExist
	case gcerrors.FailedPrecondition:
		err = fs.ErrExist
	default:
		return &storeError{path, err}
	}
	return &fs.PathError{Op: "open", Path: path, Err: err}
}

// listBucket calls f for each object whose path begins with dir and a slash, in
// the order of their keys; deep includes those in its subdirectories. f is
// given the key from there on.
func listBucket(dir string, deep bool, f func(name string, info fileInfo) error) error {
	b, key, err := bucketOf(dir)
	if err != nil {
		return err
	}
	prefix := strings.Trim(key, "/") + "/"
	if prefix == "/" {
		prefix = ""
	}
	options := &blob.ListOptions{Prefix: prefix}
	if !deep {
		options.Delimiter = "/"
	}
	for it := b.List(options); ; {
		ctx, cancel := patiently()
		object, err := it.Next(ctx)
		cancel()
		if err == io.EOF {
			return nil
		}
		if gcerrors.Code(err) == gcerrors.NotFound { // of a list of objects, that says one thing
			return &storeError{dir, errors.New("there is no such bucket: make it first")}
		}
		if err != nil {
			return storeFailed(dir, err)
		}
		if object.IsDir || object.Key == prefix {
			continue
		}
		name := strings.TrimPrefix(object.Key, prefix)
		if err := f(name, fileInfo{path.Base(name), object.Size, object.ModTime, true}); err != nil {
			return err
		}
	}
}

func statObject(name string) (fileInfo, error) {
	b, key, err := bucketOf(name)
	if err != nil {
		return fileInfo{}, err
	}
	ctx, cancel := patiently()
	defer cancel()
	a, err := b.Attributes(ctx, key)
	if err != nil {
		return fileInfo{}, storeFailed(name, err)
	}
	return fileInfo{path.Base(key), a.Size, a.ModTime, true}, nil
}

func removeObject(path string) error {
	b, key, err := bucketOf(path)
	if err != nil {
		return err
	}
	ctx, cancel := patiently()
	defer cancel()
	if err := b.Delete(ctx, key); err != nil && gcerrors.Code(err) != gcerrors.NotFound {
		return storeFailed(path, err)
	}
	return nil
}

func moveObject(from, to string) error {
	b, source, err := bucketOf(from)
	if err != nil {
		return err
	}
	_, target, err := bucketOf(to)
	if err != nil {
		return err
	}
	ctx, cancel := patiently()
	defer cancel()
	if err := b.Copy(ctx, target, source, nil); err != nil {
		return storeFailed(from, err)
	}
	return removeObject(from)
}

// upload writes an object, whole or not at all. Unless it replaces, the error
// is fs.ErrExist where there is one already.
func upload(path string, content io.Reader, replace bool) error {
	b, key, err := bucketOf(path)
	if err != nil {
		return err
	}
	ctx, cancel := patiently()
	defer cancel()
	w, err := b.NewWriter(ctx, key, &blob.WriterOptions{IfNotExist: !replace, ContentType: "application/octet-stream"})
	if err != nil {
		return storeFailed(path, err)
	}
	if _, err := io.Copy(w, content); err != nil {
		cancel() // else Close would complete the object
		_ = w.Close()
		return storeFailed(path, err)
	}
	if err := w.Close(); err != nil {
		return storeFailed(path, err)
	}
	return nil
}

// tailBytes are read at once from the end of an object: a Parquet file's footer
// nearly always fits, and who needs no more fetches no more.
const tailBytes = 64 << 10

// object is an object open for reading. It fetches its end when it is opened,
// and all of it into a temporary file as soon as more is read.
type object struct {
	path   string
	bucket *blob.Bucket
	key    string
	size   int64
	tail   []byte // from size-len(tail)

	mu    sync.Mutex
	whole *os.File // nil until it is needed
	at    int64    // of Read
}

func openObject(path string) (openFile, int64, error) {
	b, key, err := bucketOf(path)
	if err != nil {
		return nil, 0, err
	}
	ctx, cancel := patiently()
	defer cancel()
	a, err := b.Attributes(ctx, key)
	if err != nil {
		return nil, 0, storeFailed(path, err)
	}
	o := &object{path: path, bucket: b, key: key, size: a.Size}
	tail := min(a.Size, tailBytes)
	if o.tail, err = o.fetch(a.Size-tail, tail); err != nil {
		return nil, 0, err
	}
	return o, a.Size, nil
}

// fetch reads a part of the object from the store.
func (o *object) fetch(offset, length int64) ([]byte, error) {
	if length == 0 {
		return nil, nil
	}
	ctx, cancel := patiently()
	defer cancel()
	r, err := o.bucket.NewRangeReader(ctx, o.key, offset, length, nil)
	if err != nil {
		return nil, storeFailed(o.path, err)
	}
	defer r.Close()
	part := make([]byte, length)
	if _, err := io.ReadFull(r, part); err != nil {
		return nil, storeFailed(o.path, err)
	}
	return part, nil
}

// ReadAt implements io.ReaderAt.
func (o *object) ReadAt(p []byte, offset int64) (int, error) {
	const magic = 4 // the first bytes of a Parquet file are looked at by themselves
	begin := o.size - int64(len(o.tail))
	switch {
	case offset >= begin:
		return bytes.NewReader(o.tail).ReadAt(p, offset-begin)
	case offset == 0 && len(p) == magic:
		part, err := o.fetch(0, magic)
		return copy(p, part), err
	}
	o.mu.Lock()
	err := o.download()
	o.mu.Unlock()
	if err != nil {
		return 0, err
	}
	return o.whole.ReadAt(p, offset)
}

// Read implements io.Reader.
func (o *object) Read(p []byte) (int, error) {
	n, err := o.ReadAt(p[:min(int64(len(p)), o.size-o.at)], o.at)
	if o.at += int64(n); n == 0 && o.at == o.size {
		return 0, io.EOF
	}
	if err == io.EOF {
		err = nil
	}
	return n, err
}

// download copies the object into a temporary file without a name, so that
// nothing stays of it whatever happens.
func (o *object) download() error {
	if o.whole != nil {
		return nil
	}
	file, err := nameless()
	if err != nil {
		return err
	}
	ctx, cancel := patiently()
	defer cancel()
	r, err := o.bucket.NewReader(ctx, o.key, nil)
	if err != nil {
		file.Close()
		return storeFailed(o.path, err)
	}
	defer r.Close()
	n, err := io.Copy(file, r)
	if err == nil && n != o.size {
		err = fmt.Errorf("%d bytes came, it has %d: %w", n, o.size, io.ErrUnexpectedEOF)
	}
	if err != nil {
		file.Close()
		return storeFailed(o.path, err)
	}
	o.whole = file
	return nil
}

func (o *object) Close() error {
	if o.whole == nil {
		return nil
	}
	return o.whole.Close()
}

// nameless makes a temporary file that goes away with the process.
func nameless() (*os.File, error) {
	file, err := os.CreateTemp("", "draughtlab-*.tmp")
	if err != nil {
		return nil, fmt.Errorf("temporary file (TMPDIR says where): %w", err)
	}
	if err := os.Remove(file.Name()); err != nil {
		file.Close()
		return nil, fmt.Errorf("temporary file: %w", err)
	}
	return file, nil
}
