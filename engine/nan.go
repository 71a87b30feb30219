package engine

import "math"

// nan stands for an order that is not given.
var nan = math.NaN()
