package refine

import (
	"bufio"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"math/bits"
	"os"
)

// spool brings records together by a hash: it keeps them in temporary files,
// one for each range of hashes, of which one fits into memory. It belongs to one
// goroutine until finish; then parts may be read in any.
type spool struct {
	place   string // where the files are, for errors
	shift   uint   // from a hash to its part
	parts   []spoolPart
	scratch [binary.MaxVarintLen64]byte

	// wanted is how many records, those with the smallest hashes, will be used;
	// 0 is all. They are among the kept ones, in the parts before end.
	wanted, kept int64
	end          int
}

type spoolPart struct {
	file    *os.File
	out     *bufio.Writer
	records int64
}

// maxParts bounds the open files of a spool. The Go runtime raises the limit of
// the process from the usual 1024 to what the system allows.
const maxParts = 2048

// partShare is the share of the memory that the records of one part may take:
// one is being used, others are read ahead.
const partShare = 8

// partsFor returns the number of parts, a power of two.
func partsFor(records, recordBytes, memory int64) (int64, error) {
	n := int64(1)
	for n*(memory/partShare) < records*recordBytes {
		n *= 2
	}
	if n > maxParts {
		need := (records*recordBytes/maxParts*partShare)>>20 + 1
		return 0, fmt.Errorf("%d MiB of memory are too few to bring %d rows together: allow %d MiB", memory>>20, records, need)
	}
	return n, nil
}

// newSpool makes a spool in a directory, which errors call place, for up to that
// many records, each of which takes recordBytes once it is in memory.
func newSpool(dir, place string, records, recordBytes, memory int64) (*spool, error) {
	n, err := partsFor(records, recordBytes, memory)
	if err != nil {
		return nil, err
	}
	s := &spool{place: place, shift: uint(64 - bits.TrailingZeros64(uint64(n))), parts: make([]spoolPart, n), end: int(n)}
	buffer := int(min(max(memory/16/n, 4<<10), 256<<10))
	for i := range s.parts {
		f, err := os.CreateTemp(dir, "spool-*")
		if err != nil {
			s.close()
			return nil, s.failed(err)
		}
		// Without a name it goes away with the process, however that ends.
		// Where a system does not allow it, close removes it.
		_ = os.Remove(f.Name())
		s.parts[i] = spoolPart{file: f, out: bufio.NewWriterSize(f, buffer)}
	}
	return s, nil
}

func (s *spool) failed(err error) error {
	var p *os.PathError
	if errors.As(err, &p) {
		err = p.Err
	}
	return fmt.Errorf("temporary files in %s: %w: make room, or name another directory for them", s.place, err)
}

// add keeps a copy of the record, unless it is one that is not wanted.
func (s *spool) add(hash uint64, record []byte) error {
	part := int(hash >> s.shift)
	if part >= s.end {
		return nil
	}
	p := &s.parts[part]
	n := binary.PutUvarint(s.scratch[:], uint64(len(record)))
	_, err := p.out.Write(s.scratch[:n])
	if err == nil {
		_, err = p.out.Write(record)
	}
	if err != nil {
		return s.failed(err)
	}
	p.records++
	s.kept++
	// What the parts before the last have is enough.
	for last := s.end - 1; s.wanted > 0 && s.kept-s.parts[last].records >= s.wanted; last-- {
		s.end = last
		s.kept -= s.parts[last].records
		s.parts[last].records = 0
		s.parts[last].out.Reset(io.Discard)
		if err := s.free(last); err != nil {
			return err
		}
	}
	return nil
}

// finish makes the parts ready to be read.
func (s *spool) finish() error {
	for i := range s.parts {
		if err := s.parts[i].out.Flush(); err != nil {
			return s.failed(err)
		}
		s.parts[i].out = nil
	}
	return nil
}

// read calls yield with every record of a part, in the order in which they came.
// The record is reused.
func (s *spool) read(part int, yield func(record []byte) error) error {
	p := &s.parts[part]
	if _, err := p.file.Seek(0, io.SeekStart); err != nil {
		return s.failed(err)
	}
	in := bufio.NewReaderSize(p.file, 256<<10)
	var record []byte
	for range p.records {
		n, err := binary.ReadUvarint(in)
		if err != nil {
			return s.failed(err)
		}
		if n > 1<<10 {
			return s.failed(errRecord)
		}
		if uint64(cap(record)) < n {
			record = make([]byte, 1<<10)
		}
		record = record[:n]
		if _, err := io.ReadFull(in, record); err != nil {
			return s.failed(err)
		}
		if err := yield(record); err != nil {
			return err
		}
	}
	return nil
}

// free gives the room of a part on the disk back.
func (s *spool) free(part int) error {
	if err := s.parts[part].file.Truncate(0); err != nil {
		return s.failed(err)
	}
	return nil
}

// close removes the files.
func (s *spool) close() {
	for _, p := range s.parts {
		if p.file != nil {
			_ = p.file.Close()
			_ = os.Remove(p.file.Name()) // gone already, as a rule
		}
	}
}
