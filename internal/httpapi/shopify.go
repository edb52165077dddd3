package httpapi

import (
	"cmp"
	"errors"
	"io"
	"mime"
	"net/http"
	"net/netip"
	"strings"
	"time"

	"assay/internal/bodybudget"
	"assay/internal/fault"
	"assay/internal/mcp"
)

// maxShopMessage is the maximum size of a webhook message in bytes. An order has a few kilobytes.
const maxShopMessage = 8 << 20

// ShopMessage is a webhook message as received. Only its body is signed.
type ShopMessage struct {
	Workspace string
	From      netip.Addr // the client address, for the memory budget of bodies
	Topic     string
	ID        string // "" if the shop sends none
	Shop      string
	Signature string
	Sent      time.Time // zero if the shop does not report it
	Body      io.Reader // at most 8 MiB
}

type shopResult struct {
	Status string `json:"status,omitempty"`
	Error  string `json:"error,omitempty"`
}

// shopify serves POST /api/webhooks/shopify/{workspace}. It does not disclose what is wrong with a credential.
func (s *service) shopify(x *exchange, r *http.Request) {
	if media, _, err := mime.ParseMediaType(r.Header.Get("Content-Type")); err != nil || media != "application/json" || isCoded(r.Header) {
		x.fail(mcp.WrongMediaType, nil)
		return
	}
	if r.ContentLength > maxShopMessage {
		x.Header().Set("Connection", "close") // the body is not read
		x.json(http.StatusRequestEntityTooLarge, shopTooLarge)
		return
	}
	if s.Shopify == nil {
		x.json(http.StatusServiceUnavailable, mustJSON(shopResult{Error: "this service does not accept messages"}))
		return
	}
	sent, err := time.Parse(time.RFC3339Nano, r.Header.Get("X-Shopify-Triggered-At"))
	if err != nil {
		sent = time.Time{}
	}
	body := &arriving{Reader: http.MaxBytesReader(x, r.Body, maxShopMessage)}
	outcome, err := s.Shopify(r.Context(), ShopMessage{
		Workspace: strings.TrimPrefix(r.URL.Path, shopifyPath), From: s.AddressOf(r), Topic: r.Header.Get("X-Shopify-Topic"),
		ID: cmp.Or(r.Header.Get("X-Shopify-Webhook-Id"), r.Header.Get("X-Shopify-Event-Id")), Shop: r.Header.Get("X-Shopify-Shop-Domain"),
		Signature: r.Header.Get("X-Shopify-Hmac-Sha256"), Sent: sent, Body: body,
	})
	switch {
	case err == nil:
		x.json(http.StatusOK, mustJSON(shopResult{Status: outcome}))
	case errors.As(body.err, new(*http.MaxBytesError)):
		x.json(http.StatusRequestEntityTooLarge, shopTooLarge)
	case body.err != nil:
		x.json(http.StatusBadRequest, mustJSON(shopResult{Error: "the body is incomplete"}))
	case errors.Is(err, bodybudget.ErrFull):
		s.busy(x, shopResult{Error: "too many messages arrive at the same time"})
	default:
		s.refuseShop(x, r, err)
	}
}

var shopTooLarge = mustJSON(shopResult{Error: "the body is larger than 8 MiB"})

// arriving is a request body that records the read error that ended it early.
type arriving struct {
	io.Reader
	err error
}

// Read implements [io.Reader].
func (a *arriving) Read(p []byte) (int, error) {
	n, err := a.Reader.Read(p)
	if err != nil && !errors.Is(err, io.EOF) {
		a.err = err
	}
	return n, err
}

func (s *service) refuseShop(x *exchange, r *http.Request, err error) {
	text, _, _ := fault.Public(err)
	switch fault.KindOf(err) {
	case fault.KindUnauthenticated:
		x.json(http.StatusUnauthorized, mustJSON(shopResult{Error: "the signature does not match the workspace"}))
	case fault.KindInvalid:
		x.json(http.StatusUnprocessableEntity, mustJSON(shopResult{Error: text}))
	case fault.KindUnavailable:
		s.logFailure(x, r, "webhook message not stored", err)
		x.set("Retry-After", busyFor)
		x.json(http.StatusServiceUnavailable, mustJSON(shopResult{Error: text}))
	default:
		s.logFailure(x, r, "webhook message not stored", err)
		x.json(http.StatusInternalServerError, mustJSON(shopResult{Error: "the message could not be stored"}))
	}
}
