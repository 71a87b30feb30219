package plan

import "testing"

func TestAFolderIsNamedByTheWordsOfATitle(t *testing.T) {
	for title, want := range map[string]string{
		"Sign-in endpoint": "sign-in-endpoint", "  POST /v1?  ": "post-v1", "登录 页面": "登录-页面", "हिन्दी": "हिन्दी", "ÉTÉ": "été",
		"!!!": "", "..": "", "CON": "con", "a_b": "a-b", "²": "",
		"one two three four five six seven eight nine": "one-two-three-four-five-six-seven-eight",
		"0123456789012345678901234567890123456789 1":   "0123456789012345678901234567890123456789",
		"01234567890123456789012345678901234567890":    "0123456789012345678901234567890123456789",
	} {
		if got := slug(title); got != want {
			t.Errorf("slug(%q) = %q, want %q", title, got, want)
		}
	}
}
