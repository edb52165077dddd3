package demo

import (
	"crypto/hmac"
	"crypto/sha256"
	"encoding/base64"
	"fmt"
	"math/rand/v2"

	"assay/internal/measure"
)

// Parameters of the purchase process. After each order, a shopper remains a customer with an individual probability.
// The shopper returns after an exponentially distributed interval with an individual mean. The probability has a Beta
// distribution, and the mean interval has a lognormal distribution. Shoppers from some channels remain customers more
// often.
const (
	stayA, stayB   = 1.00, 1.60
	meanGap        = 62.0 // days
	gapSpread      = 0.6  // standard deviation of the log of a shopper's mean interval
	shortestGap    = 3.0
	wholesaleStay  = 0.93
	wholesaleGap   = 32.0
	salePullsAhead = 8 // days by which a sale advances later purchases
)

// loyalty contains, for each acquisition channel, a multiplier of the probability that a shopper remains a customer.
var loyalty = map[measure.Channel]float64{
	facebook: 0.95, google: 1.02, tiktok: 0.72, snapchat: 0.62, amazon: 0.90, podcast: 1.20, influencer: 1.05, affiliate: 0.60,
	"": 1.12,
}

// shopper is a customer of one surface.
type shopper struct {
	wonBy measure.Channel // "" without spend
	stay  float64
	gap   float64 // days
	level float64 // relative size of the shopper's baskets, around 1
}

// shoppers contains all customers so far and the days of their next visits.
type shoppers struct {
	r     *rand.Rand
	all   []shopper
	due   [surfaceCount][][]int32 // by day
	ready [surfaceCount][]int32   // ready to buy
}

func (p *plan) newShoppers() *shoppers {
	s := &shoppers{r: p.stream("shoppers")}
	for surface := range s.due {
		s.due[surface] = make([][]int32, p.opt.Days+p.opt.Future+salePullsAhead+1)
	}
	return s
}

// open adds the shoppers with their next visit on a given day to the ready shoppers. On sale days, it also adds the
// shoppers with a visit in the following [salePullsAhead] days.
func (s *shoppers) open(t int, onSale bool) {
	last := t
	if onSale {
		last = t + salePullsAhead
	}
	for surface := range s.due {
		for day := t; day <= last; day++ {
			s.ready[surface] = append(s.ready[surface], s.due[surface][day]...)
			s.due[surface][day] = nil
		}
	}
}

// guests contains, for each surface, the share of orders without a customer.
var guests = [surfaceCount]float64{online: 0.02, marketplace: 0.03, shortVideo: 0.05, retail: 0.55}

// serve draws the customer of an order: a guest (-1), a returning customer or a new customer. Orders caused by spend
// are mostly from new customers. Other orders are mostly from returning customers.
func (s *shoppers) serve(c cause) (who int, isNew bool) {
	if chance(s.r, guests[c.surface]) {
		return -1, true
	}
	back := 0.96
	if c.medium != nil {
		back = 0.15
	}
	ready := s.ready[c.surface]
	if len(ready) > 0 && chance(s.r, back) {
		i := s.r.IntN(len(ready))
		who := ready[i]
		ready[i] = ready[len(ready)-1]
		s.ready[c.surface] = ready[:len(ready)-1]
		return int(who), false
	}
	s.all = append(s.all, s.newShopper(c))
	return len(s.all) - 1, true
}

func (s *shoppers) newShopper(c cause) shopper {
	won := shopper{level: scatter(s.r, 0.25)}
	if c.medium != nil {
		won.wonBy = c.medium.channel
	}
	if c.surface == wholesale {
		won.stay, won.gap = wholesaleStay, wholesaleGap*scatter(s.r, 0.3)
		return won
	}
	won.stay = min(0.95, share(s.r, stayA, stayB)*loyalty[won.wonBy])
	won.gap = meanGap * scatter(s.r, gapSpread)
	return won
}

// after plans the next visit of a shopper.
func (s *shoppers) after(who, surface, t int) {
	shopper := s.all[who]
	if !chance(s.r, shopper.stay) {
		return
	}
	next := t + int(shortestGap+shopper.gap*s.r.ExpFloat64())
	if next < len(s.due[surface]) {
		s.due[surface][next] = append(s.due[surface][next], int32(who))
	}
}

// hashed returns the keyed hash of a shopper's email address, as the file readers compute it.
func (f *frame) hashed(who int) string {
	mac := hmac.New(sha256.New, f.opt.HashKey)
	_, _ = fmt.Fprintf(mac, "shopper%d@example.com", who)
	return base64.RawURLEncoding.EncodeToString(mac.Sum(nil)[:9])
}
