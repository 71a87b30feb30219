package engine

import (
	"fmt"
	"math"
	"reflect"
	"testing"

	"arbor/mdstore"
)

// someLook is a look with what there can be of everything.
func someLook() look {
	l := look{Workspace: "ws-a", Parts: 3, Looked: 1767225600000, Files: map[mdstore.Path]*fingerprint{
		"ws-a/Workspace.md":        {Version: "0123456789abcdef", Title: "計画"},
		"ws-a/nodes/root/Node.md":  {Version: "0123456789abcdef", Node: "root", Title: "R", Stamp: mdstore.Stamp{Size: 7, Mtime: -1, Ctime: math.MaxInt64, Inode: math.MaxUint64, Firm: true}},
		"ws-a/nodes/other/Node.md": {Version: "FILE_UNREADABLE", Node: "hand", Title: "\x00\n"},
		"ws-a/nodes/empty/Node.md": {Node: "empty"},
	}}
	l.Files["ws-a/Workspace.md"].remark(marks{"fid": 1, "fgoal": math.MaxUint32, "sLog": 0, "s": 5})
	l.Files["ws-a/nodes/root/Node.md"].remark(marks{"fid": 2, "fgoal": 3, "sLog": 4, "s": 6})
	l.Files["ws-a/nodes/empty/Node.md"].remark(marks{})
	return l
}

func TestLooksAreReadAsTheyWereWritten(t *testing.T) {
	for _, l := range []look{someLook(), {Workspace: "w", Parts: 1, Files: map[mdstore.Path]*fingerprint{}}} {
		got, ok := decodeLook(l.encode())
		if !ok || !reflect.DeepEqual(got, l) {
			t.Errorf("read again, %v: %+v\nwant %+v", ok, got, l)
		}
	}
	for _, m := range []marks{nil, {}, {"fid": 1, "sLog": 2}} {
		var f fingerprint
		f.remark(m)
		if got := f.marks(); !reflect.DeepEqual(got, m) {
			t.Errorf("marks %v are %v", m, got)
		}
	}
	var f fingerprint
	if f.remark(marks{"fa\x00b": 1}); f.marks() != nil {
		t.Errorf("a name that cannot be kept is kept: %q", f.names)
	}
}

// A look of which a byte is not as it was written, or is missing, is none; nor is one of a former form.
func TestDamagedLooksAreNone(t *testing.T) {
	whole := someLook().encode()
	for i := range whole {
		data := append([]byte(nil), whole...)
		data[i] ^= 1 << (i % 8)
		if _, ok := decodeLook(data); ok {
			t.Errorf("byte %d of %d is another one, and the look is read", i, len(whole))
		}
		if _, ok := decodeLook(whole[:i]); ok {
			t.Errorf("%d bytes of %d are read", i, len(whole))
		}
	}
	for _, l := range []look{{Parts: 0}, {Parts: partsMost + 1}} {
		if _, ok := decodeLook(l.encode()); ok {
			t.Errorf("a look in %d parts is read", l.Parts)
		}
	}
	if _, ok := decodeLook([]byte(`{"workspace":"ws-a","parts":1,"files":{}}`)); ok {
		t.Error("a look of the former form is read")
	}
}

// What is inside of a sound checksum may be anything: it is refused or read, and nothing worse.
func FuzzDecodeLook(f *testing.F) {
	whole := someLook().encode()
	f.Add(whole[len(lookMagic) : len(whole)-sumLen])
	f.Add([]byte{0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 1})
	f.Fuzz(func(t *testing.T, body []byte) {
		data := append([]byte(lookMagic), body...)
		l, ok := decodeLook(little.AppendUint32(data, sumOf(string(data))))
		if !ok {
			return
		}
		for p, x := range l.Files {
			_ = fmt.Sprint(p, x.marks())
		}
		if again, ok := decodeLook(l.encode()); !ok || !reflect.DeepEqual(again, l) {
			t.Errorf("%q: %+v, written and read again %+v", body, l, again)
		}
	})
}
