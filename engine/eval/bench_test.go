package eval

import (
	"testing"

	"draughtlab/engine/variants"
)

// BenchmarkEvaluate evaluates the start position with weights for material
// only and with all patterns in use.
func BenchmarkEvaluate(b *testing.B) {
	for _, v := range variants.All() {
		w := Default(v)
		run := func(name string) {
			e, p := NewEvaluator(v, w), v.Start
			b.Run(v.Name+"/"+name, func(b *testing.B) {
				b.ReportAllocs()
				for b.Loop() {
					e.Evaluate(&p)
				}
			})
		}
		run("default")
		w.Opening[len(w.Opening)-1] = 1
		run("patterns")
	}
}
