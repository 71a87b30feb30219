// Package jail reads and writes files below a root that nothing leaves.
package jail
