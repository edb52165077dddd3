package setup

import (
	"fmt"
	"net/http"
	"strings"

	"assay/internal/console/frame"
	"assay/internal/fault"
	"assay/internal/operation"
)

// forgetCustomer removes the identity of a customer. The input is neither shown again nor part of a URL.
func (c *dataPages) forgetCustomer(w http.ResponseWriter, v frame.Visit) {
	p, ok := c.PlaceOf(w, v, v.PostForm.Get("workspace"))
	if !ok {
		return
	}
	if !p.Manages() {
		c.Refuse(w, v.Request, http.StatusForbidden, "Only owners and admins of a workspace can forget customers. Ask an owner or admin.")
		return
	}
	var orders int
	var err error
	customer := strings.TrimSpace(v.PostForm.Get("customer"))
	switch {
	case customer == "":
		err = fault.Invalid("the customer is missing").WithHint("enter an email address, a phone number or the shop's customer ID")
	case v.PostForm.Get("meant") == "":
		err = fault.Invalid("the confirmation is missing: forgetting a customer cannot be undone").WithHint("select the checkbox to confirm, and enter the customer again")
	default:
		var done operation.Forgotten
		done, err = operation.ForgetCustomer.Do(v.Context(), c.Operations, v.Calls(p.Workspace.ID), operation.Customer{Name: customer})
		orders = done.Orders
	}
	_, _, public := fault.Public(err)
	switch {
	case err == nil:
		done := "The customer is forgotten. No order of the customer was found. Later imports do not store the customer’s identity."
		if orders > 0 {
			done = fmt.Sprintf("The customer is forgotten. %s now anonymous.", ordersAre(orders))
		}
		c.showData(w, v, http.StatusOK, dataView{Place: p, Messages: frame.Messages{Done: done}})
	case public && fault.KindOf(err) != fault.KindUnavailable && fault.KindOf(err) != fault.KindForbidden:
		c.showData(w, v, http.StatusUnprocessableEntity, dataView{Place: p, Messages: frame.Messages{Problem: frame.PublicText(err)}})
	default:
		c.Fail(w, v.Request, err)
	}
}

func ordersAre(n int) string {
	if n == 1 {
		return "1 order is"
	}
	return frame.Count(int64(n)) + " orders are"
}
