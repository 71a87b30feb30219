package mdoc

import "errors"

func asEditError(err error, target **EditError) bool { return errors.As(err, target) }
