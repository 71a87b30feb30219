package ops

import (
	"context"
	"path/filepath"
	"strings"

	"arbor/engine"
	"arbor/engine/sessions"
)

// WorkspaceResolveIn asks for the workspace of an identifier.
type WorkspaceResolveIn struct {
	Identifier string `json:"identifier" req:"true" arg:"IDENT" help:"a session, a device, or path:FOLDER"`
	Name       string `json:"name,omitempty" help:"NAME of a workspace that is made"`
	Write
}

// WorkspaceResolveOut names the workspace.
type WorkspaceResolveOut struct {
	WorkspaceID   string `json:"workspaceId"`
	WorkspaceName string `json:"workspaceName"`
	Wrote
}

var workspaceResolve = op("workspace_resolve", writes|repeats, WorkspaceResolve, Help{
	Summary: "find or make the workspace of an identifier",
	Use:     "resolve IDENT",
	Text: `An identifier is 1 to 256 bytes: the name of a session, of a device, or of a
folder, as path:FOLDER. It is bound to one workspace; several may be bound to
one. One that is bound to none gets a new workspace. Commands in a folder that
is bound, or below it, are about its workspace where they name none and no
session is bound; of several folders the nearest counts. arbor use WS --bind
binds an identifier to a workspace that is there.`,
	Example: `arbor resolve laptop --name "Things at hand"
arbor resolve path:.
arbor use Login --bind path:../login`,
})

// WorkspaceResolve returns the workspace of an identifier.
func WorkspaceResolve(ctx context.Context, env *Env, in WorkspaceResolveIn) (*WorkspaceResolveOut, error) {
	r, err := resolveIdentifier(ctx, env, wholeIdentifier(env, in.Identifier), in.Name, env.MayMake, in.Write)
	if err != nil {
		return nil, err
	}
	return &WorkspaceResolveOut{WorkspaceID: string(r.ID), WorkspaceName: r.Name,
		Wrote: env.wrote(ctx, r.ID, r.Outcome, "workspace_update gives it a goal")}, nil
}

// resolveIdentifier returns the workspace of an identifier. may refuses to make one.
func resolveIdentifier(
	ctx context.Context, env *Env, identifier, name string, may func() error, w Write,
) (*engine.Resolved, error) {
	r, err := engine.ResolveWorkspace(ctx, env.Engine, engine.Resolve{Identifier: identifier, Name: name, May: may}, env.act(w, Match{}))
	return r, fail(err)
}

// wholeIdentifier returns an identifier as it is bound: that of a folder which a person names from another one has its whole path.
func wholeIdentifier(env *Env, identifier string) string {
	folder, is := strings.CutPrefix(identifier, sessions.FolderPrefix)
	if !is || env.Dir == "" {
		return identifier
	}
	if folder = filepath.FromSlash(folder); !filepath.IsAbs(folder) {
		folder = filepath.Join(filepath.FromSlash(env.Dir), folder)
	}
	return sessions.FolderPrefix + filepath.ToSlash(filepath.Clean(folder))
}
