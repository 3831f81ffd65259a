package drawrate

import (
	"bytes"
	"encoding/xml"
	"errors"
	"io"
	"strings"
	"testing"
)

// Protects the plot of endings: a document that an XML reader takes, with every
// game and material by name and every share as its label, the same each time.
func TestWriteEndgames(t *testing.T) {
	shares := []EndgameShare{
		{"Croda", "KK v K", 0.1111},
		{"Croda", "KM v K", 1},
		{"Russian", "KK v K", 0.7764},
		{"Russian", "KM v K", 0},
	}
	var b, again bytes.Buffer
	if err := errors.Join(WriteEndgames(&b, shares), WriteEndgames(&again, shares)); err != nil {
		t.Fatal(err)
	}
	if b.String() != again.String() {
		t.Error("not the same twice")
	}
	var texts []string
	for d := xml.NewDecoder(bytes.NewReader(b.Bytes())); ; {
		token, err := d.Token()
		if err == io.EOF {
			break
		}
		if err != nil {
			t.Fatal(err)
		}
		if data, ok := token.(xml.CharData); ok && strings.TrimSpace(string(data)) != "" {
			texts = append(texts, strings.TrimSpace(string(data)))
		}
	}
	all := "|" + strings.Join(texts, "|") + "|"
	for _, want := range []string{"Croda", "Russian", "KK v K", "KM v K", "11.1", "77.6", "100.0", "0.0"} {
		if strings.Count(all, "|"+want+"|") != 1 {
			t.Errorf("%q is not there once: %s", want, all)
		}
	}
	if WriteEndgames(io.Discard, nil) == nil {
		t.Error("no shares are no error")
	}
}
