package console

import (
	"context"
	"fmt"
	"net/http"
	"strings"

	"assay/internal/control"
	"assay/internal/fault"
	"assay/internal/measure"
)

// Forget takes a customer off all orders of a workspace, now and in what is imported later, and returns off how many. The
// customer is named by mail address, telephone number or the shop's id; a name that cannot be one is a fault of kind invalid.
type Forget func(ctx context.Context, ws measure.WorkspaceID, customer string, by control.By) (orders int, err error)

// forgetCustomer forgets a customer. Whom it was about is neither shown again nor part of an address.
func (c *Console) forgetCustomer(w http.ResponseWriter, v visit) {
	p, ok := c.placeOf(w, v, v.PostForm.Get("workspace"))
	if !ok {
		return
	}
	if !p.Manages() {
		c.Refuse(w, v.Request, http.StatusForbidden, "Only owners and admins of a workspace forget its customers.")
		return
	}
	var orders int
	var err error
	customer := strings.TrimSpace(v.PostForm.Get("customer"))
	switch {
	case customer == "":
		err = fault.Invalid("no customer is named").WithHint("enter a mail address, a telephone number or the shop's id of the customer")
	case v.PostForm.Get("meant") == "":
		err = fault.Invalid("a customer who is forgotten cannot be had back").WithHint("tick the box if that is meant, and enter the customer again")
	default:
		orders, err = c.forget(v.Context(), p.Workspace.ID, customer, control.By{Actor: v.actor(), At: c.now()})
	}
	_, _, public := fault.Public(err)
	switch {
	case err == nil:
		done := "The customer is forgotten. No order was theirs under this name; what is imported later leaves them out."
		if orders > 0 {
			done = fmt.Sprintf("The customer is forgotten: %s nobody’s now.", ordersAre(orders))
		}
		c.showData(w, v, http.StatusOK, dataView{place: p, Done: done})
	case public && fault.KindOf(err) != fault.KindUnavailable && fault.KindOf(err) != fault.KindForbidden:
		c.showData(w, v, http.StatusUnprocessableEntity, dataView{place: p, Problem: told(err)})
	default:
		c.fail(w, v.Request, err)
	}
}

func ordersAre(n int) string {
	if n == 1 {
		return "one order that was theirs is"
	}
	return count(int64(n)) + " orders that were theirs are"
}
