package mdoc

// Equal reports whether the field has this value already, in whatever form it is written.
func (v Scalar) Equal(f Field) bool {
	if v.kind == Null || f.Kind == Null || f.Kind == Nested {
		return v.kind == f.Kind
	}
	return v.kind == f.Kind && v.text == f.Value
}
