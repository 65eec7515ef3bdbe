//go:build !linux

package host

// Leftovers lists nothing here.
func (p *Process) Leftovers() []string { return nil }
