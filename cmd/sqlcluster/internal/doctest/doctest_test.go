package doctest

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp/cmpopts"

	"github.com/sqlcluster/sqlcluster/internal/must"
)

const sample = "# Title\n" +
	"```sh\n$ not run\n```\n" +
	"```console\n$ sqlcluster a \\\n    b\none\n\ntwo\n$ sqlcluster c\n```\n" +
	"text\n"

func TestParse(t *testing.T) {
	t.Run("finds_the_commands_of_console_blocks_only", func(t *testing.T) {
		got := must.Get(Parse(sample))(t)
		want := []Command{
			{Line: 6, Text: "sqlcluster a b", Output: []string{"one", "", "two"}},
			{Line: 11, Text: "sqlcluster c"},
		}
		must.Equal(t, want, got, cmpopts.IgnoreUnexported(Command{}))
	})
	for name, document := range map[string]string{
		"refuses_an_unclosed_block":            "```console\n$ sqlcluster a\n",
		"refuses_output_without_a_command":     "```console\nout\n```\n",
		"refuses_it_in_a_later_block_as_well":  "```console\n$ a\n```\n```console\nout\n```\n",
		"refuses_a_fence_swallowed_by_a_block": "```console\n$ a\n````\n",
	} {
		t.Run(name, func(t *testing.T) {
			if _, err := Parse(document); err == nil {
				t.Error("no error")
			}
		})
	}
}

func TestRewrite(t *testing.T) {
	commands := must.Get(Parse(sample))(t)
	t.Run("changes_nothing_but_the_outputs", func(t *testing.T) {
		got := Rewrite(sample, commands, [][]string{{"1"}, {"2", "3"}})
		want := strings.Replace(sample, "one\n\ntwo\n$ sqlcluster c\n", "1\n$ sqlcluster c\n2\n3\n", 1)
		must.Equal(t, want, got)
	})
	t.Run("of_the_same_outputs_is_the_document", func(t *testing.T) {
		got := Rewrite(sample, commands, [][]string{{"one", "", "two"}, nil})
		must.Equal(t, sample, got)
	})
}

func TestArguments(t *testing.T) {
	tests := map[string]struct {
		command string
		want    []string
		err     bool
	}{
		"split_at_spaces":               {command: "a  b c", want: []string{"a", "b", "c"}},
		"keep_what_is_quoted":           {command: `a "b 'c' $d | e" 'f "g"'`, want: []string{"a", "b 'c' $d | e", `f "g"`}},
		"keep_an_empty_argument":        {command: `a "" b`, want: []string{"a", "", "b"}},
		"join_quoted_and_plain_parts":   {command: `--a="b c"d`, want: []string{"--a=b cd"}},
		"unescape_within_double_quotes": {command: `"a\"b\\c\$d"`, want: []string{`a"b\c$d`}},
		"keep_other_backslashes":        {command: `a "[^\p{L}]"`, want: []string{"a", `[^\p{L}]`}},
		"refuse_pipes":                  {command: "a | b", err: true},
		"refuse_redirections":           {command: "a > b", err: true},
		"refuse_an_open_quote":          {command: "a 'b", err: true},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			got, err := Arguments(test.command)
			if (err != nil) != test.err {
				t.Fatalf("error %v", err)
			}
			must.Equal(t, test.want, got)
		})
	}
}

func TestSame(t *testing.T) {
	tests := map[string]struct {
		a, b string
		want bool
	}{
		"lines_are_the_same":                       {a: "x", b: "x", want: true},
		"a_number_is_not_masked":                   {a: "objective 12.5", b: "objective 12.6"},
		"durations_are_masked":                     {a: "read in 0.52 s", b: "read in 61 ms", want: true},
		"dates_are_masked":                         {a: "2024-02-01 10:11:12", b: "2031-12-31T23:59:59.5Z", want: true},
		"padding_beside_a_mask_is_ignored":         {a: "│ 1 s   │", b: "│ 11 s  │", want: true},
		"padding_elsewhere_counts":                 {a: "a  b", b: "a b"},
		"a_missing_line_counts":                    {a: "a\nb", b: "a"},
		"a_plural_or_a_name_is_not_a_duration":     {a: "3 sets", b: "4 sets"},
		"a_file_name_with_digits_is_not_a_measure": {a: "t1s", b: "t2s"},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			if got := Same(Lines(test.a), Lines(test.b)); got != test.want {
				t.Errorf("Same(%q, %q) = %v", test.a, test.b, got)
			}
		})
	}
}
