package adreport

import (
	"assay/internal/ingest/source"
	"assay/internal/measure"
)

// Exports returns the readers of the reports that users export from the ad platforms' own pages.
func Exports() []source.Reader {
	readers := make([]source.Reader, 0, len(exports))
	for _, spec := range exports {
		readers = append(readers, New(spec))
	}
	return readers
}

// exports has one entry per platform. Documentation and errors show the first name of a column. The other names of the
// column are older names and translations. All names are in the form of [source.Fold].
var exports = []Spec{
	// Ads Manager exports in the language of the user. The reader supports English, German, French and Spanish. Meta
	// reports two kinds of clicks. Link clicks take precedence, because only these clicks can lead to the shop.
	{
		Name:     "meta_ads",
		Title:    "Meta Ads Manager report",
		Platform: measure.Facebook,
		Required: []string{Campaign, Spend},
		Signature: []string{
			"reporting starts", "amount spent", "attribution setting",
			"berichtsstart", "auswertungsbeginn", "debut des rapports", "inicio del informe",
		},
		Daily: "export the report again with Breakdown > By time > Day",
		Columns: []source.Column{
			{Field: Day, Names: []string{"day", "tag", "jour", "dia"}},
			{Field: Starts, Names: []string{"reporting starts", "berichtsstart", "auswertungsbeginn", "debut des rapports", "inicio del informe"}},
			{Field: Ends, Names: []string{"reporting ends", "berichtsende", "auswertungsende", "fin des rapports", "fin del informe"}},
			{Field: Account, Names: []string{
				"account id", "account name", "konto-id", "werbekonto-id", "kontoname", "identifiant du compte", "nom du compte",
				"identificador de la cuenta", "nombre de la cuenta",
			}},
			{Field: Currency, Names: []string{"currency", "wahrung", "devise", "divisa"}},
			{Field: CampaignID, Names: []string{"campaign id", "kampagnen-id", "identifiant de la campagne", "id de campagne", "identificador de la campana"}},
			{Field: Campaign, Names: []string{"campaign name", "kampagnenname", "name der kampagne", "nom de la campagne", "nombre de la campana"}},
			{Field: AdSetID, Names: []string{
				"ad set id", "anzeigengruppen-id", "identifiant de l'ensemble de publicites", "identificador del conjunto de anuncios",
			}},
			{Field: AdSet, Names: []string{
				"ad set name", "anzeigengruppenname", "name der anzeigengruppe", "nom de l'ensemble de publicites", "nombre del conjunto de anuncios",
			}},
			{Field: AdID, Names: []string{"ad id", "anzeigen-id", "werbeanzeigen-id", "identifiant de la publicite", "identificador del anuncio"}},
			{Field: Ad, Names: []string{
				"ad name", "anzeigenname", "name der anzeige", "name der werbeanzeige", "nom de la publicite", "nombre del anuncio",
			}},
			{Field: Country, Names: []string{"country", "land", "pays", "pais"}},
			{Field: Region, Names: []string{"region", "dma region"}},
			{Field: Impressions, Names: []string{"impressions", "impressionen", "impresiones"}},
			{Field: Clicks, Names: []string{
				"link clicks", "link-klicks", "linkklicks", "clics sur un lien", "clics sur le lien", "clics en el enlace",
				"clicks (all)", "klicks (alle)", "clics (tous)", "clics (todos)",
			}},
			{Field: Spend, Names: []string{"amount spent", "ausgegebener betrag", "montant depense", "importe gastado"}},
			{Field: Conversions, Names: []string{"purchases", "website purchases", "kaufe", "kaufe uber die website", "achats", "achats sur le site web", "compras"}},
			{Field: Results, Names: []string{"results", "ergebnisse", "resultats", "resultados"}},
			{Field: Indicator, Names: []string{"result indicator", "ergebnisindikator", "ergebnistyp", "indicateur de resultat", "indicador de resultado"}},
			{Field: Value, Names: []string{
				"purchases conversion value", "website purchases conversion value", "conversion-wert der kaufe", "conversion-wert fur kaufe",
				"valeur de conversion des achats", "valeur de conversion de l'achat", "valor de conversion de compras",
			}},
			{Field: Attribution, Names: []string{
				"attribution setting", "attributionseinstellung", "parametre d'attribution", "configuration de atribucion", "configuration de la atribucion",
			}},
		},
	},
	// Reports of campaigns, ad groups and ads, in English and German. The files start with two lines above the table
	// and end with totals.
	{
		Name:      "google_ads",
		Title:     "Google Ads report",
		Platform:  measure.Google,
		Required:  []string{Campaign, Spend, Impressions},
		Signature: []string{"impr.", "currency code", "wahrungscode", "campaign state", "campaign status"},
		Daily:     "add the segment Time > Day to the report and export it again",
		Columns: []source.Column{
			{Field: Day, Names: []string{"day", "date", "tag"}},
			{Field: Account, Names: []string{"customer id", "account id", "account", "account name", "kundennummer", "konto"}},
			{Field: Currency, Names: []string{"currency code", "currency", "wahrungscode"}},
			{Field: CampaignID, Names: []string{"campaign id", "kampagnen-id"}},
			{Field: Campaign, Names: []string{"campaign", "campaign name", "kampagne"}},
			{Field: AdSetID, Names: []string{"ad group id", "anzeigengruppen-id"}},
			{Field: AdSet, Names: []string{"ad group", "ad group name", "anzeigengruppe"}},
			{Field: AdID, Names: []string{"ad id", "anzeigen-id"}},
			{Field: Ad, Names: []string{"ad name", "ad", "anzeige"}},
			{Field: Country, Names: []string{"country/territory (user location)", "country/territory (matched)", "country/territory", "country", "land"}},
			{Field: Region, Names: []string{"region (user location)", "region (matched)", "region"}},
			{Field: Impressions, Names: []string{"impr.", "impressions", "impressionen"}},
			{Field: Clicks, Names: []string{"clicks", "klicks"}},
			{Field: Spend, Names: []string{"cost", "kosten"}},
			{Field: Conversions, Names: []string{"conversions", "conv."}},
			{Field: Value, Names: []string{"conv. value", "conversion value", "total conv. value", "conv.-wert", "conversion-wert"}},
		},
	},
	// Reports of campaigns, ad groups and ads, as a workbook or as CSV.
	{
		Name:      "tiktok_ads",
		Title:     "TikTok Ads Manager report",
		Platform:  measure.TikTok,
		Required:  []string{Campaign, Spend},
		Signature: []string{"by day", "clicks (destination)", "complete payment", "total complete payment value", "payment completion", "stat time day"},
		Daily:     "add the dimension By Day to the report and export it again",
		Columns: []source.Column{
			{Field: Day, Names: []string{"by day", "date", "day", "stat time day"}},
			{Field: Account, Names: []string{"account id", "advertiser id", "account name", "advertiser name"}},
			{Field: Currency, Names: []string{"currency"}},
			{Field: CampaignID, Names: []string{"campaign id"}},
			{Field: Campaign, Names: []string{"campaign name"}},
			{Field: AdSetID, Names: []string{"ad group id", "adgroup id"}},
			{Field: AdSet, Names: []string{"ad group name", "adgroup name"}},
			{Field: AdID, Names: []string{"ad id"}},
			{Field: Ad, Names: []string{"ad name"}},
			{Field: Country, Names: []string{"country/region", "country", "country code"}},
			{Field: Region, Names: []string{"state/province", "province"}},
			{Field: Impressions, Names: []string{"impressions", "impression"}},
			{Field: Clicks, Names: []string{"clicks (destination)", "destination clicks", "clicks (all)", "clicks"}},
			{Field: Spend, Names: []string{"cost", "spend", "total cost"}},
			{Field: Conversions, Names: []string{"complete payment", "total complete payment", "payment completion", "purchases", "conversions"}},
			{Field: Value, Names: []string{"total complete payment value", "complete payment value", "total payment completion value", "total purchase value"}},
		},
	},
	// This entry describes reports of Sponsored Products, Sponsored Brands and Sponsored Display, as a workbook or as
	// CSV. Amazon has a report for each of these products. Reports of Sponsored Products attribute orders within 7 days
	// of a click, and vendors' reports within 14 days. Reports of the other products attribute orders within 14 days.
	{
		Name:     "amazon_ads",
		Title:    "Amazon Ads report",
		Platform: measure.Amazon,
		Required: []string{Campaign, Spend, Impressions},
		Signature: []string{
			"total advertising cost of sales (acos)", "total return on advertising spend (roas)", "click-thru rate (ctr)",
			"portfolio name", "advertised asin",
		},
		Daily: "set the report's time unit to Daily and export it again",
		Products: []Product{
			{Name: "Sponsored Display", Columns: []string{"cost type", "vcpm", "cost per 1,000 viewable impressions (vcpm)"}},
			{
				Name:    "Sponsored Brands",
				Columns: []string{"14 day total orders (#)", "14 day total sales"},
				Without: []string{"7 day total orders (#)", "7 day total sales", "advertised asin", "advertised sku"},
			},
		},
		Columns: []source.Column{
			{Field: Day, Names: []string{"date"}},
			{Field: Starts, Names: []string{"start date"}},
			{Field: Ends, Names: []string{"end date"}},
			{Field: Account, Names: []string{"account id", "profile id", "account name"}},
			{Field: Currency, Names: []string{"currency"}},
			{Field: CampaignID, Names: []string{"campaign id"}},
			{Field: Campaign, Names: []string{"campaign name"}},
			{Field: AdSetID, Names: []string{"ad group id"}},
			{Field: AdSet, Names: []string{"ad group name"}},
			{Field: AdID, Names: []string{"ad id"}},
			{Field: Ad, Names: []string{"advertised sku", "advertised asin"}},
			{Field: Country, Names: []string{"country"}},
			{Field: Impressions, Names: []string{"impressions"}},
			{Field: Clicks, Names: []string{"clicks"}},
			{Field: Spend, Names: []string{"spend", "cost"}},
			{Field: Conversions, Names: []string{"7 day total orders (#)", "14 day total orders (#)", "30 day total orders (#)"}},
			{Field: Value, Names: []string{"7 day total sales", "14 day total sales", "30 day total sales"}},
		},
	},
	// This entry describes reports of campaigns, ad sets and ads. Snapchat calls a click a swipe up.
	{
		Name:      "snapchat_ads",
		Title:     "Snapchat Ads Manager report",
		Platform:  measure.Snapchat,
		Required:  []string{Campaign, Spend},
		Signature: []string{"swipe ups", "paid impressions", "ecpsu", "swipes"},
		Daily:     "break the report down by day and export it again",
		Columns: []source.Column{
			{Field: Day, Names: []string{"date", "day"}},
			{Field: Starts, Names: []string{"start time", "start date"}},
			{Field: Ends, Names: []string{"end time", "end date"}},
			{Field: Account, Names: []string{"ad account id", "account id", "ad account name"}},
			{Field: Currency, Names: []string{"currency"}},
			{Field: CampaignID, Names: []string{"campaign id"}},
			{Field: Campaign, Names: []string{"campaign name"}},
			{Field: AdSetID, Names: []string{"ad set id", "ad squad id"}},
			{Field: AdSet, Names: []string{"ad set name", "ad squad name"}},
			{Field: AdID, Names: []string{"ad id"}},
			{Field: Ad, Names: []string{"ad name"}},
			{Field: Country, Names: []string{"country"}},
			{Field: Region, Names: []string{"region"}},
			{Field: Impressions, Names: []string{"paid impressions", "impressions"}},
			{Field: Clicks, Names: []string{"swipe ups", "swipes", "clicks"}},
			{Field: Spend, Names: []string{"spend", "amount spent"}},
			{Field: Conversions, Names: []string{"purchases", "conversion purchases"}},
			{Field: Value, Names: []string{"purchases value", "conversion purchases value"}},
		},
	},
}
