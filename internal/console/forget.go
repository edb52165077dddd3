package console

import (
	"fmt"
	"net/http"
	"strings"

	"assay/internal/fault"
	"assay/internal/operation"
)

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
		var done operation.Forgotten
		done, err = operation.ForgetCustomer.Do(v.Context(), c.operations, v.calls(p.Workspace.ID), operation.Customer{Name: customer})
		orders = done.Orders
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
