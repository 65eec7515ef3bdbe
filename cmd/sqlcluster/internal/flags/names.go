package flags

import (
	"strings"
	"unicode/utf8"

	"github.com/sqlcluster/sqlcluster/framework"
	"github.com/sqlcluster/sqlcluster/internal/pattern"
	"github.com/sqlcluster/sqlcluster/sql/schema"
)

// plain is an SQL identifier that needs no quotes.
const plain = `[\pL_][\pL\pN_$]*`

const identifier = `(` + plain + `|"([^"]|"")+")`

// intoName is NAME or SCHEMA.NAME, where each is a plain SQL identifier, or any
// text in double quotes, in which two of them stand for one.
var intoName = pattern.New(`^` + identifier + `(\.` + identifier + `)?$`)

// simpleName is what most names are, which are found out about sooner.
func simpleName(name string) bool {
	for i := range len(name) {
		c := name[i]
		if letter := c|0x20 >= 'a' && c|0x20 <= 'z' || c == '_'; !letter && (i == 0 || c < '0' || c > '9') {
			return false
		}
	}
	return name != ""
}

// checkInto refuses what cannot name tables. Otherwise a quote that is not SQL's would be
// lost, and the tables would have another name than was asked for.
func checkInto(name string) error {
	if !utf8.ValidString(name) || strings.ContainsRune(name, 0) {
		return framework.Faultf(framework.Usage, "bad-name", "%q cannot be the name of tables: it is not valid text", name).At("into")
	}
	if simpleName(name) || intoName().MatchString(name) {
		return nil
	}
	f := framework.Faultf(framework.Usage, "bad-name",
		"%s cannot be the name of tables: it must be NAME or SCHEMA.NAME, of letters, digits and _, or in double quotes", name).At("into")
	switch {
	case name == "" || strings.Count(name, ".") > 1: // nothing near it comes to mind
	case strings.Contains(name, `"`):
		f.Details = []string{`a double quote is not part of a name in quotes; inside one, "" stands for "`}
	default:
		schemaName, base, both := strings.Cut(name, ".")
		if !both {
			base = schemaName
		}
		if base == "" || both && schemaName == "" {
			break
		}
		quoted := quoteIfNeeded(base)
		if both {
			quoted = quoteIfNeeded(schemaName) + "." + quoted
		}
		f.Hint = "other characters need quotes, here and in SQL: --into " + framework.ShellWord(quoted)
	}
	return f
}

var plainName = pattern.New(`^` + plain + `$`)

func quoteIfNeeded(part string) string {
	if plainName().MatchString(part) {
		return part
	}
	return schema.Quote(part)
}
