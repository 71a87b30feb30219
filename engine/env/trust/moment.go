package trust

import (
	"encoding/json"
	"time"
)

// A Moment is a time in Unix milliseconds, as JSON has all times; 0 for none.
type Moment int64

// momentOf returns a time as a Moment.
func momentOf(t time.Time) Moment { return Moment(t.UnixMilli()) }

// Time returns the moment as a time of this machine.
func (m Moment) Time() time.Time { return time.UnixMilli(int64(m)) }

// UnmarshalJSON reads milliseconds, and the text in the form of RFC 3339 that earlier versions wrote.
func (m *Moment) UnmarshalJSON(data []byte) error {
	if len(data) == 0 || data[0] != '"' {
		return json.Unmarshal(data, (*int64)(m))
	}
	var t time.Time
	if err := json.Unmarshal(data, &t); err != nil {
		return err
	}
	*m = momentOf(t)
	return nil
}
