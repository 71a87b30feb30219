package mdoc
import ("testing";"fmt";"strings";"time")
func TestDbg(t *testing.T) {
  rep := func(s string, n int) string { return strings.Repeat(s, n/len(s)) }
  F := "---\nid: n1\nstatus: x\n---\n"
  N := MaxBytes - 3000
  for name, s := range map[string]string{
   "logs": F+rep("## Log\n",N), "items": F+"## Log\n\n"+rep("- x\n",N), "sections": F+rep("## x\n\n- a\n\n",N), "paras": F+"## Log\n\n"+rep("x\n\n",N), "subs": F+"## Log\n\n"+rep("### x\n",N), "deepnest": F+"## Log\n\n"+rep(stairs(60),N), "openfence": F+"```\n"+rep("x\n",N), "nums": F+"## Log\n\n"+rep("1. x\n",N), "compose": F,
  } {
   d, _ := Parse("x", []byte(s), nodeForm)
   d.Sections()
   step := func(what string, f func()) { t0 := time.Now(); f(); if dt := time.Since(t0); dt > 200*time.Millisecond { fmt.Println(name, what, dt) } }
   step("items", func() { d.Items("Log"); d.Text("Log") })
   step("append", func() { p, err := d.AppendItem("Log", "x"); if err == nil { _, err = d.Apply(p) }; if err != nil { fmt.Println(name, err) } })
   step("set", func() { p, err := d.SetSection("Note", rep("# x\n\n", N/4)); if err == nil { d.Apply(p) } })
   step("remove", func() { p, err := d.RemoveItem("Log", 3); if err == nil { d.Apply(p) } })
   step("field", func() { p, err := d.SetField("status", Text("x: y")); if err == nil { d.Apply(p) } })
   step("demote", func() { Nest(rep("# x\n", N), 2) })
   step("demote setext", func() { Nest(rep("x\n=\n", N), 2) })
   step("item text", func() { ItemText(rep("- x\n", N)) })
   step("openhtml", func() { Nest(rep("<!-- x\n", N), 2) })
  }
}
