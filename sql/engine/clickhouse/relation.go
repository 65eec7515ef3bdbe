package clickhouse

import (
	"context"
	"strings"

	"github.com/sqlcluster/sqlcluster/framework"
	"github.com/sqlcluster/sqlcluster/sql/engine"
	"github.com/sqlcluster/sqlcluster/sql/query"
)

// Resolve implements engine.Engine. A relation is a query, or the name of a table or a view, with that of its
// database before a point. Names with a point in them are in `…` or "…".
func (e *Engine) Resolve(ctx context.Context, relation string) (engine.Relation, error) {
	r := engine.Relation{Label: "the query"}
	if query.IsQuery(relation) && !query.IsTable(relation) {
		body, more := statement(relation)
		if more {
			return r, framework.Faultf(framework.Data, "query-not-one-select", "the query has more than one statement").At("relation").
				WithHint("give one SELECT")
		}
		r.From, r.Source = "(\n"+body+"\n)", body
	} else {
		parts := nameParts(relation)
		for i, name := range parts {
			parts[i] = e.Dialect().Quote(name)
		}
		r.From = strings.Join(parts, ".")
		r.Source, r.Label = "SELECT * FROM "+r.From, "table "+parts[len(parts)-1]
	}
	var err error
	r.Columns, err = e.Columns(ctx, r.From)
	return r, err
}

// statement cuts a text at its first semicolon, and reports whether another statement follows.
func statement(text string) (first string, more bool) {
	end := len(text)
	for i := 0; i < len(text); {
		n, blank := token(text[i:])
		switch {
		case text[i] == ';':
			end = min(end, i)
		case end < i && !blank:
			return text[:end], true
		}
		i += n
	}
	return strings.TrimSpace(text[:end]), false
}

// token returns the length of what a text begins with: something in quotes, a comment or a character; and whether
// it says nothing. In quotes, a backslash is before a character that ends nothing.
func token(text string) (n int, blank bool) {
	ends := func(skip int, with string) int {
		if n := strings.Index(text[skip:], with); n >= 0 {
			return skip + n + len(with)
		}
		return len(text)
	}
	switch first := text[0]; {
	case strings.HasPrefix(text, "--"):
		return ends(2, "\n"), true
	case strings.HasPrefix(text, "/*"):
		return ends(2, "*/"), true
	case strings.IndexByte("'`\"", first) < 0:
		return 1, strings.IndexByte(" \t\r\n\v\f", first) >= 0
	default:
		for n = 1; n < len(text) && text[n] != first; n++ {
			if text[n] == '\\' {
				n++
			}
		}
		return min(n+1, len(text)), false
	}
}

// nameParts returns what is between the points of a name: as it is, or what is in quotes.
func nameParts(name string) []string {
	var parts []string
	for rest := name; ; {
		if rest = strings.TrimSpace(rest); rest == "" || strings.IndexByte("`\"", rest[0]) < 0 {
			part, after, more := strings.Cut(rest, ".")
			if parts = append(parts, part); !more {
				return parts
			}
			rest = after
			continue
		}
		n, _ := token(rest)
		after := strings.TrimSpace(rest[n:])
		if n < 2 || rest[n-1] != rest[0] || after != "" && after[0] != '.' {
			return strings.Split(name, ".") // these are no quotes
		}
		if parts = append(parts, unescape(rest[1:n-1])); after == "" {
			return parts
		}
		rest = after[1:]
	}
}
