package setup

import (
	"path/filepath"

	"arbor/engine"
)

// surroundings are what the places of configuration files depend on.
type surroundings struct {
	project, home string
	getenv        func(string) string
	goos          string
}

func inProject(name string) func(surroundings) (string, error) {
	return func(s surroundings) (string, error) {
		if !filepath.IsAbs(s.project) {
			return "", engine.Fail(engine.InvalidPath, "project %q: the absolute path of a folder is expected, as its configuration lies in it", s.project)
		}
		return filepath.Join(s.project, filepath.FromSlash(name)), nil
	}
}

func inHome(name string) func(surroundings) (string, error) {
	return func(s surroundings) (string, error) {
		if !filepath.IsAbs(s.home) {
			return "", engine.Fail(engine.InvalidPath, "home %q: the absolute path of a folder is expected; set HOME", s.home)
		}
		return filepath.Join(s.home, filepath.FromSlash(name)), nil
	}
}

// from returns the place that an environment variable moves: name below the folder that it holds, or otherwise where it holds none.
func (s surroundings) from(variable, name string, otherwise func(surroundings) (string, error)) (string, error) {
	dir := s.getenv(variable)
	switch {
	case dir == "":
		return otherwise(s)
	case !filepath.IsAbs(dir):
		return "", engine.Fail(engine.InvalidPath, "%s is %q: the absolute path of a folder is expected", variable, dir)
	}
	return filepath.Join(dir, filepath.FromSlash(name)), nil
}

const claudeDir = "CLAUDE_CONFIG_DIR"

// claudeFile is where Claude Code keeps the servers of a person. It stands beside the folder of settings, unless that is moved.
func claudeFile(s surroundings) (string, error) {
	return s.from(claudeDir, ".claude.json", inHome(".claude.json"))
}

func claudeSettings(s surroundings) (string, error) {
	return s.from(claudeDir, "settings.json", inHome(".claude/settings.json"))
}

// codeFile is VS Code's mcp.json of the default profile.
func codeFile(s surroundings) (string, error) {
	return s.from("VSCODE_PORTABLE", "user-data/User/mcp.json", func(s surroundings) (string, error) {
		const name = "Code/User/mcp.json"
		switch s.goos {
		case "windows":
			return s.from("APPDATA", name, inHome("AppData/Roaming/"+name))
		case "darwin":
			return inHome("Library/Application Support/" + name)(s)
		}
		return s.from("XDG_CONFIG_HOME", name, inHome(".config/"+name))
	})
}
