package ops

import (
	"encoding/json"
	"reflect"
	"strings"
	"testing"
	"time"
)

// A cut reply still has an object where there was one, with members whose texts are cut and numbers that are not, and
// each cut is named.
func TestCutRepliesKeepTheirObjects(t *testing.T) {
	type item struct {
		Arguments json.RawMessage `json:"arguments"`
		Asked     time.Time       `json:"asked"`
		Metadata  map[string]any  `json:"metadata"`
	}
	type reply struct {
		Items []item `json:"items"`
		Out
	}
	long := strings.Repeat("long ", 5000)
	data, err := encode(map[string]any{"text": long, "n": json.Number("12345678901234567890"), "list": []any{"a", long}})
	if err != nil {
		t.Fatal(err)
	}
	env := &Env{Detail: DetailBrief, MaxBytes: 2000}
	out := &reply{Items: []item{{data, time.Unix(1, 0).UTC(), map[string]any{"k": long}}}}
	r, err := env.ReplyOf(out)
	if err != nil || r.Size() > env.MaxBytes {
		t.Fatalf("%d bytes, %v", r.Size(), err)
	}
	var got struct {
		Items []struct {
			Arguments struct {
				Text string
				N    json.Number
				List []string
			}
			Asked    time.Time
			Metadata map[string]string
		}
		Cut []string
	}
	if err := json.Unmarshal(r.Data, &got); err != nil || len(got.Items) != 1 {
		t.Fatalf("%v: %s", err, r.Data)
	}
	first := got.Items[0]
	if a := first.Arguments; !strings.HasSuffix(a.Text, cutMark) || a.N != "12345678901234567890" || !first.Asked.Equal(time.Unix(1, 0)) {
		t.Errorf("the arguments are %+v, asked at %v", a, first.Asked)
	}
	if !strings.HasSuffix(first.Metadata["k"], cutMark) || !strings.Contains(strings.Join(got.Cut, "\n"), "items[0].arguments.text: ") {
		t.Errorf("metadata %.80q, cuts %q", first.Metadata["k"], got.Cut)
	}
}

// No type of a reply or of a parameter is written in a way of its own that its shape does not say: what has bytes is
// JSON or a text.
func TestShapesAreWhatIsWritten(t *testing.T) {
	seen := map[reflect.Type]bool{}
	var look func(at string, v reflect.Type)
	look = func(at string, typ reflect.Type) {
		s := ShapeOf(typ)
		if seen[s.Type] {
			return
		}
		seen[s.Type] = true
		if s.Members != nil {
			for _, m := range s.Members {
				look(at+"."+m.Name, m.Type)
			}
			return
		}
		if s.Item != nil && s.Type != rawJSON {
			look(at+"[]", s.Type.Elem())
			return
		}
		if s.Type == rawJSON || s.Kind == KindAny {
			return
		}
		data, err := json.Marshal(reflect.Zero(s.Type).Interface())
		var v any
		if err == nil {
			err = json.Unmarshal(data, &v)
		}
		is := map[reflect.Kind][]Kind{reflect.String: {KindText}, reflect.Bool: {KindBool}, reflect.Float64: {KindWhole, KindNumber}}
		fits := false
		for _, kind := range is[reflect.ValueOf(v).Kind()] {
			fits = fits || kind == s.Kind
		}
		if err != nil || !fits {
			t.Errorf("%s: %v is written as %s, %v, and its shape says %q", at, s.Type, data, err, s.Kind)
		}
	}
	for _, o := range append(All(), Commands()...) {
		look(o.Name, o.In)
		look(o.Name, o.Out)
	}
	if len(seen) < 50 {
		t.Errorf("only %d types are seen", len(seen))
	}
}
