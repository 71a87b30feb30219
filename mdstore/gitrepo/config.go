package gitrepo

import (
	"context"
	"fmt"
	"strconv"
	"strings"
)

// runs are the keys of git's configuration whose values are commands, each with the harmless value that replaces one
// from the repository's own configuration. "*" stands for the name of a subsection. Values from the person's own
// configuration (~/.gitconfig) count.
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
	{"gc", "recentobjectshook", ""},
	{"hook.*", "command", "true"},
	{"push", "negotiate", "false"}, // its fetch would start the upload-pack of a remote that is named as the address
	{"remote.*", "vcs", ""},
	{"protocol.*", "allow", "never"},
	{"protocol", "allow", "never"},
	{"interactive", "difffilter", ""},
	{"uploadpack", "packobjectshook", ""},
}

// A setting is a key of git's configuration and its value.
type setting struct{ key, value string }

// configOverrides returns settings that keep git from running commands that the repository's own configuration names,
// and the command line of Arbor's merge driver. After such settings come the person's own values of the same keys, so
// that these stay in effect (except a filter that the repository names too).
func (r *Repo) configOverrides(ctx context.Context) (over []setting, driver string, err error) {
	out, err := r.Run(ctx, nil, "config", "--list", "--show-scope", "-z")
	if err != nil {
		return nil, "", err
	}
	var own []setting
	words := strings.Split(string(out), "\x00")
	for i := 0; i+1 < len(words); i += 2 {
		key, value, _ := strings.Cut(words[i+1], "\n")
		if key == driverKey {
			driver = value
		}
		instead, ok := instead(key)
		switch repository := words[i] == "local" || words[i] == "worktree"; {
		case repository:
			r.packers = r.packers || strings.HasPrefix(key, "remote.") && strings.HasSuffix(key, "pack")
			r.proxy = r.proxy || key == "core.gitproxy"
			if ok {
				over = append(over, setting{key, instead})
			}
		case ok:
			own = append(own, setting{key, value})
		}
		if name, ok := strings.CutSuffix(key, ".command"); ok && strings.HasPrefix(key, "hook.") {
			over = append(over, setting{name + ".enabled", "false"}) // no hook runs, whoever names it
		}
	}
	if len(over) > 0 {
		over = append(over, own...)
	}
	return over, driver, nil
}

// handOver adds settings to an environment, after those that it hands to git already. Unlike -c KEY=VALUE that takes
// any key, also one with "=" in it.
func handOver(env []string, add []setting) []string {
	if len(add) == 0 {
		return env
	}
	n := 0
	for _, v := range env {
		if count, ok := strings.CutPrefix(v, configCount); ok {
			n, _ = strconv.Atoi(count)
		}
	}
	for _, s := range add {
		env = append(env, fmt.Sprintf("GIT_CONFIG_KEY_%d=%s", n, s.key), fmt.Sprintf("GIT_CONFIG_VALUE_%d=%s", n, s.value))
		n++
	}
	return append(env, configCount+strconv.Itoa(n))
}

const configCount = "GIT_CONFIG_COUNT="

// instead returns the harmless value for a key; ok is false for a key whose value is not a command.
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
