package measure_test

import (
	"math"
	"math/rand/v2"
	"testing"

	"gonum.org/v1/gonum/stat/distuv"

	"assay/internal/measure"
)

func channelReturn(value, sd float64) measure.Estimate {
	return measure.Estimate{Value: value, Interval: measure.NormalInterval(value, sd, 0.9)}
}

// The spend-weighted mean of the campaigns' returns is the channel's return. The estimate of a campaign with few orders
// is near the channel's return. With many orders, it is near the campaign's own return.
func TestCampaignsShrinkToTheirChannel(t *testing.T) {
	t.Parallel()
	campaigns := []measure.Campaign{
		{Spend: 1000, Value: 4000, Orders: 400}, {Spend: 1000, Value: 1000, Orders: 100}, {Spend: 20, Value: 400, Orders: 4}, {Spend: 50},
	}
	got := measure.CampaignReturns(channelReturn(2, 0.2), campaigns)
	var spend, revenue float64
	for i, c := range campaigns {
		spend, revenue = spend+c.Spend, revenue+c.Spend*got[i].Value
	}
	if math.Abs(revenue/spend-2) > 1e-9 {
		t.Errorf("the campaigns return %v, want the channel's 2", revenue/spend)
	}
	if r := got[0].Value / got[1].Value; r < 3 || r > 4 {
		t.Errorf("two campaigns with many orders: %v and %v, want nearly 4 times", got[0].Value, got[1].Value)
	}
	// The third campaign's own orders return 20 per unit of spend, 8 times the channel's return.
	if r := got[2].Value / 2; r < 1 || r > 6 {
		t.Errorf("a campaign with 4 orders returns %v times the channel, want it between the channel and its own 8", r)
	}
	if !(got[2].High-got[2].Low > 0) || got[3].Value <= 0 || got[3].Value > 2 {
		t.Errorf("small campaigns: %v, %v", got[2], got[3])
	}
	alone := measure.CampaignReturns(channelReturn(2, 0.2), campaigns[:1])
	if math.Abs(alone[0].Value-2) > 1e-9 {
		t.Errorf("a channel's only campaign returns %v, want the channel's 2", alone[0].Value)
	}
	for _, e := range measure.CampaignReturns(channelReturn(2, 0.2), []measure.Campaign{{}, {Spend: 5, Value: -3}}) {
		if math.IsNaN(e.Value) || math.IsNaN(e.Low) {
			t.Errorf("campaigns without evidence: %v", e)
		}
	}
}

// 90% intervals have nominal coverage if campaigns differ as assumed. Relative returns are log-normal, and factors have
// a standard deviation of 0.3. The channel's return has a standard error of 0.2, and order values have a coefficient of
// variation of 1.
func TestIntervalsOfCampaignsCoverTheirReturns(t *testing.T) {
	t.Parallel()
	r := rand.New(rand.NewPCG(5, 8))
	const stores, perStore = 600, 6
	inside := 0
	for range stores {
		channel := 2 * math.Exp(0.1*r.NormFloat64())
		var campaigns []measure.Campaign
		var truth []float64
		var spend, caused float64
		for range perStore {
			c := measure.Campaign{Spend: 500 * math.Exp(r.NormFloat64())}
			own := math.Exp(0.5 * r.NormFloat64())
			n := int(distuv.Poisson{Lambda: c.Spend * own / 20, Src: r}.Rand())
			c.Orders = float64(n)
			for range n {
				c.Value += 50 * r.ExpFloat64()
			}
			campaigns = append(campaigns, c)
			truth = append(truth, own*math.Exp(0.3*r.NormFloat64()))
			spend, caused = spend+c.Spend, caused+c.Spend*truth[len(truth)-1]
		}
		estimate := channelReturn(channel+0.2*r.NormFloat64(), 0.2)
		for i, e := range measure.CampaignReturns(estimate, campaigns) {
			if true := truth[i] * channel * spend / caused; e.Low <= true && true <= e.High {
				inside++
			}
		}
	}
	if share := float64(inside) / (stores * perStore); share < 0.85 || share > 0.95 {
		t.Errorf("%.3f of the 90%% intervals cover the return", share)
	} else {
		t.Logf("coverage %.3f", share)
	}
}
