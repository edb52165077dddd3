package frame

import (
	"crypto/sha256"
	"encoding/hex"
	"io/fs"
	"net/http"
	"path"
)

// assets serves style sheets, scripts and icons. The file addresses contain a hash, so browsers can cache the files for
// a year.
type assets struct {
	files  fs.FS // file system with the folder assets
	hashes map[string]string
}

func newAssets(files fs.FS) assets {
	a := assets{files: files, hashes: make(map[string]string)}
	if files == nil {
		return a
	}
	for _, name := range namesOf(files, "assets/*") {
		text, err := fs.ReadFile(files, name)
		if err != nil {
			panic(err) // embedded files can be read
		}
		sum := sha256.Sum256(text)
		a.hashes[path.Base(name)] = hex.EncodeToString(sum[:6])
	}
	return a
}

// address returns the address of an asset.
func (a assets) address(name string) string { return "/assets/" + name + "?v=" + a.hashes[name] }

// ServeAsset serves an asset. If the query contains the current hash of the asset, the response is immutable.
func (c *Frame) ServeAsset(w http.ResponseWriter, r *http.Request) {
	name := path.Base(r.PathValue("name"))
	h := w.Header()
	h.Set("Cache-Control", "max-age=3600")
	if v := r.URL.Query().Get("v"); v != "" && v == c.assets.hashes[name] {
		h.Set("Cache-Control", "max-age=31536000, immutable")
	}
	h.Set("X-Content-Type-Options", "nosniff")
	http.ServeFileFS(w, r, c.assets.files, path.Join("assets", name))
}
