package cli

import (
	"cmp"
	"fmt"
	"strings"

	"github.com/spf13/cobra"

	"github.com/sqlcluster/sqlcluster/cmd/sqlcluster/internal/help"
	"github.com/sqlcluster/sqlcluster/cmd/sqlcluster/internal/registry"
	"github.com/sqlcluster/sqlcluster/conformance"
	"github.com/sqlcluster/sqlcluster/framework"
	"github.com/sqlcluster/sqlcluster/sql/input"
)

// verifying are the flags of plugin verify.
type verifying struct {
	profile, format string
	laws, expected  []string
	number          uint64
}

func (a *app) pluginVerifyCommand() *cobra.Command {
	v := &verifying{}
	c := &cobra.Command{
		Use: "verify PLUGIN", Short: "Check that a plugin obeys the laws of plugins, algorithms and sets",
		Long: `Start a plugin and check the laws of its process, and of every algorithm and kind
of sets that it serves. PLUGIN is the name of a plugin, an algorithm (built in or
added) or an added kind of sets, or the path of a program, with a / in it. What has
been added is only run if its file has not changed.

Every law is checked on generated cases; the smallest one that fails is reported
with the command that replays it. The exit code is 0 when no law is broken, and 4
when one is or when the plugin does not start.`,
		Example: `  sqlcluster plugin verify skfr
  sqlcluster plugin verify ./sqlcluster-plugin-spherical --profile full
  sqlcluster plugin verify spherical --law clusterer/merge --case 65`,
		Args: help.Takes("PLUGIN"),
		RunE: func(c *cobra.Command, args []string) error { return a.pluginVerify(c, v, args[0]) },
	}
	f := c.Flags()
	f.StringVar(&v.profile, "profile", string(conformance.Core), "`laws` to check: core, full")
	f.StringSliceVar(&v.laws, "law", nil, "`name` of a law, or of a group (process, clusterer, kind, set), to check alone")
	f.Uint64Var(&v.number, "case", 0, "`number` of the only case to check, with --law")
	f.StringArrayVar(&v.expected, "expect-failure", nil,
		"`LAW=REASON`: the law is known to fail, in one algorithm if it is written ALGORITHM:LAW; it is an error when it does not")
	f.StringVarP(&v.format, "output", "o", "text", "`format` of the report: "+strings.Join(conformance.Formats, ", "))
	_ = c.RegisterFlagCompletionFunc("output", cobra.FixedCompletions(conformance.Formats, cobra.ShellCompDirectiveNoFileComp))
	return c
}

func (a *app) pluginVerify(c *cobra.Command, v *verifying, name string) error {
	if err := input.OneOf("output", v.format, conformance.Formats); err != nil {
		if a.Flags.Origins["output"] == "flag" {
			return err
		}
		v.format = "text" // configuration speaks of tables
	}
	o, err := a.verifyOptions(v, name)
	if err != nil {
		return err
	}
	program, algorithms, err := a.Flags.Registry.Program(name)
	if err != nil {
		return err
	}
	var reports []*conformance.Report
	err = a.Stage("verifying", func(say func(string, ...any)) error {
		o.Progress = func(v conformance.Verdict) { say("%s: %s", v.Name, v.Status) }
		reports, err = conformance.CheckPlugin(c.Context(), program, algorithms, o)
		return cmp.Or(err, c.Context().Err())
	})
	if err != nil {
		return registry.Remedy(program, err)
	}
	if err := conformance.Write(a.Out, v.format, reports...); err != nil {
		return err
	}
	return broken(name, reports)
}

// verifyOptions turns flags into options.
func (a *app) verifyOptions(v *verifying, name string) (conformance.Options, error) {
	o := conformance.Options{Profile: conformance.Profile(v.profile), Laws: v.laws, StepTimeout: a.Flags.StepTimeout,
		Expected: map[string]string{}}
	o.Replay = func(law string, number uint64) string {
		return fmt.Sprintf("sqlcluster plugin verify %s --law %s --case %d", framework.ShellWord(name), law, number)
	}
	if !a.Flags.IsDefault("case") {
		o.Case = &v.number
	}
	for _, text := range v.expected {
		law, reason, ok := strings.Cut(text, "=")
		if !ok || reason == "" {
			return o, framework.Faultf(framework.Usage, "bad-flag", "--expect-failure %q is not of the form LAW=REASON", text).At("expect_failure")
		}
		o.Expected[law] = reason
	}
	return o, o.Check()
}

// broken is the Fault of reports in which laws are broken, or nil.
func broken(name string, reports []*conformance.Report) error {
	if conformance.Worst(reports...) != conformance.NotConformant {
		return nil
	}
	f := framework.Faultf(framework.Plugin, "laws-broken", "%s does not obey all laws", name).
		WithHint("the report says how to replay each failure")
	for _, r := range reports {
		for _, law := range r.Failed() {
			f.Details = append(f.Details, r.Target+": "+law)
		}
	}
	return f
}
