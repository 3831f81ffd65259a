package search

import (
	"math/bits"

	"draughtlab/engine"
)

// capturers finds out whether a side could capture, without making a list.
type capturers struct {
	rays *engine.Rays
	jump [8]jumpLine
	n    int
}

// jumpLine is a direction of capture: squares from which a man can jump that
// way, and by how many bits a step is.
type jumpLine struct {
	from uint64
	step int
}

func newCapturers(rays *engine.Rays) (c capturers) {
	c.rays, c.n = rays, rays.N
	for d := range rays.N {
		for s, jump := range rays.Jump[d] {
			if jump != 0 {
				c.jump[d].from |= engine.Square(s).Bit()
				c.jump[d].step = bits.TrailingZeros64(rays.Step[d][s]) - s
			}
		}
	}
	return c
}

// any reports whether the given side could capture if it were to move.
func (c *capturers) any(p *engine.Position, side engine.Color) bool {
	own, opp := p.Pieces[side&1], p.Pieces[side&1^1]
	occupied, men := own|opp, own&^p.Kings
	for i := range c.n {
		j := &c.jump[i&7]
		if men&j.from&bits.RotateLeft64(opp, -j.step)&^bits.RotateLeft64(occupied, -2*j.step) != 0 {
			return true
		}
	}
	for kings := own & p.Kings; kings != 0; kings &= kings - 1 {
		at := bits.TrailingZeros64(kings)
		for d := range c.n {
			hit := c.rays.Line[d&7][at] & occupied
			if hit == 0 {
				continue
			}
			first := c.rays.First(d, hit)
			if opp&first.Bit() != 0 && c.rays.Step[d&7][first&63]&^occupied != 0 {
				return true
			}
		}
	}
	return false
}
