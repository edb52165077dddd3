// Package lookalike detects names that may imitate other names with letters of several alphabets.
package lookalike

import (
	"slices"
	"strings"
	"unicode"

	"golang.org/x/text/unicode/norm"
)

// asian are the scripts that East Asian names mix in one word, including Latin.
var asian = []string{"Latin", "Han", "Hiragana", "Katakana", "Hangul", "Bopomofo"}

// latinLike lists Cyrillic and Greek letters that look like Latin letters.
const latinLike = "АВЕЅІЈКМНОРСТУХҮԌԚԜаеѕіјорсухһԁԛԝүѵ" + "ΑΒΕΖΗΙΚΜΝΟΡΤΥΧοινυκρχϲϳ"

// Imitates reports whether a name may imitate another name. It returns true if a word mixes scripts, or if all Cyrillic
// or Greek letters look like Latin letters. It also returns true for styled letters, such as mathematical letters. The
// rules follow Unicode Technical Standard 39 for "highly restrictive" names. They are applied word by word, with a
// short table of look-alikes. Look-alikes within one script, such as rn and m, are not detected.
func Imitates(name string) bool {
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

// ownLetters are letters of Azerbaijani, Akan and Ewe in the Unicode block IPA Extensions. They do not look like Latin
// letters.
const ownLetters = "əɛɔ"

// isStyled reports whether a letter is a styled Latin letter: mathematical, circled, full width or a small capital.
func isStyled(r rune) bool {
	if r >= 0x250 && r <= 0x2af || r >= 0x1d00 && r <= 0x1dbf { // phonetic letters
		return !strings.ContainsRune(ownLetters, r)
	}
	plain := norm.NFKC.String(string(r))
	return r > 0xff && len(plain) == 1 && (plain[0]|' ' >= 'a' && plain[0]|' ' <= 'z')
}

// isMixed reports whether a word mixes scripts that no language mixes.
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

// scriptOf returns the script of a letter, or "" for other characters and for letters that several scripts share.
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
