package pgstore

import (
	"context"
	"crypto/tls"
	"encoding/binary"
	"errors"
	"fmt"
	"net"
	"strconv"
	"time"

	"github.com/jackc/pgx/v5/pgconn"
)

const (
	connectTime = 5 * time.Second
	keepAlive   = 15 * time.Second
	answerTime  = time.Minute // how long statements may take, unless their context ends earlier
	patience    = 5 * time.Second
	mostConns   = 8 // of one store
	idleConns   = 5 // kept open between calls: an Update needs two, those that wait for the disk one each
)

// A stmt is an SQL statement with the values of $1, $2 and so on: string, []byte, int64, []string or [][]byte.
type stmt struct {
	sql  string
	args []any
}

func sql(text string, args ...any) stmt { return stmt{text, args} }

// A conn is a connection to the server.
type conn struct {
	*pgconn.PgConn
	*prepared
}

// run sends the statements in one message and returns the rows of each, with values in PostgreSQL's binary form. At the
// first error the server leaves out the rest; results has those before it.
func (c conn) run(ctx context.Context, all ...stmt) (results [][][][]byte, err error) {
	return c.runTwo(ctx, all, nil, nil)
}

// runTwo is run, and calls between as soon as the server has done the first of the statements.
func (c conn) runTwo(ctx context.Context, first []stmt, between func(), then []stmt) (results [][][][]byte, err error) {
	ctx, cancel := context.WithTimeout(ctx, answerTime)
	defer cancel()
	if err := c.ready(ctx); err != nil {
		return nil, lostError{err}
	}
	p := c.StartPipeline(ctx)
	asked := c.send(p, first)
	if between != nil {
		p.SendFlushRequest()
	}
	asked = append(asked, c.send(p, then)...)
	err = p.Sync()
	for _, a := range asked {
		if err != nil {
			break
		}
		var got any
		got, err = p.GetResults()
		switch r, rows := got.(*pgconn.ResultReader); {
		case err != nil:
		case !rows:
			c.names[a.sql] = a.name
		default:
			read := r.Read()
			if err = read.Err; err == nil {
				results = append(results, read.Rows)
			}
			if err == nil && between != nil && len(results) == len(first) {
				between()
			}
		}
	}
	if ended := p.Close(); err == nil {
		err = ended
	}
	if err != nil && codeOf(err) == "" {
		err = lostError{err}
	}
	return results, err
}

// The numbers of PostgreSQL's types.
const (
	oidBytes, oidInt8, oidText  = 17, 20, 25
	oidTextArray, oidBytesArray = 1009, 1001
)

const textForm, binaryForm = int16(0), int16(1)

func encode(args []any) (values [][]byte, types []uint32, formats []int16) {
	for _, arg := range args {
		switch v := arg.(type) {
		case string:
			values, types, formats = append(values, []byte(v)), append(types, oidText), append(formats, textForm)
		case []byte:
			values, types, formats = append(values, v), append(types, oidBytes), append(formats, binaryForm)
		case int64:
			values = append(values, strconv.AppendInt(nil, v, 10))
			types, formats = append(types, oidInt8), append(formats, textForm)
		case []string:
			values = append(values, arrayOf(oidText, v))
			types, formats = append(types, oidTextArray), append(formats, binaryForm)
		case [][]byte:
			values = append(values, arrayOf(oidBytes, v))
			types, formats = append(types, oidBytesArray), append(formats, binaryForm)
		default:
			panic(fmt.Sprintf("pgstore: no form for a value of type %T", arg))
		}
	}
	return values, types, formats
}

func arrayOf[T ~string | ~[]byte](of uint32, all []T) []byte {
	if len(all) == 0 {
		return binary.BigEndian.AppendUint32(make([]byte, 8), of)
	}
	out := binary.BigEndian.AppendUint32([]byte{0, 0, 0, 1, 0, 0, 0, 0}, of)
	out = binary.BigEndian.AppendUint32(out, uint32(len(all)))
	out = binary.BigEndian.AppendUint32(out, 1)
	for _, v := range all {
		out = append(binary.BigEndian.AppendUint32(out, uint32(len(v))), v...)
	}
	return out
}

// texts undoes arrayOf. Another program may have written the array: ok is false unless it has one dimension and no
// NULL.
func texts(array []byte) (all []string, ok bool) {
	if len(array) < 12 || binary.BigEndian.Uint32(array) == 0 {
		return nil, true
	}
	if len(array) < 20 || binary.BigEndian.Uint32(array) != 1 {
		return nil, false
	}
	for array = array[20:]; len(array) >= 4; {
		n := int64(binary.BigEndian.Uint32(array))
		if n > int64(len(array)-4) { // NULL has the length -1
			return nil, false
		}
		all, array = append(all, string(array[4:4+n])), array[4+n:]
	}
	return all, true
}

func number(b []byte) int64 {
	if len(b) != 8 {
		return 0
	}
	return int64(binary.BigEndian.Uint64(b))
}

func truth(b []byte) bool { return len(b) == 1 && b[0] == 1 }

// codeOf returns PostgreSQL's code of an error that the server reported, "" for any other error.
func codeOf(err error) string {
	if e, ok := errors.AsType[*pgconn.PgError](err); ok {
		return e.Code
	}
	return ""
}

// A lostError says that the connection broke, or that none could be made.
type lostError struct{ error }

func (e lostError) Unwrap() error { return e.error }

// lost reports whether an error says that the connection broke, or that the server takes none at this moment: it
// starts, ends, is a standby, or has too many.
func lost(err error) bool {
	if code := codeOf(err); len(code) == 5 {
		class := code[:2]
		return class == "08" || class == "53" || class == "57" && code != "57014" || code == "25006" || code == unprepared
	}
	_, is := errors.AsType[lostError](err)
	return is
}

// get returns a connection, an idle one if there is one.
func (s *Store) get(ctx context.Context) (conn, error) {
	if err := ctx.Err(); err != nil {
		return conn{}, err
	}
	select {
	case s.slots <- struct{}{}:
	case <-ctx.Done():
		return conn{}, ctx.Err()
	}
	for {
		select {
		case c := <-s.idle:
			if !c.IsClosed() {
				return c, nil
			}
			continue
		default:
		}
		p, err := pgconn.ConnectConfig(ctx, s.address.config)
		if err != nil {
			<-s.slots
			if e, ok := errors.AsType[*net.DNSError](err); ok && e.IsNotFound {
				return conn{}, s.unreached(err) // no name comes into being while one waits
			}
			code := codeOf(err)
			if errors.As(err, new(*tls.CertificateVerificationError)) || code != "" && !lost(err) {
				return conn{}, s.unreached(err)
			}
			return conn{}, lostError{err}
		}
		return conn{p, &prepared{plain: &s.plain}}, nil
	}
}

// put gives a connection back. One in the middle of a transaction is closed, which ends the transaction.
func (s *Store) put(c conn) {
	if !c.IsClosed() && !c.IsBusy() && c.TxStatus() == 'I' {
		select {
		case s.idle <- c:
			<-s.slots
			return
		default:
		}
	}
	drop(c.PgConn)
	<-s.slots
}

func drop(c *pgconn.PgConn) {
	ctx, cancel := context.WithTimeout(context.Background(), time.Second)
	defer cancel()
	_ = c.Close(ctx)
}

// query runs statements that only read, or that may be made twice. If the connection was lost, it tries anew for a
// while: a server that restarts, or a standby that takes over, answers again soon.
func (s *Store) query(ctx context.Context, all ...stmt) (results [][][][]byte, err error) {
	err = s.again(ctx, func() error {
		c, err := s.get(ctx)
		if err != nil {
			return err
		}
		defer s.put(c)
		results, err = c.run(ctx, all...)
		return err
	})
	return results, err
}

// again calls f until its error is not that of a lost connection, for at most as long as patience.
func (s *Store) again(ctx context.Context, f func() error) error {
	began, pause := time.Now(), 10*time.Millisecond
	for {
		err := f()
		if ctx.Err() != nil && err != nil {
			return fmt.Errorf("%w (%v)", ctx.Err(), err)
		}
		if !lost(err) {
			return err
		}
		if codeOf(err) == unprepared {
			s.plain.Store(true)
		}
		s.doubt.Store(true)
		if time.Since(began) > s.patience {
			return s.unreached(err)
		}
		select {
		case <-time.After(pause):
			pause = min(2*pause, time.Second/2)
		case <-ctx.Done():
		}
	}
}
