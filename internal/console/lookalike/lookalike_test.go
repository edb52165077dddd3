package lookalike_test

import (
	"testing"

	"assay/internal/console/lookalike"
)

func TestImitatingNamesAreDetected(t *testing.T) {
	t.Parallel()
	for name, want := range map[string]bool{
		"Claude": false, "Ledger Owl 2": false, "Café Nord": false, "Cafe\u0301 Nord": false, "Zoë’s Şirket": false, "Owl™ for n8n": false,
		"Яндекс Браузер": false, "Отчёты о рекламе": false, "Яндекс Browser": false, "Αναλύσεις": false, "広告レポートPro": false, "광고 리포트": false, "دفتر": false, "Azərbaycan hesabatı": false, "Adwumayɛ": false, "": false,
		"Clаude":       true, // one Cyrillic letter
		"Сlaude":       true,
		"Сосо":         true, // all Cyrillic, and each letter looks Latin
		"ΟΝΕ Reports":  true, // Greek capitals
		"Googlе Ads":   true,
		"𝐂𝐥𝐚𝐮𝐝𝐞":       true,
		"Ｃｌａｕｄｅ":       true,
		"Ⓒⓛⓐⓤⓓⓔ":       true,
		"ᴄʟᴀᴜᴅᴇ":       true,
		"Cɩaude":       true,
		"Ꮯlaude":       true, // Cherokee
		"Рower Report": true,
	} {
		if got := lookalike.Imitates(name); got != want {
			t.Errorf("%q (%+q): %v, want %v", name, name, got, want)
		}
	}
}
