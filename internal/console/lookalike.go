package console

import (
	"slices"
	"strings"
	"unicode"

	"golang.org/x/text/unicode/norm"
)

// asian are the scripts that names of East Asia write in one word, with Latin among them.
var asian = []string{"Latin", "Han", "Hiragana", "Katakana", "Hangul", "Bopomofo"}

// Letters of Cyrillic and Greek that look like Latin ones.
const latinLike = "АВЕЅІЈКМНОРСТУХҮԌԚԜаеѕіјорсухһԁԛԝүѵ" + "ΑΒΕΖΗΙΚΜΝΟΡΤΥΧοινυκρχϲϳ"

// imitates reports whether a name may be written to look like another: letters of several scripts in one word, letters of
// Cyrillic or Greek of which each looks like a Latin one, or letters that are drawn specially, such as those of mathematics. The
// rules are those of Unicode's technical standard 39 for "highly restrictive" names, word by word, with a short table of
// look-alikes; names of one script that look like others of the same one, as rn does like m, are not found.
func imitates(name string) bool {
	name = norm.NFC.String(name)
	if strings.ContainsFunc(name, isStyled) {
		return true
	}
	words := strings.FieldsFunc(name, func(r rune) bool { return !unicode.IsLetter(r) && !unicode.IsMark(r) && !unicode.IsNumber(r) })
	if slices.ContainsFunc(words, isMixed) {
		return true
	}
	for _, script := range []*unicode.RangeTable{unicode.Cyrillic, unicode.Greek} {
		if letters := strings.Map(func(r rune) rune {
			if unicode.Is(script, r) && unicode.IsLetter(r) {
				return r
			}
			return -1
		}, name); letters != "" && strings.Trim(letters, latinLike) == "" {
			return true
		}
	}
	return false
}

// ownLetters stand among the phonetic ones and are letters of Azerbaijani, Akan and Ewe, which look like no others.
const ownLetters = "əɛɔ"

// isStyled reports whether a letter stands for a plain Latin one: of mathematics, in a circle, of full width, or a small
// capital.
func isStyled(r rune) bool {
	if r >= 0x250 && r <= 0x2af || r >= 0x1d00 && r <= 0x1dbf { // phonetic letters
		return !strings.ContainsRune(ownLetters, r)
	}
	plain := norm.NFKC.String(string(r))
	return r > 0xff && len(plain) == 1 && (plain[0]|' ' >= 'a' && plain[0]|' ' <= 'z')
}

// isMixed reports whether a word has letters of scripts that no language writes together.
func isMixed(word string) bool {
	var scripts []string
	for _, r := range word {
		if script := scriptOf(r); script != "" && !slices.Contains(scripts, script) {
			scripts = append(scripts, script)
		}
	}
	foreign := slices.ContainsFunc(scripts, func(s string) bool { return !slices.Contains(asian, s) })
	return len(scripts) > 1 && foreign
}

// scriptOf returns the script of a letter, "" for what is no letter or belongs to all scripts.
func scriptOf(r rune) string {
	if !unicode.IsLetter(r) || unicode.In(r, unicode.Common, unicode.Inherited) {
		return ""
	}
	for name, table := range unicode.Scripts {
		if unicode.Is(table, r) {
			return name
		}
	}
	return ""
}
