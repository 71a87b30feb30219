package journal

import (
	"bytes"
	"errors"
	"reflect"
	"strings"
	"testing"

	"arbor/mdstore"
)

var someSteps = []*step{
	{Do: write, Path: "ws/a", Base: nil, New: []byte{}, Temp: "ws/.arbor-x"},
	{Do: write, Path: "ws/b", Base: []byte{}, New: []byte("\x00\xff"), Temp: "ws/.arbor-y"},
	{Do: remove, Path: "ws/c", Base: []byte("c"), Temp: "ws/.arbor-z"},
	{Do: move, Path: "ws/d", To: "archive/d"},
}

func TestRecordReadsBack(t *testing.T) {
	data := encodeRecord(someSteps)
	got, err := decodeRecord(data)
	if err != nil || !reflect.DeepEqual(got, someSteps) {
		t.Errorf("got %+v, error %v", got, err)
	}
	for i := range data {
		if _, err := decodeRecord(data[:i]); err == nil {
			t.Errorf("the first %d of %d bytes are a record", i, len(data))
		}
		bad := bytes.Clone(data)
		bad[i] ^= 4
		if _, err := decodeRecord(bad); err == nil {
			t.Errorf("a record with byte %d changed is one: %q", i, bad)
		}
	}
}

// A record with a correct checksum and an impossible step counts as torn.
func TestRecordsThatMakeNoSenseAreTorn(t *testing.T) {
	for _, s := range []*step{
		nil,
		{Do: write, Path: "../a", New: []byte("x"), Temp: ".arbor-x"},
		{Do: write, Path: "/etc/passwd", New: []byte("x"), Temp: ".arbor-x"},
		{Do: write, Path: ".local/journal/x.json", New: []byte("x"), Temp: ".arbor-x"},
		{Do: write, Path: "a", New: []byte("x"), Temp: "Workspace.md"},
		{Do: write, Path: "a", New: []byte("x")},
		{Do: write, Path: "a", Temp: ".arbor-x"},
		{Do: write, Path: "a", New: make([]byte, mdstore.MaxFileSize+1), Temp: ".arbor-x"},
		{Do: remove, Path: "a", Temp: ".arbor-x"},
		{Do: move, Path: "a", To: "../b"},
		{Do: move, Path: "a", To: "a/b"},
		{Do: move, Path: "a/b", To: "a"},
		{Do: "format", Path: "a", Temp: ".arbor-x"},
	} {
		if _, err := decodeRecord(encodeRecord([]*step{s})); !errors.Is(err, errTorn) {
			t.Errorf("%+v: error %v, want errTorn", s, err)
		}
	}
}

func TestNewerRecord(t *testing.T) {
	_, err := decodeRecord([]byte("arbor-journal 7 whatever it says\n"))
	if err == nil || err == errTorn || !strings.Contains(err.Error(), "newer version of arbor (journal version 7") {
		t.Errorf("error %v, want one that names version 7", err)
	}
}

func TestNames(t *testing.T) {
	p := mdstore.Path("ws/nodes/a/Node.md")
	name := tempPath(p.Dir(), p, []byte("old"), nil, "0a1b").Base()
	want := temp{after: noFile, before: digits(version([]byte("old"))), target: "Node.md"}
	if got, ok := parseTemp(name); !ok || got != want {
		t.Errorf("%s says %+v, %v, want %+v", name, got, ok, want)
	}
	if long := tempPath("", mdstore.Path(strings.Repeat("x", 255)), nil, nil, "0a1b2c3d4e5f"); len(long) > 255 {
		t.Errorf("a name of %d bytes", len(long))
	}
	for _, name := range []string{"Node.md", ".arbor-", ".arbor-1-2-3-Node.md", ".arbor-" + noFile} {
		if _, ok := parseTemp(name); ok {
			t.Errorf("%q is taken for a temporary file's name", name)
		}
	}
	copies := conflictPaths(p, []byte("x"))
	if want := mdstore.Path("ws/nodes/a/Node.conflict-2d711642.md"); copies[0] != want {
		t.Errorf("the copy is %s, want %s", copies[0], want)
	}
	for p, want := range map[mdstore.Path]bool{
		"ws/nodes/a/Node.md": true, "archive/ws/nodes/a/b/Node.md": true, "ws/nodes/Node.md": false, "ws/Node.md": false,
		"Node.md": false, "ws/nodes/a/Workspace.md": false, "nodes/a/Node.md": false,
	} {
		if nodeFolder(p) != want {
			t.Errorf("nodeFolder(%q) is %v", p, !want)
		}
	}
}
