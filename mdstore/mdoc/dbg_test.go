package mdoc
import ("testing";"fmt";"strings";"time")
func TestDbg(t *testing.T) {
  rep := func(s string, n int) string { return strings.Repeat(s, n/len(s)) }
  N := MaxBytes - 3000
   step := func(what string, f func()) { t0 := time.Now(); f(); if dt := time.Since(t0); dt > 200*time.Millisecond { fmt.Println( what, dt) } }
   step("demote", func() { Nest(rep("# x\n", N), 2) })
   step("demote setext", func() { Nest(rep("x\n=\n", N), 2) })
   step("demote setext2", func() { Nest(rep("x\n\n", N)+"=\n", 2) })
   step("demote long setext", func() { Nest(rep("x\n", N)+"=\n", 2) })
   step("item text", func() { ItemText(rep("- x\n", N)) })
   step("openhtml", func() { Nest(rep("<!-- x\n", N), 2) })
   step("html close", func() { Nest(rep("<script>\n", N), 2) })
   step("fields", func() { Parse("x", []byte("---\n"+rep("a\n",60000)+"---\n"),nil) })
   step("ListsUnder", func() { ListsUnder(rep("# Rules\n- a\n", N), "Rules") })
   step("cr", func() { Parse("x", []byte(rep("a\rb", N)), nil) })
   step("bad", func() { Parse("x", []byte(rep("\xff", N)), nil) })
   step("conf", func() { Parse("x", []byte(rep("<<<<<<< ", N)), nil) })
   step("conf2", func() { Parse("x", []byte(rep("<<<<<<< \n", N)), nil) })
   step("foreign", func() { ReadForeign([]byte(rep("\n", N))) ; ReadForeign([]byte("+++\n"+rep("a\n", N)));ReadForeign([]byte("+++\na = "+rep("[", 65000)+"\n+++\n"))})
   step("foreign2", func() { ReadForeign([]byte("+++\n"+rep("[a.b.c.d]\n", 65000)+"\n+++\n"));ReadForeign([]byte("+++\n"+rep("[[a.b.c.d]]\n", 65000)+"\n+++\n"));ReadForeign([]byte("+++\na"+rep(".a", 65000)+"=1\n+++\n"))})
}
