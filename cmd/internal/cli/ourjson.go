package cli

import (
	"encoding/json"
	"regexp"
	"strconv"
	"time"

	"arbor/mdstore"
)

// Members of results, as they stand in an indented document. No text that is quoted in JSON looks like one.
var (
	timeMember  = regexp.MustCompile(`"(createdAt|updatedAt|boundAt|leasedUntil|since)": (\d+)`)
	stampMember = regexp.MustCompile(`"timestamp": "(\d{4}-\d\d-\d\d \d\d:\d\d:\d\d)"`)
	hintMember  = regexp.MustCompile(`(?m)^( *"hint": )(".*")(,?)$`)
)

// milliseconds is RFC 3339 as the files count.
const milliseconds = "2006-01-02T15:04:05.000Z07:00"

// ourJSON returns a document as the command line prints it: times are RFC 3339, null for none, and hints are about
// commands.
func ourJSON(doc string) string {
	doc = timeMember.ReplaceAllStringFunc(doc, func(s string) string {
		m := timeMember.FindStringSubmatch(s)
		ms, err := strconv.ParseInt(m[2], 10, 64)
		if err != nil || ms == 0 {
			return `"` + m[1] + `": null`
		}
		return `"` + m[1] + `": "` + time.UnixMilli(ms).UTC().Format(milliseconds) + `"`
	})
	doc = stampMember.ReplaceAllStringFunc(doc, func(s string) string {
		at, err := time.Parse(mdstore.TimeLayout, stampMember.FindStringSubmatch(s)[1])
		if err != nil {
			return s
		}
		return `"timestamp": "` + at.Format(time.RFC3339) + `"`
	})
	return hintMember.ReplaceAllStringFunc(doc, func(s string) string {
		m, hint := hintMember.FindStringSubmatch(s), ""
		if json.Unmarshal([]byte(m[2]), &hint) != nil {
			return s
		}
		said, err := encode(inOurWords(hint), "")
		if err != nil {
			return s
		}
		return m[1] + string(said[:len(said)-1]) + m[3]
	})
}
