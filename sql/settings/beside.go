package settings

// A Beside is a relation beside the table, which a setting names.
type Beside struct {
	Setting  string
	Relation *string // of the settings; "": none
}

// Passing is recorded in place of a relation that is there only while a statement of SQL
// runs: its rows are not kept.
const Passing = "(rows of the statement)"

// NotKept returns the settings of a record whose relations are not kept.
func (s *Settings) NotKept() (names []string) {
	for _, r := range s.Beside() {
		if *r.Relation == Passing {
			names = append(names, r.Setting)
		}
	}
	return names
}

// Beside returns the relations beside the table, by the names of their settings in order.
func (s *Settings) Beside() []Beside {
	return []Beside{{"constraints", &s.Constraints}, {"groups", &s.Groups}, {"labels", &s.Labels}, {"pairs", &s.Pairs}, {"start", &s.Start}}
}
