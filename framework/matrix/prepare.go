package matrix

import (
	"slices"

	"github.com/sqlcluster/sqlcluster/framework"
)

// BuilderOf returns a builder with copies of the rows of m and of their weights
// (nil: none).
func BuilderOf(m framework.Matrix, weights []float64, o Options) (*Builder, error) {
	o.RowsHint = m.Rows
	b, err := NewBuilder(m.Cols, o)
	if err != nil {
		return nil, err
	}
	cells, err := b.Extend(m.Rows)
	if err != nil {
		_ = b.Discard() // the first error counts
		return nil, err
	}
	copy(cells, m.Data)
	return b, b.SetWeights(slices.Clone(weights))
}

// Prepare turns a table into what a fit needs. It makes a feature of each
// category, divides rows by their length if the scaling says so, learns the recipe,
// scales the rows in place and seals them. sources describes the builder's columns; those
// of categories hold indices into Levels, and have no length: a Fault.
//
// groups says which columns of the table belong to which group; nil means that
// the features of each column are a group, if any column has categories, and that
// there are no groups otherwise.
//
// The problem has what the rows decide: N, P, Columns, Groups, Mass and Weighted.
// K, Seed, Params, Links and Centers are for the caller to set.
//
// Prepare ends the builder, whether it succeeds or not.
func Prepare(b *Builder, sources []Source, s Scaling, groups map[string]framework.Group) (
	_ *Data, r Recipe, p framework.Problem, err error,
) {
	defer func() {
		if err != nil {
			_ = b.Discard() // the first error counts
		}
	}()
	p = framework.Problem{N: b.rows, Mass: float64(b.rows), Weighted: b.weights != nil}
	if p.Weighted {
		p.Mass = 0
		for _, w := range b.weights {
			p.Mass += w
		}
		if p.Mass == 0 {
			return nil, r, p, framework.Faultf(framework.Data, "bad-weights", "all row weights are 0").At("weight")
		}
	}
	if err := s.normalise(b, sources); err != nil {
		return nil, r, p, err
	}
	encoded, features, err := Encode(b, sources)
	if err != nil {
		return nil, r, p, err
	}
	b = encoded
	r, known, err := learn(b, features, s)
	if err != nil {
		return nil, r, p, err
	}
	if groups != nil || r.HasCategories() {
		r.SetGroups(groups)
		p.Groups = r.ProblemGroups()
	}
	p.P, p.Sparse = b.cols, b.sparse != nil
	if p.Columns, err = r.apply(b, known); err != nil {
		return nil, r, p, err
	}
	data, err := b.Seal()
	return data, r, p, err
}

// Replay does with new rows what Prepare did with those that the recipe was
// learned from. sources describes the builder's columns, which must be the
// recipe's in their order; unseen is for categories that the recipe does not know
// (see Encode). fill says of each feature whether its missing cells become 0, the
// fitted value of the recipe's location; nil means none.
//
// Replay ends the builder, whether it succeeds or not.
func (r Recipe) Replay(b *Builder, sources []Source, unseen Unseen, fill []bool) (*Data, error) {
	err := r.Scaling.normalise(b, sources)
	encoded := b
	if err == nil {
		encoded, err = r.Encode(b, sources, unseen)
	}
	if err != nil {
		_ = b.Discard() // the first error counts
		return nil, err
	}
	if _, err := r.Apply(encoded); err != nil {
		_ = encoded.Discard()
		if f := framework.AsFault(err); f != nil { // the hints of Apply are those of a fit
			return nil, f.WithHint("leave these rows out in a query")
		}
		return nil, err
	}
	if encoded.sparse != nil {
		for e, l := range encoded.sparse.column {
			if v := encoded.sparse.value[e]; fill != nil && fill[l] && v != v {
				encoded.sparse.value[e] = -encoded.base[l]
			}
		}
	} else if slices.Contains(fill, true) {
		for i, v := range encoded.Values().Data {
			if fill[i%encoded.cols] && v != v {
				encoded.cells()[i] = 0
			}
		}
	}
	return encoded.Seal()
}
