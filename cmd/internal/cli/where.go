package cli

import (
	"runtime"

	"github.com/spf13/cobra"

	"arbor/context/render"
)

func newWhere(sh *shell) *cobra.Command {
	return &cobra.Command{
		Use: "where", Short: "Tell which vault is used, and why",
		Long: `--vault names the vault; else ARBOR_VAULT does; else it is looked for in this folder
and all above: a folder .tanmi-workspace, or an arbor.toml whose key vault holds
its name or path. With -q it prints the path alone.`,
		Example:           "arbor where\ncd \"$(arbor where -q)\"",
		ValidArgsFunction: cobra.NoFileCompletions,
		RunE:              func(*cobra.Command, []string) error { return printWhere(sh) },
	}
}

func printWhere(sh *shell) error {
	found, err := sh.sys.Vaults.Find(sh.place())
	switch {
	case err != nil:
		sayLooked(sh, found)
		return err
	case sh.flags.json:
		return sh.json(found)
	case sh.flags.quiet:
		return sh.print(render.Visible(found.Vault))
	}
	p := sh.page()
	p.line("vault    " + found.Vault)
	p.line("project  " + found.Project)
	p.line("why      " + found.Why)
	p.print("")
	sayLooked(sh, found)
	return nil
}

func sayLooked(sh *shell, found Found) {
	for _, l := range found.Looked {
		sh.say("looked at %s: %s", l.Path, l.What)
	}
}

// A Version says which program this is.
type Version struct {
	Version  string `json:"version"`            // of the module, "(devel)" when built from a checkout
	Revision string `json:"revision,omitempty"` // of the checkout
	Time     string `json:"time,omitempty"`     // of the revision, RFC 3339
	Modified bool   `json:"modified,omitempty"` // the checkout had changes of its own
	Go       string `json:"go"`
}

// String returns the version in one line.
func (v Version) String() string {
	s := "arbor " + v.Version
	if v.Revision != "" {
		s += " (" + v.Revision[:min(12, len(v.Revision))]
		if v.Modified {
			s += ", modified"
		}
		s += ")"
	}
	return s + " " + v.Go + " " + runtime.GOOS + "/" + runtime.GOARCH
}

func newVersion(sh *shell) *cobra.Command {
	return &cobra.Command{
		Use: "version", Short: "Print the version", Long: "Also arbor --version.", Example: "arbor version --json",
		ValidArgsFunction: cobra.NoFileCompletions,
		RunE:              func(*cobra.Command, []string) error { return printVersion(sh) },
	}
}

func printVersion(sh *shell) error {
	if sh.flags.json {
		return sh.json(struct {
			Version
			OS   string `json:"os"`
			Arch string `json:"arch"`
		}{sh.sys.Version, runtime.GOOS, runtime.GOARCH})
	}
	return sh.print(sh.sys.Version.String())
}
