package txn

import (
	"cmp"
	"sync"

	"arbor/mdstore"
	"arbor/mdstore/dirstore/internal/disk"
)

// stage puts the new bytes of every write into a temporary file beside its target, and tries whether the folders of the
// other steps can be changed. The temporaries that it returns are to be made durable, all at once. Where the commit has a record, that is made meanwhile.
func (p *Plan) stage() (temps []mdstore.Path, rec []byte, err error) {
	var in []mdstore.Path
	for _, s := range p.steps {
		dir := s.Path.Dir()
		if !p.folders[dir] {
			if dir, err = p.c.nearest(dir); err != nil {
				return nil, nil, err
			}
		}
		if s.Do != move {
			s.Temp = tempPath(dir, s.Path, s.Base, s.New, p.c.token())
		}
		in = append(in, dir)
	}
	if !p.journal {
		temps, err = p.stageIn(in)
		return temps, nil, err
	}
	var unfit error
	var made sync.WaitGroup
	made.Go(func() { rec, unfit = encodeRecord(record{Boot: disk.Boot(p.c.FS), Steps: p.steps}) })
	temps, err = p.stageIn(in)
	made.Wait()
	return temps, rec, cmp.Or(err, unfit)
}

// stageIn is stage in the folders that there are already.
func (p *Plan) stageIn(in []mdstore.Path) (temps []mdstore.Path, err error) {
	c, tried := p.c, dirs{}
	for i, s := range p.steps {
		dir := in[i]
		switch s.Do {
		case write:
			if err := c.FS.Create(s.Temp, s.New, s.Path); err != nil {
				return nil, err
			}
			temps = append(temps, s.Temp)
			tried[dir] = true
		case move:
			above, err := c.nearest(s.To.Dir())
			if err != nil {
				return nil, err
			}
			if err := c.try(tried, above); err != nil {
				return nil, err
			}
			fallthrough
		case remove:
			if err := c.try(tried, dir); err != nil {
				return nil, err
			}
		}
	}
	return temps, nil
}

// try makes and removes a file in dir: what fails here must not fail after the commit point.
func (c *Committer) try(tried dirs, dir mdstore.Path) error {
	if tried[dir] {
		return nil
	}
	t := tempPath(dir, "", nil, nil, c.token())
	if err := c.FS.Create(t, nil, ""); err != nil {
		_ = c.FS.Remove(t)
		return err
	}
	tried[dir] = true
	return c.FS.Remove(t)
}

// putTemp makes a durable temporary file. like is the file that it will replace.
func (c *Committer) putTemp(t mdstore.Path, data []byte, like mdstore.Path) error {
	err := c.FS.Create(t, data, like)
	if err == nil {
		err = c.FS.Sync(t)
	}
	return err
}

// unstage removes the temporaries of a commit that is not made. One that cannot be removed is left as a stray, and so is one that holds something else by now: somebody's save,
// for which there was no other place.
func (c *Committer) unstage(steps []*step) {
	for _, s := range steps {
		if s.Do != write || s.Temp == "" {
			continue
		}
		held, err := c.read(s.Temp)
		switch {
		case err == nil && held == nil:
		case err == nil && len(held) <= len(s.New) && same(held, s.New[:len(held)]): // or as much of it as could be written
			_ = c.FS.Remove(s.Temp)
		default:
			c.logger().Warn("a temporary file stays", "path", string(s.Temp), "error", err)
		}
	}
}
