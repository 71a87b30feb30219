package web

import (
	"cmp"
	"context"
	"net/http"
	"net/url"
	"path"
	"path/filepath"
	"slices"
	"strings"

	"arbor/engine/errs"
	"arbor/engine/ops"
	"arbor/mdstore"
)

// A document is an entry of the documents of a node or workspace.
type document struct {
	mdstore.Ref
	Address string // where it opens; "" if it does not
}

// documents returns entries with their addresses: Markdown and pictures of the vault open on the page. of is the id of
// the node, or "" for the workspace.
func (s *Site) documents(ctx context.Context, v *screen, of string, refs []mdstore.Ref) (all []document) {
	for _, ref := range refs {
		d := document{Ref: ref}
		base, _, _ := strings.Cut(ref.Target, "#")
		switch {
		case strings.HasPrefix(ref.Target, "https://") || strings.HasPrefix(ref.Target, "http://"):
			d.Address = ref.Target
		case v.Static || strings.Contains(ref.Target, "://"):
		case slices.Contains([]string{".md", ".markdown", ""}, strings.ToLower(path.Ext(base))):
			d.Address = "/doc/" + url.PathEscape(of) + "?" + url.Values{"ws": {v.Workspace}, "target": {ref.Target}}.Encode()
			if of == "" {
				d.Address = strings.Replace(d.Address, "/doc/?", "/doc?", 1)
			}
		default:
			d.Address = pictureAddress(s.pictureAt(ctx, v, of, s.inVault(base)))
		}
		all = append(all, d)
	}
	return all
}

// inVault returns the path below the vault of a path below the project, with a leading "/"; any other as it is.
func (s *Site) inVault(target string) string {
	vault, err := filepath.Rel(s.project(), s.engine.Vault())
	if rest, ok := strings.CutPrefix(target, filepath.ToSlash(vault)+"/"); err == nil && ok {
		return "/" + rest
	}
	return target
}

// project returns the folder of the project: the one around the vault, unless the engine knows another.
func (s *Site) project() string { return cmp.Or(s.engine.Project(), filepath.Dir(s.engine.Vault())) }

// A docPage is a document of the project.
type docPage struct {
	Node, Title string // the node that lists it; "" for the workspace
	Target      string
	Front, Text string
	File        string
}

// doc shows a Markdown document that a node or the workspace lists.
func (s *Site) doc(r *http.Request, v *screen) error {
	id, target := r.PathValue("id"), r.FormValue("target")
	in := ops.In{WorkspaceID: v.Workspace}
	d := docPage{Node: id, Target: target, File: filepath.Join(s.project(), filepath.FromSlash(target))}
	var listed []mdstore.Ref
	if id != "" {
		out, err := ops.NodeGet(r.Context(), s.env(), ops.NodeGetIn{In: in, NodeID: id})
		if err != nil {
			return err
		}
		listed, d.Title = out.Node.Docs, out.Node.Title
	} else {
		out, err := ops.WorkspaceOwn(r.Context(), s.env(), ops.WorkspaceGetIn{In: in})
		if err != nil {
			return err
		}
		listed, d.Title = out.Workspace.Docs, out.Workspace.Name
	}
	if !slices.ContainsFunc(listed, func(ref mdstore.Ref) bool { return ref.Target == target }) {
		return errs.New(errs.InvalidPath, "%s is not among the documents of %s", target, d.Title)
	}
	data, err := s.engine.ReadDoc(r.Context(), target)
	if err != nil {
		return errs.New(errs.InvalidPath, "%s cannot be shown: %v", target, err)
	}
	d.Text = strings.ReplaceAll(string(data), "\r\n", "\n")
	if rest, ok := strings.CutPrefix(d.Text, "---\n"); ok {
		if front, text, ok := strings.Cut(rest, "\n---\n"); ok {
			d.Front, d.Text = front, text
		}
	}
	v.links.definitions = definitionsIn(d.Text)
	v.Title, v.Body = target, d
	return nil
}

// pictureAt returns the path of a picture of the vault, "" for anything else. target is a path from the folder of a
// node, or else of the workspace; one that begins with "/" is a path in the vault.
func (s *Site) pictureAt(ctx context.Context, v *screen, node, target string) mdstore.Path {
	plain, err := url.PathUnescape(target)
	snap, err2 := s.engine.View(ctx, mdstore.ID(v.Workspace))
	if err != nil || err2 != nil || strings.Contains(plain, ":") || pictureKinds[strings.ToLower(path.Ext(plain))] == "" {
		return ""
	}
	dir := snap.Workspace().Dir
	if n, ok := snap.Node(mdstore.ID(node)); ok {
		dir = n.Path.Dir()
	}
	p := mdstore.Path(path.Join(string(dir), plain))
	if in, ok := strings.CutPrefix(plain, "/"); ok {
		p = mdstore.Path(path.Clean(in))
	}
	if !p.Valid() || p.Under(mdstore.LocalDir) {
		return ""
	}
	if data, err := s.engine.RawFile(ctx, p); err != nil || data == nil {
		return ""
	}
	return p
}

// pictureAddress returns the address of a picture of the vault.
func pictureAddress(p mdstore.Path) string {
	if p == "" {
		return ""
	}
	return (&url.URL{Path: "/picture/" + string(p)}).EscapedPath()
}

// pictureKinds are the content types of pictures by the endings of their names.
var pictureKinds = map[string]string{
	".png": "image/png", ".jpg": "image/jpeg", ".jpeg": "image/jpeg", ".gif": "image/gif",
	".webp": "image/webp", ".avif": "image/avif", ".svg": "image/svg+xml",
}

// picture serves a picture of the vault. Nothing in it runs, also if it is opened by itself.
func (s *Site) picture(w http.ResponseWriter, r *http.Request) {
	p := mdstore.Path(r.PathValue("path"))
	kind := pictureKinds[strings.ToLower(path.Ext(string(p)))]
	if kind == "" || !p.Valid() || p.Under(mdstore.LocalDir) {
		http.NotFound(w, r)
		return
	}
	data, err := s.engine.RawFile(r.Context(), p)
	if err != nil || data == nil {
		http.NotFound(w, r)
		return
	}
	w.Header().Set("Content-Type", kind)
	w.Header().Set("Content-Security-Policy", "default-src 'none'; style-src 'unsafe-inline'; sandbox")
	_, _ = w.Write(data) // if this fails, the client is gone
}
