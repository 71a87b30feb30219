package web

import (
	"bytes"
	"strings"
	"testing"

	"golang.org/x/net/html"
)

// The output has only elements and attributes of the list, also for a broken source. Sanitizing it again changes
// nothing.
func FuzzSanitized(f *testing.F) {
	for _, s := range []string{
		`<p>a <b onclick="x()">b</b> &lt;i&gt; &amp;amp;</p>`, `<a href="javascript:alert(1)">x</a>`, `<a href=" https://a">x</a>`,
		`<a href="https://a" href="javascript:b" onmouseover=c>x<a href="/node/n?ws=w">y</a></a>`, `<A HREF='data:text/html,x'>x</A>`,
		`<img src=x onerror=alert(1)><svg/onload=alert(1)>`, `<script>alert(1)</script>`, `<style>p{}</style><p style="x">`, `<!-- <p> --><!doctype x>`,
		`<input type=text autofocus onfocus=x><input type=checkbox checked disabled aria-label="done">`, `<ol start="3"><ol start="3 onclick=x">`,
		`<td align="center"><td align="x">`, `<textarea><p></textarea>`, `<math><mi><p title="</mi><img src onerror=x>">`, `<p`, `</p`, `<p a="`, "<p\x00>", `<noscript><p title="</noscript><img src=x>">`,
		`<a href="node-a.html">x</a><a href="node-a/b.html">y</a><a href="//evil">z</a>`, `</a></a><a href="/node/a/b">x</a>`, `<plaintext><p>`, `<template><p>`,
	} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, source string) {
		got := sanitized([]byte(source))
		for z := html.NewTokenizer(bytes.NewReader(got)); z.Next() != html.ErrorToken; {
			tag := z.Token()
			may, known := elements[tag.Data]
			if tag.Type == html.TextToken {
				continue
			}
			if !known || tag.Type == html.CommentToken || tag.Type == html.DoctypeToken {
				t.Errorf("%q has %v", got, tag)
			}
			for _, a := range tag.Attr {
				if ok := may[a.Key]; a.Key != "rel" && (ok == nil || !ok(a.Val)) {
					t.Errorf("%q has %v", got, tag)
				}
			}
		}
		if again := sanitized(got); !bytes.Equal(again, got) {
			t.Errorf("%q becomes %q", got, again)
		}
	})
}

// Of a link with a forbidden address, the words stay. An input field is removed.
func TestWhatIsLeftOutLeavesItsWords(t *testing.T) {
	for source, want := range map[string]string{
		`<p>a <a href="javascript:x">b <em>c</em></a> d</p>`: `<p dir="auto">a b <em>c</em> d</p>`,
		`<a href="https://a/?b&amp;c">x</a>`:                 `<a href="https://a/?b&amp;c" rel="nofollow noreferrer">x</a>`,
		`<a href="x:y"><a href="mailto:a@b">c</a></a>`:       `<a href="mailto:a@b" rel="nofollow noreferrer">c</a>`,
		`<div><input type="text">x</div>`:                    `x`,
		`<p>1 &lt; 2 &amp;&amp; "3"</p>`:                     `<p dir="auto">1 &lt; 2 &amp;&amp; &#34;3&#34;</p>`,
		strings.Repeat(`<a href="x:">`, 3) + `w</a></a></a>`: `w`,
	} {
		if got := string(sanitized([]byte(source))); got != want {
			t.Errorf("%s became %s, want %s", source, got, want)
		}
	}
}
