package httpapi

import (
	"cmp"
	"errors"
	"io"
	"log/slog"
	"mime"
	"net/http"
	"strings"
	"time"

	"assay/internal/fault"
	"assay/internal/mcp"
)

// maxShopMessage is the largest message of a webhook that is read, in bytes: an order has some kilobytes.
const maxShopMessage = 8 << 20

// ShopMessage is a message of a webhook as it came. Only its body is signed.
type ShopMessage struct {
	Workspace string
	Topic     string
	ID        string // "" when the shop gives none
	Shop      string
	Signature string
	Sent      time.Time // zero when the shop does not tell
	Body      []byte
}

type shopResult struct {
	Status string `json:"status,omitempty"`
	Error  string `json:"error,omitempty"`
}

// shopify answers POST /api/webhooks/shopify/{workspace}. What is wrong with a credential is not told.
func (s *service) shopify(x *exchange, r *http.Request) {
	if media, _, err := mime.ParseMediaType(r.Header.Get("Content-Type")); err != nil || media != "application/json" || isCoded(r.Header) {
		x.fail(mcp.WrongMediaType, nil)
		return
	}
	body, err := io.ReadAll(http.MaxBytesReader(x, r.Body, maxShopMessage))
	if err != nil {
		status, text := http.StatusBadRequest, "the body did not arrive in full"
		if errors.As(err, new(*http.MaxBytesError)) {
			status, text = http.StatusRequestEntityTooLarge, "the body is above 8 MiB"
		}
		x.json(status, mustJSON(shopResult{Error: text}))
		return
	}
	if s.Shopify == nil {
		x.json(http.StatusServiceUnavailable, mustJSON(shopResult{Error: "this service takes no messages"}))
		return
	}
	sent, err := time.Parse(time.RFC3339Nano, r.Header.Get("X-Shopify-Triggered-At"))
	if err != nil {
		sent = time.Time{}
	}
	outcome, err := s.Shopify(r.Context(), ShopMessage{
		Workspace: strings.TrimPrefix(r.URL.Path, shopifyPath), Topic: r.Header.Get("X-Shopify-Topic"),
		ID: cmp.Or(r.Header.Get("X-Shopify-Webhook-Id"), r.Header.Get("X-Shopify-Event-Id")), Shop: r.Header.Get("X-Shopify-Shop-Domain"),
		Signature: r.Header.Get("X-Shopify-Hmac-Sha256"), Sent: sent, Body: body,
	})
	if err == nil {
		x.json(http.StatusOK, mustJSON(shopResult{Status: outcome}))
		return
	}
	s.refuseShop(x, r, err)
}

func (s *service) refuseShop(x *exchange, r *http.Request, err error) {
	text, _, _ := fault.Public(err)
	switch fault.KindOf(err) {
	case fault.KindUnauthenticated:
		x.json(http.StatusUnauthorized, mustJSON(shopResult{Error: "the signature is not of this workspace"}))
	case fault.KindInvalid:
		x.json(http.StatusUnprocessableEntity, mustJSON(shopResult{Error: text}))
	case fault.KindUnavailable:
		s.Log.ErrorContext(r.Context(), "webhook message not kept", slog.String("request_id", x.requestID), slog.Any("error", err))
		x.json(http.StatusServiceUnavailable, mustJSON(shopResult{Error: text}))
	default:
		s.Log.ErrorContext(r.Context(), "webhook message not kept", slog.String("request_id", x.requestID), slog.Any("error", err))
		x.json(http.StatusInternalServerError, mustJSON(shopResult{Error: "the message could not be kept"}))
	}
}
