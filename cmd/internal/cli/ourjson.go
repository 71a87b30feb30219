package cli

import (
	"encoding/json"
	"strconv"
	"strings"
	"time"

	"arbor/mdstore/pattern"
)

// member matches what the command line says in its own way, as it stands in an indented document. No text that is
// quoted in JSON looks so.
var member = pattern.Of(
	`(?m)^( *"(?:createdAt|updatedAt|boundAt|leasedUntil|since|timestamp)": )(".*"|\d+)(,?)$`)

// milliseconds is RFC 3339 as the files count.
const milliseconds = "2006-01-02T15:04:05.000Z07:00"

// ourJSON returns a document as the command line prints it: times are RFC 3339, null for none.
func ourJSON(doc string) string {
	return member().ReplaceAllStringFunc(doc, func(line string) string {
		m := member().FindStringSubmatch(line)
		value, text := m[2], ""
		switch ms, err := strconv.ParseInt(value, 10, 64); {
		case err == nil && ms == 0:
			value = "null"
		case err == nil:
			value = time.UnixMilli(ms).UTC().Format(`"` + milliseconds + `"`)
		case json.Unmarshal([]byte(value), &text) != nil:
		case strings.Contains(m[1], `"timestamp"`):
			if at, err := time.Parse(time.DateTime, text); err == nil {
				value = at.Format(`"` + time.RFC3339 + `"`)
			}
		}
		return m[1] + value + m[3]
	})
}
