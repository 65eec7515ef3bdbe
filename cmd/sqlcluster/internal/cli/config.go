package cli

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"github.com/pelletier/go-toml/v2"
	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/sqlcluster/sqlcluster/framework"
)

// configFile is the file in the working directory; a user's own one is
// sqlcluster/config.toml in the directory for configuration.
const configFile = "sqlcluster.toml"

// configure gives every flag that is not on the command line its value from the
// environment, the file in the working directory or the user's file, in this
// order, and notes where each came from.
func (a *app) configure(c *cobra.Command) error {
	files := []string{configFile}
	if dir, err := os.UserConfigDir(); err == nil {
		files = append(files, filepath.Join(dir, "sqlcluster", "config.toml"))
	}
	var sources []map[string]any
	for _, path := range files {
		values, err := readConfig(c.Root(), path)
		if err != nil {
			return err
		}
		sources = append(sources, values)
	}
	var failed error
	c.Flags().VisitAll(func(f *pflag.Flag) {
		if failed != nil {
			return
		}
		a.origins[f.Name] = "default"
		if f.Changed {
			a.origins[f.Name] = "flag"
			return
		}
		key := "SQLCLUSTER_" + strings.ToUpper(strings.ReplaceAll(f.Name, "-", "_"))
		if v, ok := os.LookupEnv(key); ok && f.Name != "help" {
			failed = a.set(f, v, key)
			return
		}
		for i, values := range sources {
			if v, ok := values[strings.ReplaceAll(f.Name, "-", "_")]; ok {
				failed = a.set(f, configText(v), files[i])
				return
			}
		}
	})
	return failed
}

// set gives a flag a value that was not on the command line.
func (a *app) set(f *pflag.Flag, value, origin string) error {
	if err := f.Value.Set(value); err != nil {
		return framework.Faultf(framework.Usage, "bad-config", "%s is %q: %v", strings.ReplaceAll(f.Name, "-", "_"), value, err).WithWhere("%s", origin)
	}
	a.origins[f.Name] = origin
	return nil
}

// readConfig reads a file of name = value lines; none is as good as an empty
// one.
func readConfig(root *cobra.Command, path string) (map[string]any, error) {
	text, err := os.ReadFile(path)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, framework.Faultf(framework.Usage, "bad-config", "cannot read the configuration: %v", err).WithWhere("%s", path)
	}
	values := map[string]any{}
	if err := toml.Unmarshal(text, &values); err != nil {
		return nil, framework.Faultf(framework.Usage, "bad-config", "the configuration is no TOML: %v", err).WithWhere("%s", path)
	}
	known := map[string]bool{}
	var names []string
	for _, c := range append(root.Commands(), root) {
		for _, set := range []*pflag.FlagSet{c.Flags(), c.PersistentFlags()} {
			set.VisitAll(func(f *pflag.Flag) {
				name := strings.ReplaceAll(f.Name, "-", "_")
				if !known[name] {
					known[name] = true
					names = append(names, name)
				}
			})
		}
	}
	for name := range values {
		if !known[name] {
			f := framework.Faultf(framework.Usage, "bad-config", "the configuration has an unknown name %q", name).
				WithWhere("%s", path).WithHint("the names are those of the flags, with _ for -")
			f.Similar = framework.Closest(name, names)
			return nil, f
		}
	}
	return values, nil
}

// configText writes a TOML value as a flag takes it.
func configText(v any) string {
	if list, ok := v.([]any); ok {
		parts := make([]string, len(list))
		for i, e := range list {
			parts[i] = fmt.Sprint(e)
		}
		return strings.Join(parts, ",")
	}
	return fmt.Sprint(v)
}
