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
	idleConns   = 3 // kept open between calls: an Update needs two, and a reader beside it one
)

// A stmt is an SQL statement with the values of $1, $2 and so on: string, []byte, int64, []string or [][]byte.
type stmt struct {
	sql  string
	args []any
}

func sql(text string, args ...any) stmt { return stmt{text, args} }

// Statements are sent without being prepared, so that a pooler which gives each transaction another connection works.
type conn struct{ *pgconn.PgConn }

// run sends the statements in one message and returns the rows of each, with values in PostgreSQL's binary form. At the
// first error the server leaves out the rest; results has those before it.
func (c conn) run(ctx context.Context, all ...stmt) (results [][][][]byte, err error) {
	ctx, cancel := context.WithTimeout(ctx, answerTime)
	defer cancel()
	b := &pgconn.Batch{}
	for _, s := range all {
		values, types, formats := encode(s.args)
		b.ExecParams(s.sql, values, types, formats, []int16{1})
	}
	read, err := c.ExecBatch(ctx, b).ReadAll()
	for _, r := range read {
		if r.Err == nil {
			results = append(results, r.Rows)
		}
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
		return class == "08" || class == "53" || class == "57" && code != "57014" || code == "25006"
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
		return conn{p}, nil
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
	drop(c)
	<-s.slots
}

func drop(c conn) {
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
