package main

import (
	"io"
	"time"

	"github.com/schollz/progressbar/v3"
)

// progress shows a progress bar on a terminal, and nothing elsewhere.
type progress struct {
	w     io.Writer
	title string
	bar   *progressbar.ProgressBar
}

func newProgress(w io.Writer, title string) *progress { return &progress{w: w, title: title} }

// set updates the bar. A total of 0 means unknown.
func (p *progress) set(done, total int64) {
	if !isTerminal(p.w) {
		return
	}
	if p.bar == nil {
		if total == 0 {
			total = -1
		}
		p.bar = progressbar.NewOptions64(total,
			progressbar.OptionSetWriter(p.w),
			progressbar.OptionSetDescription(p.title),
			progressbar.OptionThrottle(100*time.Millisecond),
			progressbar.OptionSetPredictTime(true),
			progressbar.OptionSetWidth(30),
			progressbar.OptionClearOnFinish(),
		)
	}
	_ = p.bar.Set64(done)
}

// end clears the bar.
func (p *progress) end() {
	if p.bar != nil {
		_ = p.bar.Finish()
		p.bar = nil
	}
}
