package demo

import (
	"math"
	"math/rand/v2"
	"strings"

	"assay/internal/measure"
	"assay/internal/warehouse"
)

// creatorSpec is a creator who promotes the store.
type creatorSpec struct {
	name, handle, platform string
	size                   float64 // size of the audience, relative to other creators
	gifted                 bool    // paid in products
}

var creatorSpecs = []creatorSpec{
	{"Maya Glow", "mayaglow", "instagram", 3.0, false},
	{"The Slow Home", "theslowhome", "youtube", 2.6, false},
	{"Jonah Reed", "jonahreads", "tiktok", 2.4, false},
	{"Lena Park", "lenaparkhome", "instagram", 2.0, false},
	{"Candle Court", "candlecourt", "tiktok", 1.8, false},
	{"Priya Nair", "priyaunwinds", "instagram", 1.6, false},
	{"Marcus Bell", "marcusbell", "youtube", 1.4, false},
	{"Sofia Ruiz", "sofiaruiz", "tiktok", 1.3, false},
	{"Two Tiny Rooms", "twotinyrooms", "instagram", 1.1, false},
	{"Ava Lindqvist", "avalindqvist", "tiktok", 1.0, false},
	{"Gift Lab", "giftlab", "youtube", 0.9, false},
	{"Noor Haddad", "noorathome", "instagram", 0.8, false},
	{"Ben Okafor", "benokafor", "tiktok", 0.6, false},
	{"Clara Moss", "claramoss", "instagram", 0.4, true},
	{"Quiet Corner", "quietcorner", "youtube", 0.3, true},
	{"Tess Wilder", "tesswilder", "tiktok", 0.25, true},
}

// creator is a creator of one store.
type creator struct {
	creatorSpec
	id, code, link, referral string
	posts                    []post
	echo                     []float64 // by day: adstock of fees x the creator's effectiveness
}

// post is a paid or gifted mention.
type post struct {
	day int
	fee int64 // minor units
}

// planCreators plans posts and fees. On the day of a post, the fee is spend of the channel influencer.
func (p *plan) planCreators() []creator {
	creators := make([]creator, len(creatorSpecs))
	spec := mediaSpecs[mediumAt(influencer)]
	weights, sizes := spec.adstock.weights(), 0.0
	for _, c := range creatorSpecs {
		sizes += c.size
	}
	for i, who := range creatorSpecs {
		on := p.onDays("creator", who.handle)
		r := on(0)
		c := creator{creatorSpec: who, id: newUUID(r), echo: make([]float64, p.span)}
		c.code = strings.ToUpper(strings.ReplaceAll(who.handle, "the", "")) + "15"
		c.link, c.referral = "demo.store/"+who.handle, "demo.store/r/"+who.handle
		gap := between(r, 14, 30)
		fee := spendShare * spec.share * p.dailyRevenue() * p.unit * who.size / sizes * gap
		mention := func(r *rand.Rand, day float64) float64 {
			price := int64(math.Round(fee * math.Pow(growthPerYear[online], day/365.25) * scatter(r, 0.25)))
			if price > 0 {
				c.posts = append(c.posts, post{int(day), price})
			}
			return day + gap*between(r, 0.5, 1.5)
		}
		day := gap * r.Float64()
		for int(day) < p.opt.Days-1 {
			day = mention(r, day)
		}
		effect := scatter(r, 0.35)
		for int(day) < p.span && p.span > p.opt.Days {
			day = mention(on(p.opt.Days), day)
		}
		carry(weights, c.fees(p.span), c.echo)
		scale(c.echo, effect)
		creators[i] = c
	}
	return creators
}

// fees returns the creator's fees by day.
func (c creator) fees(span int) []float64 {
	days := make([]float64, span)
	for _, post := range c.posts {
		days[post.day] += float64(post.fee)
	}
	return days
}

func mediumAt(c measure.Channel) int {
	for i, spec := range mediaSpecs {
		if spec.channel == c {
			return i
		}
	}
	return -1
}

// creatorSpend returns the cost of all creators by day, in minor units.
func (p *plan) creatorSpend() []float64 {
	days := make([]float64, p.span)
	for _, c := range p.creators {
		for t, fee := range c.fees(p.span) {
			days[t] += fee
		}
	}
	return days
}

// creatorPicker draws the creator of an order on a day.
func (p *plan) creatorPicker(t int) picker {
	weights := make([]float64, len(p.creators))
	for i, c := range p.creators {
		weights[i] = c.echo[t]
	}
	return newPicker(weights)
}

func (p *plan) emitCreators(out *feed) {
	b := &out.batch
	for _, c := range p.creators {
		b.Creators = append(b.Creators, warehouse.Creator{
			Source: sourceCreators, ID: c.id, Name: c.name, Handle: "@" + c.handle, Platform: c.platform,
		})
		b.CreatorCodes = append(b.CreatorCodes, warehouse.CreatorCode{Creator: c.id, Code: c.code})
		kind := "fee"
		if c.gifted {
			kind = "product"
		}
		for _, post := range c.posts {
			b.CreatorCosts = append(b.CreatorCosts, warehouse.CreatorCost{
				Source: sourceCreators, Creator: c.id, Day: p.day(post.day), Kind: kind, Amount: post.fee,
			})
		}
		out.added(2 + len(c.posts))
	}
}

// linkUse contains the use of a creator's links on a day.
type linkUse struct{ orders, revenue [2]int64 }

// emitLinks writes the clicks, orders and revenue of each creator's links by day. Clicks are drawn in proportion to the
// creator's reach, plus one to four clicks per order.
func (p *plan) emitLinks(out *feed, sold *sales) {
	kinds := [2]string{"vanity", "referral"}
	for i, c := range p.creators {
		r := p.stream("links", c.handle)
		for t := range p.opt.Days {
			use := sold.links[i][t]
			for k, link := range [2]string{c.link, c.referral} {
				reach := c.echo[t] / p.unit * (0.5 - 0.35*float64(k)) * p.dayShare(t)
				clicks := count(r, reach) + use.orders[k]*int64(whole(r, 1, 4))
				if clicks == 0 {
					continue
				}
				out.batch.LinkDays = append(out.batch.LinkDays, warehouse.LinkDay{
					Source: sourceCreators, Creator: c.id, Link: link, Kind: kinds[k], Day: p.day(t),
					Clicks: clicks, Orders: use.orders[k], Revenue: use.revenue[k],
				})
				out.added(1)
			}
		}
	}
}
