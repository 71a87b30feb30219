package web

import (
	"os"
	"path/filepath"
	"testing"
)

// It saves the pictures of the documentation in the folder ARBOR_PICTURES. docs/pictures/page calls it.
func TestPictures(t *testing.T) {
	dir := os.Getenv("ARBOR_PICTURES")
	if dir == "" {
		t.Skip("ARBOR_PICTURES names no folder; bash docs/pictures/page makes the pictures")
	}
	w, basket := teaShop(t)
	p := newBrowser(t).open(w, "/")
	take := func(name, path string, width, height int, dark bool) {
		p.size(width, height)
		p.dark(dark)
		p.visit(path)
		p.until(`document.querySelector("#theme").textContent`)
		p.picture(filepath.Join(dir, name+".png"))
	}
	take("page-overview", "/", 1440, 900, false)
	take("page-plan", "/plan?node="+basket, 1440, 900, false)
	take("page-board", "/board", 1440, 700, true)
	take("page-node", "/node/"+basket, 1024, 900, false)
	take("page-phone", "/plan?lang=zh", 390, 844, true)
}

// teaShop makes the plan of the pictures. It returns the id of a node.
func teaShop(t *testing.T) (w *world, basket string) {
	t.Helper()
	w = newWorld(t, nil)
	ws := w.do("workspace_init", map[string]any{"name": "Tea shop online", "goal": "People order tea from their phone, and the shop packs it the same day."})["workspaceId"].(string)
	add := func(parent, title, kind, requirement string) string {
		return w.do("node_create", map[string]any{"workspaceId": ws, "parentId": parent, "title": title, "type": kind, "requirement": requirement})["nodeId"].(string)
	}
	act := func(node, action, conclusion string) {
		args := map[string]any{"workspaceId": ws, "nodeId": node, "action": action}
		if conclusion != "" {
			args["conclusion"] = conclusion
		}
		w.do("node_transition", args)
	}
	catalogue := add("root", "Catalogue", "planning", "Every tea with its photos, its price and what is in stock.")
	photos := add(catalogue, "Photos of all teas", "execution", "Forty teas, one light.")
	prices := add(catalogue, "Prices and stock", "execution", "From the till, every night.")
	orders := add("root", "Orders", "planning", "")
	basket = add(orders, "Basket", "execution", "What somebody put into it is there again after a week.\n\n- [x] on the phone\n- [x] without an account\n- [ ] with a voucher\n\n| Device | Kept |\n|---|---|\n| phone | 7 days |\n| shop's tablet | until closing |")
	pay := add(orders, "Payment", "execution", "Card and invoice.")
	mail := add(orders, "Confirmation by mail", "execution", "")
	packing := add("root", "Packing", "planning", "")
	labels := add(packing, "Labels", "execution", "")
	add(packing, "Pick list for the morning", "execution", "")
	act(photos, "start", "")
	act(photos, "complete", "All forty are taken; the files are with the till's data.")
	act(prices, "start", "")
	act(prices, "submit", "")
	act(basket, "start", "")
	act(labels, "start", "")
	act(labels, "fail", "The printer takes no labels of that size; another one is ordered.")
	act(pay, "start", "")
	w.do("log_append", map[string]any{"workspaceId": ws, "nodeId": basket, "event": "A basket of last week is found again on the phone"})
	w.do("log_append", map[string]any{"workspaceId": ws, "nodeId": basket, "event": "Vouchers: asked the shop how long they count"})
	w.do("problem_update", map[string]any{"workspaceId": ws, "nodeId": pay, "problem": "The bank wants a contract first"})
	w.do("workspace_update_rules", map[string]any{"workspaceId": ws, "action": "add", "rule": "Every page works without a mouse"})
	set := func(node string, fields map[string]any) {
		fields["workspaceId"], fields["nodeId"] = ws, node
		w.do("node_update", fields)
	}
	set(pay, map[string]any{"priority": "critical", "due": "2026-01-15", "tags": []string{"money"}})
	set(basket, map[string]any{"priority": "high", "assignee": []string{"nia"}})
	set(mail, map[string]any{"dependencies": []string{pay}})
	return w, basket
}
