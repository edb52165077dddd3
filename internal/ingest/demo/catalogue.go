package demo

import (
	"fmt"
	"math"

	"assay/internal/warehouse"
)

// Sources of the facts.
const (
	sourceShop        = "shopify"
	sourceMarketplace = "amazon_seller"
	sourceShortVideo  = "tiktok_shop"
	sourceSpend       = "manual_spend"
	sourceMessages    = "klaviyo"
	sourceSurvey      = "post_purchase_survey"
	sourceCreators    = "creator_program"
	sourceTraffic     = "web_analytics"
)

// kind is a product family.
type kind struct {
	name, stem, prefix string
	low, high          float64 // prices in whole units of the currency
	demand             float64
	variants           []string
}

var kinds = []kind{
	{"Candle", "Soy Candle", "CND", 22, 46, 1.5, []string{"Cedar & Smoke", "Fig Leaf", "Sea Salt", "Black Tea", "Tomato Vine", "Amber", "Wild Mint", "Orange Blossom", "Rain", "Vanilla Oak"}},
	{"Diffuser", "Reed Diffuser", "DIF", 34, 62, 0.8, []string{"Cedar & Smoke", "Fig Leaf", "Sea Salt", "Black Tea", "Amber", "Wild Mint", "Rain", "Lavender", "Rose", "Linen"}},
	{"Bath", "Bath Soak", "BTH", 16, 34, 1.1, []string{"Lavender", "Eucalyptus", "Rose", "Unscented", "Chamomile", "Ginger", "Juniper", "Oat Milk", "Sea Salt", "Sandalwood"}},
	{"Skincare", "Hand & Body", "SKN", 18, 58, 1.3, []string{"Hand Cream", "Body Lotion", "Body Oil", "Scrub", "Hand Wash", "Balm", "Night Cream", "Face Oil", "Lip Balm Trio", "Deodorant"}},
	{"Textile", "Linen", "LIN", 28, 118, 0.6, []string{"Hand Towel", "Bath Towel", "Robe", "Throw", "Pillowcase", "Apron", "Napkins", "Table Runner", "Waffle Towel", "Eye Pillow"}},
	{"Gift set", "Gift Set", "SET", 58, 148, 0.7, []string{"Starter", "Evening", "Spa Day", "New Home", "For Her", "For Him", "Discovery", "Holiday", "Four Seasons", "Grand"}},
}

// meanPrice is the average product price, weighted by demand, in whole units of the currency. Random prices are scaled
// to this mean, so stores with different seeds have similar revenue.
const meanPrice = 37.0

// item is a product of the catalog.
type item struct {
	sku, title, kind string
	price, cost      int64
	costKnown        bool
	demand           float64
}

// planCatalogue creates the products with their prices and costs. A few products sell often; most sell rarely. On
// average, one product in eight has no known cost.
func (p *plan) planCatalogue() []item {
	r := p.stream("catalogue")
	var items []item
	var prices []float64
	spent, sold := 0.0, 0.0
	for _, k := range kinds {
		for i, n := range r.Perm(len(k.variants)) {
			item := item{
				sku: fmt.Sprintf("%s-%03d", k.prefix, 10*(n+1)), title: k.stem + " - " + k.variants[n], kind: k.name,
				demand: k.demand / math.Pow(float64(i+1), 0.9) * scatter(r, 0.2), costKnown: !chance(r, 0.125),
			}
			prices = append(prices, between(r, k.low, k.high))
			spent, sold = spent+item.demand*prices[len(prices)-1], sold+item.demand
			items = append(items, item)
		}
	}
	for i := range items {
		price := math.Round(prices[i]*meanPrice*sold/spent) - 0.05
		items[i].price, items[i].cost = p.minor(price), p.minor(price*between(r, 0.22, 0.41))
	}
	return items
}

func (p *plan) emitCatalogue(out *feed) {
	for _, i := range p.catalogue {
		out.batch.Products = append(out.batch.Products, warehouse.Product{
			Source: sourceShop, SKU: i.sku, Title: i.title, Kind: i.kind, Vendor: StoreName, Price: i.price,
		})
		if i.costKnown {
			out.batch.Costs = append(out.batch.Costs, warehouse.ProductCost{Source: sourceShop, SKU: i.sku, Cost: i.cost})
		}
		out.added(1)
	}
}
