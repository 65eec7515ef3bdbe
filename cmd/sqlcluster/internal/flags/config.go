package flags

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/pelletier/go-toml/v2"
	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/sqlcluster/sqlcluster/cmd/sqlcluster/internal/process"
	"github.com/sqlcluster/sqlcluster/cmd/sqlcluster/internal/registry"
	"github.com/sqlcluster/sqlcluster/framework"
)

// configFile is the file in the working directory.
const configFile = "sqlcluster.toml"

// userFile is the user's own file, or nothing.
func userFile() string {
	dir := registry.UserDir()
	if dir == "" {
		return ""
	}
	return filepath.Join(dir, "config.toml")
}

// Configure gives every flag that is not on the command line its value from the
// environment, the file in the working directory or the user's file, in this
// order, and notes where each came from.
func (v *Values) Configure(c *cobra.Command) error {
	files := []string{configFile}
	if path := userFile(); path != "" {
		files = append(files, path)
	}
	sources := make([]map[string]any, len(files))
	var failed error
	for i, path := range files {
		if sources[i], failed = readConfig(c.Root(), path); failed != nil {
			return failed
		}
	}
	c.Flags().VisitAll(func(f *pflag.Flag) {
		if failed != nil {
			return
		}
		v.Origins[Setting(f.Name)] = byDefault
		if f.Changed {
			v.Origins[Setting(f.Name)] = byFlag
			failed = notEmpty(f)
			return
		}
		key := variable(f.Name)
		if text := os.Getenv(key); text != "" && f.Name != "help" && f.Name != "version" {
			failed = v.set(f, text, key)
			return
		}
		for i, values := range sources {
			if value, ok := values[Setting(f.Name)]; ok {
				if failed = refuseHere(f.Name, files[i]); failed == nil {
					failed = v.setTOML(f, value, files[i])
				}
				return
			}
		}
	})
	return failed
}

// set gives a flag a value that was not on the command line.
func (v *Values) set(f *pflag.Flag, value, origin string) error {
	if value == "" {
		return badConfig(f, origin, "is empty")
	}
	if err := f.Value.Set(value); err != nil {
		return badConfig(f, origin, fmt.Sprintf("is %q; it must be %s", value, Wanted(f)))
	}
	v.Origins[Setting(f.Name)] = origin
	return nil
}

// setTOML gives a flag a value of a configuration file. The elements of a list
// are values of their own, whatever is in them.
func (v *Values) setTOML(f *pflag.Flag, value any, origin string) error {
	list, isList := value.([]any)
	if !isList {
		list = []any{value}
	}
	texts := make([]string, len(list))
	for i, one := range list {
		switch one.(type) {
		case []any, map[string]any:
			return badConfig(f, origin, "contains a table or a list, which no flag takes")
		}
		texts[i] = fmt.Sprint(one)
	}
	if !isList {
		return v.set(f, texts[0], origin)
	}
	many, ok := f.Value.(pflag.SliceValue)
	if !ok {
		return badConfig(f, origin, "is a list; it must be one value")
	}
	if err := many.Replace(texts); err != nil {
		return badConfig(f, origin, err.Error())
	}
	v.Origins[Setting(f.Name)] = origin
	return nil
}

func badConfig(f *pflag.Flag, origin, what string) error {
	return framework.Faultf(framework.Usage, "bad-config", "%s %s", Setting(f.Name), what).WithWhere("%s", origin)
}

// notEmpty refuses a flag that is given as --id "", which is most often a
// variable of a script that has no value.
func notEmpty(f *pflag.Flag) error {
	empty := f.Value.String() == ""
	if many, ok := f.Value.(pflag.SliceValue); ok {
		empty = len(many.GetSlice()) == 0
	}
	if !empty {
		return nil
	}
	return framework.Faultf(framework.Usage, "bad-flag", "%s is empty", Shown(f)).At(Setting(f.Name)).
		WithHint("give it a value, or leave it out")
}

// badTOML says what is wrong with a file, and in which line.
func badTOML(path string, err error) error {
	text := strings.TrimPrefix(err.Error(), "toml: ")
	f := framework.Faultf(framework.Usage, "bad-config", "the configuration is not valid TOML: %s", text).WithWhere("%s", path)
	if at, ok := errors.AsType[*toml.DecodeError](err); ok {
		line, _ := at.Position()
		f.Where = fmt.Sprintf("%s, line %d", path, line)
	}
	if strings.Contains(text, "too large to fit in a 64-bit") {
		f.Summary = "the configuration has a number that is too large for TOML"
		f.Hint = `TOML's whole numbers end at 9223372036854775807; larger ones, of a seed, go in quotes: seed = "18446744073709551615"`
	}
	return f
}

// readConfig reads a file of name = value lines. A missing file counts as empty.
func readConfig(root *cobra.Command, path string) (map[string]any, error) {
	text, err := process.ReadAtMost(path, mostConfig)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, framework.Faultf(framework.Usage, "bad-config", "cannot read the configuration: %v", err).WithWhere("%s", path)
	}
	return decodeConfig(root, path, text)
}

// mostConfig bounds a configuration file, in bytes.
const mostConfig = 1 << 20

// decodeConfig returns the values of a configuration file, whose names are those
// of flags.
func decodeConfig(root *cobra.Command, path string, text []byte) (map[string]any, error) {
	values := map[string]any{}
	if err := toml.Unmarshal(text, &values); err != nil {
		return nil, badTOML(path, err)
	}
	var known []string
	for _, c := range append(root.Commands(), root) {
		for _, set := range []*pflag.FlagSet{c.Flags(), c.PersistentFlags()} {
			set.VisitAll(func(f *pflag.Flag) { known = append(known, Setting(f.Name)) })
		}
	}
	for name := range values {
		if !slices.Contains(known, name) {
			f := framework.Faultf(framework.Usage, "bad-config", "the configuration has an unknown name %q", name).
				WithWhere("%s", path).WithHint("the names are those of the flags, with _ for -")
			f.Similar = framework.Closest(name, known)
			return nil, f
		}
	}
	return values, nil
}

// rank orders the places that a value may come from: the larger one wins.
func rank(origin string) int {
	switch {
	case origin == byFlag:
		return 4
	case strings.HasPrefix(origin, "SQLCLUSTER_"):
		return 3
	case origin == configFile:
		return 2
	case origin == byDefault:
		return 0
	}
	return 1 // the user's file
}
