package tune

import (
	"fmt"
	"math"
	"slices"

	"draughtlab/engine"
	"draughtlab/engine/eval"
)

// Row is one position as the tuner sees it, everything from White's view.
type Row struct {
	// Terms and Phase are those of eval.Features.Trace.
	Terms []eval.Term
	Phase int
	// Outcome is the result of the game, never engine.Unfinished.
	Outcome engine.Outcome
	// Scored tells whether Score, in hundredths of a man, is known.
	Scored bool
	Score  int
}

// Matrix is the design matrix: the coefficients and outcomes of positions, in
// about 12 bytes a position and 4 a coefficient.
type Matrix struct {
	features int
	terms    []uint32 // feature<<valueBits | coefficient
	rows     []row
	counts   []int32 // positions in which a feature has a coefficient
	// base is, after reduce, what each row's dropped features contribute to
	// its evaluation, in men; nil before.
	base []float64

	// sum and touched merge the terms of the row being added.
	sum     []int32
	touched []uint32
}

type row struct {
	end     uint32 // its terms end here; they begin where the last row's end
	phase   int16
	score   int16
	outcome int8
	scored  bool
}

const (
	valueBits = 12
	maxValue  = 1<<(valueBits-1) - 1
	maxTerms  = math.MaxUint32
)

// NewMatrix returns an empty matrix for that many features.
func NewMatrix(features int) (*Matrix, error) {
	if features < 1 || features >= 1<<(32-valueBits) {
		return nil, fmt.Errorf("%d features: the tuner takes 1 to %d", features, 1<<(32-valueBits)-1)
	}
	return &Matrix{features: features, counts: make([]int32, features), sum: make([]int32, features)}, nil
}

// Rows returns the number of positions.
func (m *Matrix) Rows() int { return len(m.rows) }

// Add appends a position. Terms of the same feature are added up; features
// whose coefficients cancel do not occur in the position.
func (m *Matrix) Add(r Row) error {
	if r.Phase < 0 || r.Phase > eval.MaxPhase {
		return fmt.Errorf("phase %d is not in 0..%d", r.Phase, eval.MaxPhase)
	}
	if r.Outcome < engine.BlackWins || r.Outcome > engine.WhiteWins {
		return fmt.Errorf("a position without an outcome cannot be used")
	}
	if r.Scored && (r.Score < math.MinInt16 || r.Score > math.MaxInt16) {
		return fmt.Errorf("score %d is out of range", r.Score)
	}
	if len(m.terms)+len(r.Terms) > maxTerms {
		return fmt.Errorf("more than %d coefficients: use fewer positions", maxTerms)
	}
	for _, t := range r.Terms {
		if int(t.Index) >= m.features {
			return fmt.Errorf("feature %d does not exist: there are %d", t.Index, m.features)
		}
		if m.sum[t.Index] == 0 {
			m.touched = append(m.touched, t.Index)
		}
		m.sum[t.Index] += int32(t.Value)
	}
	if err := m.flush(); err != nil {
		return err
	}
	m.rows = append(m.rows, row{uint32(len(m.terms)), int16(r.Phase), int16(r.Score), int8(r.Outcome), r.Scored})
	return nil
}

// flush moves the merged terms of one row to the matrix.
func (m *Matrix) flush() (err error) {
	for _, i := range m.touched {
		v := m.sum[i]
		m.sum[i] = 0
		if v == 0 { // cancelled, or listed twice
			continue
		}
		if v > maxValue || v < -maxValue {
			err = fmt.Errorf("coefficient %d of feature %d is out of range: the tuner takes -%d to %[3]d", v, i, maxValue)
			continue
		}
		m.terms = append(m.terms, i<<valueBits|uint32(v)&(1<<valueBits-1))
		m.counts[i]++
	}
	m.touched = m.touched[:0]
	return err
}

// of returns the terms of row i.
func (m *Matrix) of(i int) []uint32 {
	first := uint32(0)
	if i > 0 {
		first = m.rows[i-1].end
	}
	return m.terms[first:m.rows[i].end]
}

// score returns the evaluation of row i in men from White's view.
func (m *Matrix) score(i int, weights []pair) float64 {
	opening, endgame := 0.0, 0.0
	for _, t := range m.of(i) {
		w, v := &weights[termFeature(t)], float64(termValue(t))
		opening += v * w[0]
		endgame += v * w[1]
	}
	f := phaseShare(m.rows[i].phase)
	s := f*opening + (1-f)*endgame
	if m.base != nil {
		s += m.base[i]
	}
	return s
}

// phaseShare turns a phase into the weight of the opening, 0..1.
func phaseShare(phase int16) float64 { return float64(phase) / eval.MaxPhase }

// reduce keeps the given features, which must ascend, as features 0, 1, … and
// drops the others, whose weights will not change: what they contribute to a
// row goes into its base. A reduced matrix takes no more rows.
func (m *Matrix) reduce(kept []int, weights []pair) {
	column := make([]int, m.features)
	for i := range column {
		column[i] = -1
	}
	counts := make([]int32, len(kept))
	dropped := slices.Clone(weights)
	for c, i := range kept {
		column[i], counts[c], dropped[i] = c, m.counts[i], pair{}
	}
	base := make([]float64, len(m.rows))
	for i := range base {
		base[i] = m.score(i, dropped)
	}
	terms, first := m.terms[:0], uint32(0)
	for i := range m.rows {
		of := m.terms[first:m.rows[i].end]
		first = m.rows[i].end
		for _, t := range of {
			if c := column[termFeature(t)]; c >= 0 {
				terms = append(terms, uint32(c)<<valueBits|t&(1<<valueBits-1))
			}
		}
		m.rows[i].end = uint32(len(terms))
	}
	m.features, m.terms, m.counts, m.base = len(kept), terms, counts, base
	m.sum, m.touched = nil, nil
}

func termFeature(t uint32) uint32 { return t >> valueBits }

func termValue(t uint32) int32 { return int32(t<<(32-valueBits)) >> (32 - valueBits) }

// keep drops, in place, the rows for which want says no.
func (m *Matrix) keep(want func(i int) bool) {
	terms, rows, first := m.terms[:0], m.rows[:0], uint32(0)
	for i, r := range m.rows {
		of := m.terms[first:r.end]
		first = r.end
		if !want(i) {
			for _, t := range of {
				m.counts[termFeature(t)]--
			}
			continue
		}
		terms = append(terms, of...)
		r.end = uint32(len(terms))
		rows = append(rows, r)
	}
	m.terms, m.rows = terms, rows
}

// outcomes counts the positions whose games White won, drew and lost.
func (m *Matrix) outcomes() (won, drawn, lost int) {
	for _, r := range m.rows {
		switch engine.Outcome(r.outcome) {
		case engine.WhiteWins:
			won++
		case engine.Draw:
			drawn++
		default:
			lost++
		}
	}
	return won, drawn, lost
}
