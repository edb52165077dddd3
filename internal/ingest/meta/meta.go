// Package meta reads reports of Meta Ads Manager, in the languages in which they are exported.
package meta

import (
	"assay/internal/ingest/adreport"
	"assay/internal/ingest/source"
	"assay/internal/measure"
)

// Ads returns the reader of the Ads Manager report at the level of campaigns, ad sets or ads.
func Ads() source.Reader {
	return adreport.New(adreport.Spec{
		Name:     "meta_ads",
		Title:    "Meta Ads Manager report",
		Platform: measure.Facebook,
		Columns:  columns,
		Required: []string{adreport.Campaign, adreport.Spend},
		Telltale: telltale,
		Daily:    "export the report again with Breakdown > By time > Day",
	})
}

// telltale are columns that every Ads Manager report has and no other platform's.
var telltale = []string{
	"reporting starts", "amount spent", "attribution setting",
	"berichtsstart", "auswertungsbeginn", "debut des rapports", "inicio del informe",
}

// columns gives the names in English, German, French and Spanish. Meta counts two kinds of clicks; those on a
// link are the ones that can lead to the shop.
var columns = []source.Column{
	{Field: adreport.Day, Names: []string{"day", "tag", "jour", "dia"}},
	{Field: adreport.Starts, Names: []string{"reporting starts", "berichtsstart", "auswertungsbeginn", "debut des rapports", "inicio del informe"}},
	{Field: adreport.Ends, Names: []string{"reporting ends", "berichtsende", "auswertungsende", "fin des rapports", "fin del informe"}},
	{Field: adreport.Account, Names: []string{
		"account id", "account name", "konto-id", "werbekonto-id", "kontoname", "identifiant du compte", "nom du compte",
		"identificador de la cuenta", "nombre de la cuenta",
	}},
	{Field: adreport.Currency, Names: []string{"currency", "wahrung", "devise", "divisa"}},
	{Field: adreport.CampaignID, Names: []string{"campaign id", "kampagnen-id", "identifiant de la campagne", "id de campagne", "identificador de la campana"}},
	{Field: adreport.Campaign, Names: []string{"campaign name", "kampagnenname", "name der kampagne", "nom de la campagne", "nombre de la campana"}},
	{Field: adreport.AdSetID, Names: []string{
		"ad set id", "anzeigengruppen-id", "identifiant de l'ensemble de publicites", "identificador del conjunto de anuncios",
	}},
	{Field: adreport.AdSet, Names: []string{
		"ad set name", "anzeigengruppenname", "name der anzeigengruppe", "nom de l'ensemble de publicites", "nombre del conjunto de anuncios",
	}},
	{Field: adreport.AdID, Names: []string{"ad id", "anzeigen-id", "werbeanzeigen-id", "identifiant de la publicite", "identificador del anuncio"}},
	{Field: adreport.Ad, Names: []string{
		"ad name", "anzeigenname", "name der anzeige", "name der werbeanzeige", "nom de la publicite", "nombre del anuncio",
	}},
	{Field: adreport.Country, Names: []string{"country", "land", "pays", "pais"}},
	{Field: adreport.Region, Names: []string{"region", "dma region"}},
	{Field: adreport.Impressions, Names: []string{"impressions", "impressionen", "impresiones"}},
	{Field: adreport.Clicks, Names: []string{
		"link clicks", "link-klicks", "linkklicks", "clics sur un lien", "clics sur le lien", "clics en el enlace",
		"clicks (all)", "klicks (alle)", "clics (tous)", "clics (todos)",
	}},
	{Field: adreport.Spend, Names: []string{"amount spent", "ausgegebener betrag", "montant depense", "importe gastado"}},
	{Field: adreport.Conversions, Names: []string{"purchases", "website purchases", "kaufe", "kaufe uber die website", "achats", "achats sur le site web", "compras"}},
	{Field: adreport.Results, Names: []string{"results", "ergebnisse", "resultats", "resultados"}},
	{Field: adreport.Indicator, Names: []string{"result indicator", "ergebnisindikator", "ergebnistyp", "indicateur de resultat", "indicador de resultado"}},
	{Field: adreport.Value, Names: []string{
		"purchases conversion value", "website purchases conversion value", "conversion-wert der kaufe", "conversion-wert fur kaufe",
		"valeur de conversion des achats", "valeur de conversion de l'achat", "valor de conversion de compras",
	}},
	{Field: adreport.Attribution, Names: []string{
		"attribution setting", "attributionseinstellung", "parametre d'attribution", "configuration de atribucion", "configuration de la atribucion",
	}},
}
