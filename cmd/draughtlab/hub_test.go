package main

import (
	"bufio"
	"bytes"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"draughtlab/engine"
	"draughtlab/engine/notation"
	"draughtlab/engine/variants"
)

// hubPartner is the other side of a conversation with `draughtlab hub`.
type hubPartner struct {
	t     *testing.T
	to    *io.PipeWriter
	lines chan string
	err   chan error
}

func newHubPartner(t *testing.T, args ...string) *hubPartner {
	t.Helper()
	in, to := io.Pipe()
	from, out := io.Pipe()
	p := &hubPartner{t: t, to: to, lines: make(chan string, 10000), err: make(chan error, 1)}
	cmd := newHubCommand()
	cmd.SetArgs(append([]string{}, args...))
	cmd.SetIn(in)
	cmd.SetOut(out)
	cmd.SilenceUsage, cmd.SilenceErrors = true, true
	go func() {
		p.err <- cmd.Execute()
		out.Close()
	}()
	go func() {
		s := bufio.NewScanner(from)
		for s.Scan() {
			p.lines <- s.Text()
		}
		close(p.lines)
	}()
	t.Cleanup(func() { to.Close() })
	return p
}

func (p *hubPartner) say(line string) {
	p.t.Helper()
	if _, err := io.WriteString(p.to, line+"\n"); err != nil {
		p.t.Fatal(err)
	}
}

// until reads lines up to the first that begins with the word, and returns it.
func (p *hubPartner) until(word string) string {
	p.t.Helper()
	late := time.After(30 * time.Second)
	for {
		select {
		case line, ok := <-p.lines:
			if !ok {
				p.t.Fatalf("the engine ended before %q", word)
			}
			if w, _, _ := strings.Cut(line, " "); w == word {
				return line
			}
		case <-late:
			p.t.Fatalf("no %q", word)
		}
	}
}

// end protects that the engine ends without an error.
func (p *hubPartner) end() {
	p.t.Helper()
	select {
	case err := <-p.err:
		if err != nil {
			p.t.Error(err)
		}
	case <-time.After(30 * time.Second):
		p.t.Fatal("the engine does not end")
	}
}

var masked = regexp.MustCompile(`(nodes|time|nps)=[0-9.]+`)

// TestHubDialogue protects the protocol, word by word, for the three games: the
// positions have one move, which wins.
func TestHubDialogue(t *testing.T) {
	p := newHubPartner(t)
	empty := func(n int) string { return strings.Repeat("e", n) }
	var got strings.Builder
	step := func(last string, lines ...string) {
		for _, line := range lines {
			fmt.Fprintf(&got, "< %s\n", line)
			p.say(line)
		}
		for {
			line := <-p.lines
			fmt.Fprintf(&got, "> %s\n", masked.ReplaceAllString(line, "$1=#"))
			if w, _, _ := strings.Cut(line, " "); w == last {
				return
			}
		}
	}
	step("wait", "hub")
	step("ready", "init")
	step("pong", "ping")
	step("done", "pos pos=W"+empty(31)+"bw"+empty(17), "level depth=3", "go think")
	step("done", "set-param name=variant value=russian", "new-game", "pos pos=W"+empty(14)+"beew"+empty(14), "level move-time=0.2", "go think")
	step("done", "set-param name=move-numbering value=bottom", "pos pos=W"+empty(14)+"beew"+empty(14), "level nodes=50", "go think")
	step("done", "set-param name=variant value=croda", "set-param name=move-numbering value=top", "pos pos=W"+empty(30)+"b"+empty(6)+"b"+empty(6)+"b"+empty(7)+"w"+empty(11), "level infinite", "go analyze")
	step("done", "go think surprise=1", "unknown words=2")
	p.say("quit")
	p.end()

	golden := filepath.Join("testdata", "hub-dialogue.txt")
	text := strings.ReplaceAll(got.String(), "version="+version, "version=#")
	if os.Getenv("DRAUGHTLAB_REWRITE") != "" {
		if err := os.WriteFile(golden, []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(golden)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(strings.Split(string(want), "\n"), strings.Split(text, "\n")); diff != "" {
		t.Errorf("(-want +got)\n%s", diff)
	}
}

// hubStart is the start of a game as a Hub position.
func hubStart(name string) string {
	v, err := variants.ByName(name)
	if err != nil {
		panic(err)
	}
	return notation.NewHub(v, notation.FromTop).Position(&v.Start)
}

// TestHubStop protects that stop, quit, the end of input and ponder-hit end an
// endless search, with a move; and that ping is answered meanwhile.
func TestHubStop(t *testing.T) {
	p := newHubPartner(t, "--variant", "russian")
	p.say("pos pos=" + hubStart("russian"))
	for _, c := range []struct{ level, mode, word string }{
		{"level infinite", "go analyze", "stop"},
		{"level infinite", "go think", "stop"},
		{"level time=0.05 moves=1", "go ponder", "ponder-hit"},
		{"level move-time=100", "go think", "new-game"},
	} {
		p.say(c.level)
		p.say(c.mode)
		p.until("info")
		p.say("ping")
		p.until("pong")
		p.say(c.word)
		if done := p.until("done"); !strings.HasPrefix(done, "done move=") {
			t.Errorf("%s, %s: %s", c.level, c.mode, done)
		}
		p.say("pos pos=" + hubStart("russian"))
	}
	p.say("go ponder")
	p.say("quit")
	p.until("done")
	p.end()

	p = newHubPartner(t)
	p.say("pos pos=" + hubStart("frisian"))
	p.say("go analyze")
	p.to.Close()
	p.until("done")
	p.end()
}

// TestHubErrors protects that what cannot be followed is told in one line, that
// "go" is always answered, and that the engine goes on.
func TestHubErrors(t *testing.T) {
	p := newHubPartner(t)
	p.say("go think")
	if line := p.until("error"); !strings.Contains(line, "no position") {
		t.Error(line)
	}
	if line := p.until("done"); line != "done" {
		t.Error(line)
	}
	for _, c := range []struct{ line, want string }{
		{"pos pos=" + hubStart("russian"), "51 characters"},
		{"pos pos=" + hubStart("frisian") + ` moves="31-26 31-26"`, "move 2"},
		{"set-param name=variant value=normal", "normal"},
		{"set-param name=hash value=0", "hash 0"},
		{"set-param name=hash value=x", "no number"},
		{"set-param name=move-numbering value=left", "top or bottom"},
		{"set-param name=profile value=chess", "chess"},
		{"level depth=x", "depth=x"},
		{"level time=NaN", "time=NaN"},
		{strings.Repeat("x", maxHubLine+1), "longer"},
	} {
		p.say(c.line)
		if line := p.until("error"); !strings.Contains(line, c.want) {
			t.Errorf("%.60s: %s", c.line, line)
		}
	}
	p.say("set-param name=weights value=/no/such/file")
	p.say("init")
	if line := p.until("error"); !strings.Contains(line, "no weights file") || !strings.Contains(line, "built-in") {
		t.Error(line)
	}
	p.until("ready")
	p.say("pos pos=Wb" + strings.Repeat("e", 49))
	p.say("go think")
	if line := p.until("error"); !strings.Contains(line, "over") {
		t.Error(line)
	}
	p.until("done")
	p.say("pos pos=" + hubStart("frisian"))
	p.say("level depth=1")
	p.say("go think")
	p.until("done")
	p.say("quit")
	p.end()

	for _, args := range []string{"--variant chess", "--hash 0", "--profile x", "--move-numbering x", "--weights /no/such/file", "extra"} {
		_, err := execute(newHubCommand(), "", strings.Fields(args)...)
		wantError(t, err, strings.Fields(args)[len(strings.Fields(args))-1])
	}
}

// failingWriter stands for a partner that has gone.
type failingWriter struct{}

func (failingWriter) Write([]byte) (int, error) { return 0, io.ErrClosedPipe }

// TestHubPartnerGone protects that the engine ends when nobody reads it.
func TestHubPartnerGone(t *testing.T) {
	cmd := newHubCommand()
	cmd.SetArgs(nil)
	cmd.SetIn(strings.NewReader("hub\n" + strings.Repeat("ping\n", 1000)))
	cmd.SetOut(failingWriter{})
	cmd.SilenceUsage, cmd.SilenceErrors = true, true
	wantError(t, cmd.Execute(), "closed pipe")
}

// TestHubTerse protects that --terse keeps each answer to one line.
func TestHubTerse(t *testing.T) {
	p := newHubPartner(t, "--terse")
	p.say("hub")
	if line := <-p.lines; line != "wait" {
		t.Error(line)
	}
	p.say("pos pos=" + hubStart("frisian"))
	p.say("level depth=4")
	p.say("go think")
	if line := <-p.lines; !strings.HasPrefix(line, "done move=") {
		t.Error(line)
	}
	p.say("quit")
	p.end()
}

// TestHubWholeGames protects the loop a referee runs, in all three games: the
// position of the start and all moves so far, judged by our own rules. With
// Croda no client from elsewhere can test it.
func TestHubWholeGames(t *testing.T) {
	for _, v := range variants.All() {
		p := newHubPartner(t, "--variant", v.Name, "--hash", "1")
		h := notation.NewHub(v, notation.FromTop)
		g := engine.NewGame(v, engine.Basic, v.Start, 300)
		var moves []string
		for g.Termination() == engine.Ongoing {
			p.say(fmt.Sprintf("pos pos=%s moves=%q", hubStart(v.Name), strings.Join(moves, " ")))
			p.say("level nodes=200")
			p.say("go think")
			done := parseHubLine(p.until("done"))
			m, err := h.ParseMove(g.Legal(), done.get("move"))
			if err == nil {
				err = g.Play(m)
			}
			if err != nil {
				t.Fatalf("%s: move %d: %v", v.Name, len(moves)+1, err)
			}
			moves = append(moves, h.Move(m))
		}
		t.Logf("%s: %d plies, %s", v.Name, len(moves), g.Termination())
		p.say("quit")
		p.end()
	}
}

// TestHubFollow protects that a position without moves continues the game it
// follows from (F9: king runs), and begins a new one elsewhere.
func TestHubFollow(t *testing.T) {
	v, err := variants.ByName("frisian")
	if err != nil {
		t.Fatal(err)
	}
	start, err := notation.ParseFEN(v, "W:WK47,36:BK4,6")
	if err != nil {
		t.Fatal(err)
	}
	h := notation.NewHub(v, notation.FromTop)
	g := &hubGame{variant: v, position: start, keys: []uint64{start.Key()}}
	real := engine.NewGame(v, engine.Basic, start, 0)
	for i, text := range []string{"47-42", "4-10", "42-47", "10-4", "47-42", "4-10"} {
		m, err := h.ParseMove(real.Legal(), text)
		if err == nil {
			err = real.Play(m)
		}
		if err != nil {
			t.Fatal(err)
		}
		if i%2 == 0 && i > 0 {
			continue // the partner tells every second position
		}
		p := real.Position()
		bare, err := h.ParsePosition(h.Position(&p))
		if err != nil {
			t.Fatal(err)
		}
		if !g.follow(&bare) || g.position != p || len(g.keys) != len(real.Keys()) {
			t.Fatalf("after %d plies: %+v, want %+v", i+1, g.position, p)
		}
	}
	if length, _ := g.position.Run(engine.White); length != 3 {
		t.Errorf("White's run is %d, want 3", length)
	}
	if g.follow(&v.Start) {
		t.Error("the start of another game follows")
	}
}

// FuzzHubLines protects that no conversation makes the engine panic or hang,
// and that every line it writes is one of the protocol's.
func FuzzHubLines(f *testing.F) {
	f.Add("hub\ninit\npos pos=" + hubStart("frisian") + " moves=\"31-26\"\nlevel depth=1\ngo think\nstop")
	f.Add("set-param name=variant value=croda\npos pos=\"" + hubStart("croda") + "\nlevel moves=1 time=1e9 inc=-3\ngo analyze\nponder-hit")
	f.Add("set-param value=russian name=variant\n= == \"=\"\npos\nmoves=1\nlevel time=-1 nodes=1e300\ngo")
	known := map[string]bool{"id": true, "param": true, "wait": true, "ready": true, "info": true, "done": true, "pong": true, "error": true}
	f.Fuzz(func(t *testing.T, text string) {
		if strings.Contains(text, "hash") || strings.Contains(text, "weights") {
			t.Skip("no large tables, no files")
		}
		var out bytes.Buffer
		s := &hubSession{out: &out, now: time.Now}
		if err := s.configure(hubSettings{variant: "frisian", profile: "basic", hash: 1, order: "top"}); err != nil {
			t.Fatal(err)
		}
		if err := s.serve(strings.NewReader(text)); err != nil {
			t.Fatal(err)
		}
		for line := range strings.Lines(out.String()) {
			if w, _, _ := strings.Cut(strings.TrimRight(line, "\n"), " "); !known[w] {
				t.Fatalf("%q answers %q", text, line)
			}
		}
	})
}
