package disk

// Boot returns what tells the present run of the operating system from every other one. For as long as it is the same, each call that was made to the disk is seen
// by all, durable or not. It is empty where that is not known.
func Boot(d FS) string {
	b, ok := d.(interface{ Boot() string })
	if !ok {
		return ""
	}
	return b.Boot()
}

// Boot is the function.
func (r Root) Boot() string { return boot() }
