package match

import (
	"bufio"
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"reflect"
	"strings"
)

// pairRecord is a line of a match file: the two games of one pair.
type pairRecord struct {
	Pair    int           `json:"pair"`
	Opening string        `json:"opening"`
	Start   string        `json:"start_fen"`
	Games   [2]gameRecord `json:"games"`
}

// gameRecord is one game. A has White in the first game of a pair and Black in
// the second.
type gameRecord struct {
	// Outcome is a PDN result; "*" is a game the program stopped.
	Outcome     string `json:"outcome"`
	Termination string `json:"termination"`
	// Moves are all moves from the start, those of the opening too.
	Moves string `json:"moves"`
	A     effort `json:"a"`
	B     effort `json:"b"`
}

// effort is what an engine did in a game: the moves it chose and the positions
// it visited for them.
type effort struct {
	Moves int64 `json:"moves"`
	Nodes int64 `json:"nodes"`
}

// logFile is the file of a match that goes on: settings in the first line,
// then a line a pair, in order. Lines are appended whole; what a killed process
// may leave behind the last line end is no line and is cut off. While it is
// open no other process can open it.
type logFile struct {
	path string
	file *os.File
}

// openLog opens the file of a match, or begins it, and hands each pair that it
// holds to found. A file of other settings is refused.
func openLog(path string, h header, found func(*pairRecord) error) (*logFile, error) {
	if err := regular(path); err != nil {
		return nil, err
	}
	file, err := os.OpenFile(path, os.O_RDWR|os.O_CREATE|os.O_APPEND, 0o644)
	if err != nil {
		return nil, err
	}
	l := &logFile{path: path, file: file}
	if err := l.begin(h, found); err != nil {
		_ = file.Close() // nothing was written that could be lost
		return nil, err
	}
	return l, nil
}

// begin reads what there is and leaves the file at the end of its last line.
func (l *logFile) begin(h header, found func(*pairRecord) error) error {
	if err := lockFile(l.file); err != nil {
		return fmt.Errorf("%s is in use by another process: wait for it or choose another file (%w)", l.path, err)
	}
	lines := bufio.NewReader(l.file)
	first := append(mustJSON(h), '\n')
	text, err := lines.ReadBytes('\n')
	if errors.Is(err, io.EOF) && bytes.HasPrefix(first, text) { // new, or killed at once
		if err := l.file.Truncate(0); err != nil {
			return err
		}
		return l.append(first)
	}
	if err == nil || errors.Is(err, io.EOF) {
		err = l.sameSettings(text, h)
	}
	if err != nil {
		return err
	}
	whole := int64(len(text))
	for n := 0; ; n++ {
		text, err := lines.ReadBytes('\n')
		if errors.Is(err, io.EOF) {
			if len(text) == 0 {
				return nil
			}
			return l.file.Truncate(whole)
		}
		if err != nil {
			return err
		}
		var r pairRecord
		if err = strict(text, &r); err == nil && r.Pair != n {
			err = fmt.Errorf("pair %d where %d is due", r.Pair, n)
		}
		if err == nil {
			err = found(&r)
		}
		if err != nil {
			return fmt.Errorf("%s:%d: damaged: %w; keep the lines before it, or choose another file", l.path, n+2, err)
		}
		whole += int64(len(text))
	}
}

// regular refuses devices and pipes, which may be read for ever, and
// directories.
func regular(path string) error {
	info, err := os.Stat(path)
	if err == nil && !info.Mode().IsRegular() {
		return fmt.Errorf("%s is no regular file: choose another", path)
	}
	return nil // what is not there or cannot be looked at, opening will tell
}

// sameSettings compares the first line with the settings of this match.
func (l *logFile) sameSettings(text []byte, h header) error {
	there, err := parseHeader(l.path, text)
	if err != nil {
		return err
	}
	if key, a, b := difference("", reflect.ValueOf(there), reflect.ValueOf(h)); key != "" {
		return &OtherMatchError{l.path, key, a, b}
	}
	return nil
}

// OtherMatchError is the error of Play for a file of other settings.
type OtherMatchError struct {
	Path string
	// Key is the dotted key of the file's first line that differs; There is its
	// value in the file and Here that of the settings, both as JSON.
	Key, There, Here string
}

func (e *OtherMatchError) Error() string {
	return fmt.Sprintf("%s is another match's: it has %s = %s, not %s; choose another file", e.Path, e.Key, e.There, e.Here)
}

func parseHeader(path string, text []byte) (header, error) {
	var version struct {
		Version int `json:"match_version"`
	}
	if err := json.Unmarshal(text, &version); err != nil || version.Version == 0 {
		return header{}, fmt.Errorf("%s:1: no match file: choose another file", path)
	}
	if version.Version != Version {
		return header{}, fmt.Errorf("%s:1: match version %d: this program knows version %d", path, version.Version, Version)
	}
	var h header
	if err := strict(text, &h); err != nil {
		return header{}, fmt.Errorf("%s:1: damaged: %w", path, err)
	}
	return h, nil
}

// SeedOf returns the seed of the match whose file is at path; the error is
// fs.ErrNotExist where there is none, and io.EOF where it has no whole line.
func SeedOf(path string) (uint64, error) {
	if err := regular(path); err != nil {
		return 0, err
	}
	file, err := os.Open(path)
	if err != nil {
		return 0, err
	}
	defer file.Close()
	text, err := bufio.NewReader(file).ReadBytes('\n')
	if err != nil {
		return 0, fmt.Errorf("%s: %w", path, err)
	}
	h, err := parseHeader(path, text)
	return h.Seed, err
}

// append writes a line. One call writes it, so that a process that is killed
// leaves all of it or, at worst, a part without line end.
func (l *logFile) append(line []byte) error {
	_, err := l.file.Write(line)
	return err // names the file
}

// close makes the lines durable.
func (l *logFile) close() error {
	err := l.file.Sync()
	if closeErr := l.file.Close(); err == nil {
		err = closeErr
	}
	return err
}

// strict decodes one line of JSON in which nothing is unknown.
func strict(text []byte, into any) error {
	d := json.NewDecoder(bytes.NewReader(text))
	d.DisallowUnknownFields()
	if err := d.Decode(into); err != nil {
		return err
	}
	if d.More() {
		return errors.New("more than one value in the line")
	}
	return nil
}

// difference names the first key in which two structs differ, with both values
// as JSON; no key if they are equal.
func difference(prefix string, a, b reflect.Value) (key, inA, inB string) {
	for i := range a.NumField() {
		field := a.Type().Field(i)
		name := prefix + strings.Split(field.Tag.Get("json"), ",")[0]
		x, y := a.Field(i), b.Field(i)
		if x.Kind() == reflect.Struct {
			if !field.Anonymous {
				name += "."
			}
			if key, inA, inB = difference(name, x, y); key != "" {
				return key, inA, inB
			}
			continue
		}
		if textA, textB := string(mustJSON(x.Interface())), string(mustJSON(y.Interface())); textA != textB {
			return name, textA, textB
		}
	}
	return "", "", ""
}
