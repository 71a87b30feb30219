package pgstore

import (
	"context"
	"strconv"
	"sync/atomic"

	"github.com/jackc/pgx/v5/pgconn"
)

// A prepared has the statements that a connection has prepared: most of the server's work for a statement is to read
// and plan it. A pooler may give each transaction another connection to the server, which has none of them, so they are
// prepared only where the connection is the server's own.
type prepared struct {
	plain *atomic.Bool // of the store: nothing is prepared
	runs  int
	own   bool              // the connection is the server's
	names map[string]string // by text: those that the server has said to have
	next  int               // number of the next name
}

// preparedAfter is how many messages a connection sends before it prepares statements: a command sends few.
const preparedAfter = 8

// preparedMost bounds the statements of one connection.
const preparedMost = 200

// unprepared is PostgreSQL's code for a prepared statement that does not exist.
const unprepared = "26000"

// ready finds out, before the message after the first few, whether statements can be prepared. What a pooler tells as
// the number of the server's process is a number of its own.
func (c conn) ready(ctx context.Context) error {
	if c.runs++; c.runs != preparedAfter || c.plain.Load() || c.TxStatus() != 'I' {
		return nil
	}
	got, err := c.Exec(ctx, "SELECT pg_backend_pid()").ReadAll()
	if err != nil || string(got[0].Rows[0][0]) != strconv.Itoa(int(c.PID())) {
		return err
	}
	// A plan that is made once must not be one for tables that were empty.
	_, err = c.Exec(ctx, "SET plan_cache_mode = force_generic_plan; SET enable_seqscan = off").ReadAll()
	c.own, c.names = err == nil, map[string]string{}
	return err
}

// An asked is a result that the server will send: of a statement, or of its preparation, which has its text and name.
type asked struct{ sql, name string }

// send adds statements to the message.
func (c conn) send(p *pgconn.Pipeline, all []stmt) (expected []asked) {
	for _, s := range all {
		values, types, formats := encode(s.args)
		name, is := c.names[s.sql]
		if !is && c.own && !c.plain.Load() && c.next < preparedMost {
			name, is = "arbor"+strconv.Itoa(c.next), true
			c.next++
			p.SendPrepare(name, s.sql, types)
			expected = append(expected, asked{s.sql, name})
		}
		if is {
			p.SendQueryPrepared(name, values, formats, []int16{1})
		} else {
			p.SendQueryParams(s.sql, values, types, formats, []int16{1})
		}
		expected = append(expected, asked{})
	}
	return expected
}
