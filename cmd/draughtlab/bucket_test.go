package main

import (
	"fmt"
	"io"
	"maps"
	"math/rand/v2"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/johannesboyne/gofakes3"
	"github.com/johannesboyne/gofakes3/backend/s3mem"

	"draughtlab/export/dataset"
)

// secret is the key of the store; nothing may print it.
const secret = "do-not-print-this-key"

// store is an S3 server in this process.
type store struct {
	name   string // of the bucket
	memory *s3mem.Backend
	// refuse answers requests before the store does, if it is not nil.
	refuse atomic.Pointer[func(w http.ResponseWriter, r *http.Request) bool]
	mu     sync.Mutex
	seen   []string // methods and paths
}

var storeNumber atomic.Int64

// newStore starts a server with one empty bucket, and points the environment to
// it.
func newStore(t *testing.T) *store {
	t.Helper()
	// A bucket's name is known to a process for good: each test has its own.
	s := &store{name: fmt.Sprintf("bucket-%d", storeNumber.Add(1)), memory: s3mem.New()}
	if err := s.memory.CreateBucket(s.name); err != nil {
		t.Fatal(err)
	}
	fake := gofakes3.New(s.memory, gofakes3.WithLogger(gofakes3.DiscardLog())).Server()
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		s.mu.Lock()
		s.seen = append(s.seen, r.Method+" "+r.URL.Path)
		s.mu.Unlock()
		if refuse := s.refuse.Load(); refuse != nil && (*refuse)(w, r) {
			return
		}
		fake.ServeHTTP(w, r)
	}))
	t.Cleanup(server.Close)
	for name, value := range map[string]string{
		"AWS_ENDPOINT_URL_S3": server.URL, "AWS_REGION": "us-east-1",
		"AWS_ACCESS_KEY_ID": "key", "AWS_SECRET_ACCESS_KEY": secret, "AWS_EC2_METADATA_DISABLED": "true",
		"AWS_CONFIG_FILE": os.DevNull, "AWS_SHARED_CREDENTIALS_FILE": os.DevNull,
	} {
		t.Setenv(name, value)
	}
	return s
}

// dir is the address of a run directory in the bucket.
func (s *store) dir(prefix string) string { return "s3://" + s.name + "/" + prefix }

// files returns the objects of a run by their paths.
func (s *store) files(t *testing.T, prefix string) map[string]string {
	t.Helper()
	list, err := s.memory.ListBucket(s.name, &gofakes3.Prefix{HasPrefix: true, Prefix: prefix + "/"}, gofakes3.ListBucketPage{})
	if err != nil {
		t.Fatal(err)
	}
	files := map[string]string{}
	for _, c := range list.Contents {
		object, err := s.memory.GetObject(s.name, c.Key, nil)
		if err != nil {
			t.Fatal(err)
		}
		text, err := io.ReadAll(object.Contents)
		if err != nil {
			t.Fatal(err)
		}
		files[strings.TrimPrefix(c.Key, prefix)] = string(text)
	}
	return files
}

// compare fails unless the bucket holds what the brief run comes to on a disk.
func (s *store) compare(t *testing.T, prefix string) {
	t.Helper()
	s.compareRun(t, prefix, brief)
}

func (s *store) compareRun(t *testing.T, prefix string, run fixedRun) {
	t.Helper()
	got := s.files(t, prefix)
	want, err := run.whole()
	if err != nil {
		t.Fatal(err)
	}
	if !maps.Equal(got, want.files) {
		t.Errorf("objects %q\nwant    %q, or other bytes", slices.Sorted(maps.Keys(got)), slices.Sorted(maps.Keys(want.files)))
	}
}

// Protects runs in an object store: they come to the same bytes as on a disk,
// and every command that reads a run reads them there.
func TestBucket(t *testing.T) {
	s := newStore(t)
	dir := s.dir("runs/one")
	out, log, err := brief.inProcess(dir)
	if err != nil {
		t.Fatalf("%v: %s", err, log)
	}
	s.compare(t, "runs/one")
	want, err := brief.whole()
	if err != nil {
		t.Fatal(err)
	}
	if hash, err := dataset.Hash(t.Context(), dir); err != nil || hash != want.hash {
		t.Errorf("hash %s, %v, want %s", hash, err, want.hash)
	}
	if again, log, err := brief.inProcess(dir); err != nil || again != out || !strings.Contains(log, "nothing was left to play") {
		t.Errorf("again: %v: %s%s", err, again, log)
	}
	for _, c := range []struct{ args, want string }{
		{"verify", "holds: 100 games"},
		{"status --check", "6 of 6 shards done"},
		{"stats", "Croda"},
		{"hash", want.hash},
		{"export --variant croda --format csv -o " + filepath.Join(t.TempDir(), "a.csv"), ""},
	} {
		p := newProgram(t, append(strings.Fields(c.args), dir)...)
		p.start(t)
		if code := p.end(t); code != exitOK || !strings.Contains(p.stdout.String(), c.want) {
			t.Errorf("%s: exit code %d: %s%s", c.args, code, p.stdout.String(), p.stderr.String())
		}
	}
	config := dir + "/config.json"
	if _, _, err := selfplayInProcess("--config", config, "--out", s.dir("two"), "--shards", "0-3"); err != nil {
		t.Fatal(err)
	}
	if out, _, err := statusInProcess(s.dir("two"), "--array"); err != nil || out != "4-5\n" {
		t.Errorf("status --array: %q, %v", out, err)
	}
	if _, _, err := selfplayInProcess("--config", config, "--out", s.dir("two")); err != nil {
		t.Fatal(err)
	}
	s.compare(t, "two")
	_, _, err = selfplayInProcess("--variant", "croda", "--engine", "random", "--games", "9", "--seed", "1", "--out", dir)
	wantError(t, err, "is another run's")
}

// Protects what is in a bucket from a second process, and from being there in
// part: each shard is put once, and a put that fails leaves nothing.
func TestBucketKilled(t *testing.T) {
	s := newStore(t)
	rng := rand.New(rand.NewPCG(uint64(time.Now().UnixNano()), 0))
	kills := 20
	if testing.Short() {
		kills = 4
	}
	for i := range kills {
		p, twin := brief.program(t, s.dir("run")), brief.program(t, s.dir("run"))
		p.start(t)
		twin.start(t)
		time.Sleep(time.Duration(rng.IntN(300)) * time.Millisecond)
		_ = p.Process.Kill() // an error: it has ended
		p.end(t)
		if i%2 == 0 {
			_ = twin.Process.Kill()
			twin.end(t)
			continue
		}
		if code := twin.end(t); code != exitOK {
			t.Fatalf("exit code %d: %s", code, twin.stderr.String())
		}
		s.compare(t, "run")
		for name := range s.files(t, "run") {
			if rng.IntN(2) == 0 {
				if _, err := s.memory.DeleteObject(s.name, "run"+name); err != nil {
					t.Fatal(err)
				}
			}
		}
		if _, err := s.memory.PutObject(s.name, "run/config.json", map[string]string{}, strings.NewReader(configOf(t)), int64(len(configOf(t))), nil); err != nil {
			t.Fatal(err) // without it the rest is nobody's
		}
	}
	if _, log, err := brief.inProcess(s.dir("run")); err != nil {
		t.Fatalf("%v: %s", err, log)
	}
	s.compare(t, "run")
}

// configOf returns the config.json of the brief run.
func configOf(t *testing.T) string {
	t.Helper()
	want, err := brief.whole()
	if err != nil {
		t.Fatal(err)
	}
	return want.files["/"+dataset.ConfigFile]
}

// Protects from losing what was played at a stop: the finished games of a shard
// are put into the bucket, and taken up from there.
func TestBucketSuspended(t *testing.T) {
	s := newStore(t)
	long := newFixedRun("--games", "8000", "--shard-games", "6000", "--tables", "0")
	for wait := 100 * time.Millisecond; wait < 20*time.Second; wait += wait / 4 {
		prefix := fmt.Sprintf("run-%d", wait.Milliseconds())
		p := long.program(t, s.dir(prefix))
		p.start(t)
		time.Sleep(wait)
		_ = p.Process.Signal(os.Interrupt) // an error: it has ended
		code := p.end(t)
		kept := 0
		for name := range s.files(t, prefix) {
			if strings.HasSuffix(name, ".partial") {
				kept++
			}
		}
		if code == exitOK || kept == 0 {
			continue // too late, or between two shards, or before the first
		}
		if code != exitInterrupted || kept%2 != 0 {
			t.Fatalf("exit code %d, %d parts were kept: %s", code, kept, p.stderr.String())
		}
		if out, _, err := statusInProcess(s.dir(prefix)); err != nil || !strings.Contains(out, "of 4 shards done") {
			t.Errorf("status: %v: %s", err, out)
		}
		if _, log, err := long.inProcess(s.dir(prefix)); err != nil {
			t.Fatalf("%v: %s", err, log)
		}
		s.compareRun(t, prefix, long)
		return
	}
	t.Error("no shard was ever suspended")
}

// Protects files that are right from a store that answers wrongly or not at
// all: the error names the object, nothing is set aside, no key is printed.
func TestBucketFails(t *testing.T) {
	s := newStore(t)
	dir := s.dir("run")
	if _, _, err := selfplayInProcess(append(brief.args[1:], dir)...); err != nil {
		t.Fatal(err)
	}
	forbid := func(method, part string) {
		refuse := func(w http.ResponseWriter, r *http.Request) bool {
			hit := r.Method == method && strings.Contains(r.URL.Path+"?"+r.URL.RawQuery, part)
			if hit {
				w.WriteHeader(http.StatusForbidden)
			}
			return hit
		}
		s.refuse.Store(&refuse)
	}
	forbid(http.MethodGet, "shard-00001")
	p := brief.program(t, dir)
	p.start(t)
	if code := p.end(t); code != exitFailure || !strings.Contains(p.stderr.String(), "shard-00001.parquet: object store: ") || strings.Contains(p.stderr.String(), secret) {
		t.Errorf("exit code %d: %s", code, p.stderr.String())
	}
	s.refuse.Store(nil)
	s.compare(t, "run")

	forbid(http.MethodPut, "games/variant=frisian")
	p = brief.program(t, s.dir("other"))
	p.start(t)
	if code := p.end(t); code != exitFailure || !strings.Contains(p.stderr.String(), "games/variant=frisian") || strings.Contains(p.stderr.String(), secret) {
		t.Errorf("exit code %d: %s", code, p.stderr.String())
	}
	s.refuse.Store(nil)
	if _, log, err := brief.inProcess(s.dir("other")); err != nil {
		t.Fatalf("%v: %s", err, log)
	}
	s.compare(t, "other")

	for _, c := range []struct{ dir, want string }{
		{"s3://", "no name of a bucket"},
		{"s3:///run", "no name of a bucket"},
		{"s3:/bucket/run", "one slash is missing"},
		{"s3://none-such-" + s.name + "/run", "there is no such bucket"},
		{"gs://bucket/run", "only s3://"},
		// Their keys would be others than those that are listed, or written here.
		{s.dir("/run"), "no empty parts"},
		{s.dir("a//b"), "no empty parts"},
		{s.dir("../run"), "no . or .."},
		{s.dir("a\nb"), "no control characters"},
		{s.dir("a\xff"), "no control characters"},
	} {
		_, _, err := selfplayInProcess(append(brief.args[1:], c.dir)...)
		wantError(t, err, c.want)
	}
}

// Protects the repair of a damaged object.
func TestBucketDamaged(t *testing.T) {
	s := newStore(t)
	dir := s.dir("run")
	if _, _, err := brief.inProcess(dir); err != nil {
		t.Fatal(err)
	}
	const name = "run/positions/variant=croda/shard-00001.parquet"
	if _, err := s.memory.PutObject(s.name, name, map[string]string{}, strings.NewReader("PAR1"), 4, nil); err != nil {
		t.Fatal(err)
	}
	if out, _, err := statusInProcess(dir, "--array"); err != nil || out != "1\n" {
		t.Errorf("status --array: %q, %v", out, err)
	}
	_, log, err := brief.inProcess(dir)
	if err != nil || !strings.Contains(log, "set aside as "+s.dir("run/damaged/positions/variant=croda/shard-00001.parquet")) {
		t.Fatalf("%v: %s", err, log)
	}
	if _, err := s.memory.DeleteObject(s.name, "run/damaged/positions/variant=croda/shard-00001.parquet"); err != nil {
		t.Fatal(err)
	}
	s.compare(t, "run")
}
