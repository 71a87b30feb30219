package osfs

// Boot tells the present run of the operating system from every other one; it is empty where that is not known.
func Boot() string { return boot() }
