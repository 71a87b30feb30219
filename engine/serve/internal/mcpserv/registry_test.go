package mcpserv

import (
	"bytes"
	"encoding/json"
	"os"
	"regexp"
	"testing"
)

// server.json, which describes the server to the MCP registry, has the server's own name and title, the version of the
// newest release in CHANGELOG.md (0.0.0 before the first), the packages that .ci/release makes, and only members that the
// registry's schema has and accepts.
func TestTheRegistryIsToldOfThisServer(t *testing.T) {
	const top = "../../../../"
	data, err := os.ReadFile(top + "server.json")
	if err != nil {
		t.Fatal(err)
	}
	var is struct {
		Schema                            string `json:"$schema"`
		Name, Title, Description, Version string
		Repository                        struct{ URL, Source string }
		Packages                          []struct {
			RegistryType, Identifier, Version string
			Transport                         struct{ Type string }
			RuntimeArguments                  []struct {
				Type, Name, Value string
				Variables         map[string]struct {
					Description, Format string
					IsRequired          bool
				}
			}
			PackageArguments []struct{ Type, Value string }
		}
	}
	strict := json.NewDecoder(bytes.NewReader(data))
	strict.DisallowUnknownFields()
	if err := strict.Decode(&is); err != nil {
		t.Fatal(err)
	}
	about := newWorld(t, Options{}).connect(nil).InitializeResult().ServerInfo
	name := regexp.MustCompile(`^[a-zA-Z0-9.-]+/` + about.Name + `$`)
	if !name.MatchString(is.Name) || is.Title != about.Title {
		t.Errorf("it names %s, %s; the server is %s, %s", is.Name, is.Title, about.Name, about.Title)
	}
	if n := len(is.Description); n == 0 || n > 100 {
		t.Errorf("the description has %d bytes, 100 are the most", n)
	}
	if !regexp.MustCompile(`^https://static\.modelcontextprotocol\.io/schemas/\d{4}-\d\d-\d\d/server\.schema\.json$`).MatchString(is.Schema) {
		t.Errorf("the schema is %s", is.Schema)
	}
	log, err := os.ReadFile(top + "CHANGELOG.md")
	if err != nil {
		t.Fatal(err)
	}
	want := "0.0.0"
	if m := regexp.MustCompile(`(?m)^## v?(\d+\.\d+\.\d+)\b`).FindSubmatch(log); m != nil {
		want = string(m[1])
	}
	if is.Version != want {
		t.Errorf("the version is %s, the newest in CHANGELOG.md is %s", is.Version, want)
	}
	owner := regexp.MustCompile(`^https://github\.com/([\w-]+)/[\w.-]+$`).FindStringSubmatch(is.Repository.URL)
	if owner == nil || len(is.Packages) != 2 {
		t.Fatalf("the repository is %s, and there are %d packages", is.Repository.URL, len(is.Packages))
	}
	for _, p := range is.Packages {
		if p.Transport.Type != "stdio" || len(p.PackageArguments) != 1 || p.PackageArguments[0].Value != "mcp" {
			t.Errorf("%s is not started as arbor mcp: %+v", p.Identifier, p)
		}
	}
	npm, image := is.Packages[0], is.Packages[1]
	if npm.Identifier != "@"+owner[1]+"/arbor" || npm.Version != want {
		t.Errorf("the npm package is %s %s", npm.Identifier, npm.Version)
	}
	if image.Identifier != "ghcr.io/"+owner[1]+"/arbor:"+want || image.Version != "" {
		t.Errorf("the image is %s, with version %q, which the registry refuses", image.Identifier, image.Version)
	}
}
