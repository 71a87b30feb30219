package importtanmi

import (
	"fmt"
	"strings"
	"time"

	"arbor/mdstore"
)

// shift makes UTC of the local times of a log. The zero shift changes nothing.
type shift struct {
	zone *time.Location
	why  string
}

// shiftFor returns how the times of a workspace's logs become UTC: by the zone that the caller knows, or by the distance between the
// entry that says when the workspace was created and the time of creation in workspace.json, which is UTC.
func shiftFor(zone *time.Location, log []mdstore.LogEntry, createdAt int64) shift {
	if zone != nil {
		return shift{zone, "as " + zone.String()}
	}
	for _, e := range log {
		if e.Time == "" || createdAt == 0 || !strings.HasPrefix(e.Event, "工作区 ") || !strings.HasSuffix(e.Event, "已创建") {
			continue
		}
		local, err := time.Parse(mdstore.TimeLayout, e.Time)
		if err != nil {
			break
		}
		const step = 15 * time.Minute // zones differ by quarters of an hour
		gap := local.Sub(time.UnixMilli(createdAt))
		offset := gap.Round(step)
		if (gap-offset).Abs() > 5*time.Second || offset.Abs() > 14*time.Hour {
			break
		}
		if offset == 0 {
			return shift{why: "as UTC, which fits the workspace's time of creation"}
		}
		name := utcOffset(offset)
		return shift{time.FixedZone(name, int(offset/time.Second)), "as " + name + ", which the workspace's time of creation shows"}
	}
	return shift{why: "as UTC, for want of anything better"}
}

func utcOffset(d time.Duration) string {
	sign := '+'
	if d < 0 {
		sign, d = '-', -d
	}
	return fmt.Sprintf("UTC%c%02d:%02d", sign, int(d.Hours()), int(d.Minutes())%60)
}

// apply changes the entries in place.
func (s shift) apply(log []mdstore.LogEntry) {
	if s.zone == nil {
		return
	}
	for i, e := range log {
		if t, err := time.ParseInLocation(mdstore.TimeLayout, e.Time, s.zone); err == nil {
			log[i].Time = t.UTC().Format(mdstore.TimeLayout)
		}
	}
}

// zones remembers how the times of all workspaces were read, for one warning of each way.
type zones struct {
	whys []string
	dirs map[string][]string
}

func (z *zones) add(dir string, s shift) {
	if z.dirs == nil {
		z.dirs = map[string][]string{}
	}
	if z.dirs[s.why] == nil {
		z.whys = append(z.whys, s.why)
	}
	z.dirs[s.why] = append(z.dirs[s.why], dir)
}

func (z *zones) warn(rep *report) {
	for _, why := range z.whys {
		rep.lines = append(rep.lines, oneLine(names(z.dirs[why])+": the logs hold local times without a zone; they are read "+why, maxWarning))
	}
}
