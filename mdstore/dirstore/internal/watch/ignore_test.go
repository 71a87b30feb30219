package watch

import "testing"

func TestIgnoredFoldersAreNotWatchedAndIgnoredFilesNotNamed(t *testing.T) {
	both(t, func(t *testing.T, polling bool) {
		made := &world{judge: t, root: t.TempDir()}
		files(".git/refs/x", "a/.git/y", "a/Node.md", "a/other")(made)
		opt := quick(polling)
		opt.Ignore = func(path string, dir bool) bool { // all but Markdown
			base := path[len(parentOf(path)):]
			if dir {
				return base == ".git" || base == "/.git"
			}
			return len(base) < 3 || base[len(base)-3:] != ".md"
		}
		w := start(t, made.root, opt, openSystem)
		defer w.close()
		if w.polling && !polling {
			t.Skip("no events on this system")
		}
		if n, ok := kernelWatches(); ok && !polling && n != 2 {
			t.Errorf("%d watches, want those of the root and a", n)
		}
		files(".git/refs/x", ".git/refs/new/z", "a/other", "a/another", "b/.git/z", "b/c/other")(w)
		w.rename("a/other", "a/plain")
		w.remove("b/.git/z")
		files("a/Node.md", "b/c/Node.md", "z.md")(w)
		w.waitFor("z.md", "a/Node.md", "b", "b/c", "b/c/Node.md")
		w.rename("b/.git", "b/kept") // a folder that was ignored under its old name
		w.write("b/kept/x.md", "")
		w.waitFor("b/kept", "b/kept/x.md")
		for p := range w.named {
			switch p {
			case "a", "b", "b/c", "b/kept", "a/Node.md", "b/c/Node.md", "z.md", "b/kept/x.md":
			case "a/other", "b/.git": // gone, so that nothing says what they were
			default:
				t.Errorf("named %s", p)
			}
		}
	})
}
