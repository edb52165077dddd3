package measure

// Interval is a confidence, credible or prediction interval. A method says which one it returns.
type Interval struct {
	Low, High float64
	Level     float64 // nominal coverage, such as 0.9
}

// Times returns the interval of a multiple, nil for nil.
func (i *Interval) Times(factor float64) *Interval {
	if i == nil {
		return nil
	}
	return &Interval{Low: min(i.Low*factor, i.High*factor), High: max(i.Low*factor, i.High*factor), Level: i.Level}
}
