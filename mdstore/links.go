package mdstore

import (
	"bytes"
	"strings"

	"arbor/mdstore/mdoc"
)

// A FileLink is a Markdown link to a file that has the name of files of nodes.
type FileLink struct {
	Target string    // the path, without a heading
	Span   mdoc.Span // of the path
}

// FileLinks returns the relative links of a node's text to files of nodes, in their order, but for those in its log.
func FileLinks(d *mdoc.Doc) (all []FileLink) {
	src := d.Bytes()
	if !bytes.Contains(src, []byte("/"+NodeFile)) {
		return nil
	}
	log, _ := d.Section(SecLog)
	for at := len(d.Front()); ; {
		i := bytes.Index(src[at:], []byte("]("))
		if i < 0 {
			return all
		}
		at += i + len("](")
		ends := ")# \t\r\n"
		if bytes.HasPrefix(src[at:], []byte("<")) {
			at, ends = at+1, ">#\r\n"
		}
		n := max(0, bytes.IndexAny(src[at:], ends))
		span := mdoc.Span{Start: at, End: at + n}
		target := string(src[span.Start:span.End])
		inLog := log.Body.Start <= at && at < log.Body.End
		if strings.HasSuffix(target, "/"+NodeFile) && target[0] != '/' && !strings.Contains(target, ":") && !inLog {
			all = append(all, FileLink{target, span})
		}
	}
}
