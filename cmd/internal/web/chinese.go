package web
var chinese = map[string]string{}
var scripted = []string{}
