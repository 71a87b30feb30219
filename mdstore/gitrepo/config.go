package gitrepo

import (
	"context"
	"strings"
)

// runs are the keys of git's configuration whose values are commands, each with the value that takes its place where
// the repository's own configuration has it. "*" stands for the name of a subsection. What a person's own configuration
// says (~/.gitconfig) counts.
var runs = []struct{ section, name, instead string }{
	{"core", "sshcommand", "ssh"},
	{"core", "askpass", ""},
	{"core", "gitproxy", ""},
	{"core", "alternaterefscommand", ""},
	{"core", "attributesfile", ""},
	{"filter.*", "clean", ""},
	{"filter.*", "smudge", ""},
	{"filter.*", "process", ""},
	{"filter.*", "required", "false"},
	{"diff.*", "command", ""},
	{"diff.*", "textconv", ""},
	{"merge.*", "driver", "false"},
	{"credential", "helper", ""},
	{"credential.*", "helper", ""},
	{"gpg", "program", "gpg"},
	{"gpg.*", "program", "gpg"},
	{"gpg.ssh", "defaultkeycommand", ""},
	{"remote.*", "vcs", ""},
	{"protocol.*", "allow", "never"},
	{"protocol", "allow", "never"},
	{"interactive", "difffilter", ""},
	{"uploadpack", "packobjectshook", ""},
}

// configOverrides returns the options that keep git from running what the repository's own configuration names, and the
// command line of Arbor's merge driver.
func (r *Repo) configOverrides(ctx context.Context) (over []string, driver string, err error) {
	out, err := r.Run(ctx, nil, "config", "--list", "--show-scope", "-z")
	if err != nil {
		return nil, "", err
	}
	words := strings.Split(string(out), "\x00")
	for i := 0; i+1 < len(words); i += 2 {
		key, value, _ := strings.Cut(words[i+1], "\n")
		if key == driverKey {
			driver = value
		}
		if scope := words[i]; scope == "local" || scope == "worktree" {
			r.packers = r.packers || strings.HasPrefix(key, "remote.") && strings.HasSuffix(key, "pack")
			if instead, ok := instead(key); ok && !strings.ContainsAny(key, "=\n") {
				over = append(over, "-c", key+"="+instead)
			}
		}
	}
	return over, driver, nil
}

// instead returns what takes the place of a key's value; ok is false for a key whose value is no command.
func instead(key string) (value string, ok bool) {
	first, rest, found := strings.Cut(key, ".")
	if !found {
		return "", false
	}
	name, section := rest, first
	if i := strings.LastIndexByte(rest, '.'); i >= 0 {
		section, name = first+".*", rest[i+1:]
	}
	for _, k := range runs {
		if k.name == name && (k.section == section || k.section == key[:len(key)-len(name)-1]) {
			return k.instead, true
		}
	}
	return "", false
}
