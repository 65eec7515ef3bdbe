package cases

import (
	"math"
	"strconv"

	"github.com/sqlcluster/sqlcluster/conformance/internal/judge"
	"github.com/sqlcluster/sqlcluster/framework"
)

// Tries is how many problems are tried until the algorithm accepts one.
const Tries = 8

// Params draws values for parameters. Choices are tried evenly; optional parameters
// keep their defaults when the algorithm has refused other values.
func Params(c *judge.Trial, d framework.Description, p, try int) map[string]string {
	texts := map[string]string{}
	turn := c.Index + try
	for _, param := range d.Params {
		switch param.Type {
		case framework.ChoiceParam, framework.BoolParam:
			values := param.Choices
			if param.Type == framework.BoolParam {
				values = []string{"false", "true"}
			}
			texts[param.Name] = values[turn%len(values)]
			turn /= len(values)
		case framework.TextParam:
			if param.Required {
				texts[param.Name] = "a"
			}
		default:
			if param.Required || try < Tries/2 && c.Rand.IntN(4) == 0 && (param.Min != nil && param.Max != nil) {
				texts[param.Name] = value(c, param, p)
			}
		}
	}
	return texts
}

// value draws a number in the range of the parameter, at most about the number of
// features.
func value(c *judge.Trial, param framework.Param, p int) string {
	low, high := 0.0, float64(p)
	if param.Min != nil {
		low = *param.Min
		high = math.Max(high, low)
	} else if param.Max != nil && *param.Max < low {
		low = *param.Max - float64(p)
	}
	if param.Max != nil {
		high = math.Min(high, *param.Max)
	}
	if param.Type == framework.IntParam {
		return strconv.Itoa(c.Between(int(math.Ceil(low)), int(math.Floor(high))))
	}
	return strconv.FormatFloat(low+(math.Sqrt(high-low+1)-1)*c.Rand.Float64(), 'g', -1, 64)
}
