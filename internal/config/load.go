package config

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"reflect"
	"strings"

	"github.com/knadh/koanf/parsers/yaml"
	"github.com/knadh/koanf/providers/confmap"
	"github.com/knadh/koanf/providers/env/v2"
	"github.com/knadh/koanf/providers/file"
	"github.com/knadh/koanf/v2"

	"assay/internal/fault"
	"assay/internal/spelling"
)

// Sources are the sources of settings.
type Sources struct {
	File    string            // YAML; "" for none
	Environ []string          // NAME=value, in the form of os.Environ
	Flags   map[string]string // flags that were set, by key
}

// mistake is an invalid setting.
type mistake struct{ key, text string }

// Load returns the settings with defaults filled in. Invalid settings are reported in one fault of kind misconfigured,
// which lists each mistake, its source and the accepted values.
func Load(from Sources) (Config, error) {
	given := koanf.New(noNesting)
	origin := make(map[string]string) // source of the value of a key
	var mistakes []mistake
	for _, read := range []func(Sources) (layer, error){fileLayer, envLayer, flagLayer} {
		l, err := read(from)
		if err != nil {
			return Config{}, err
		}
		for _, key := range l.values.Keys() {
			origin[key] = l.origin(key)
			if _, known := fieldOf(key); !known {
				mistakes = append(mistakes, mistake{key, "is not a setting" + nearest(key, keys())})
			}
		}
		if err := given.Merge(l.values); err != nil {
			return Config{}, err
		}
	}
	c, unread := decode(given)
	mistakes = append(mistakes, unread...)
	mistakes = append(mistakes, c.mistakes(unread)...)
	if len(mistakes) > 0 {
		return Config{}, misconfigured(mistakes, origin)
	}
	return c, nil
}

// noNesting separates the levels of keys. Keys have one level. A deeper key is shown with this separator and rejected.
const noNesting = "."

// layer is one source after reading.
type layer struct {
	values *koanf.Koanf
	origin func(key string) string
}

func fileLayer(from Sources) (layer, error) {
	l := layer{koanf.New(noNesting), func(string) string { return "in " + from.File }}
	if from.File == "" {
		return l, nil
	}
	if _, err := os.Stat(from.File); errors.Is(err, fs.ErrNotExist) {
		return layer{}, fault.New(fault.KindMisconfigured, "settings file %s does not exist", from.File).WithHint("pass the path of an existing file to --config, or omit the flag")
	}
	if err := l.values.Load(file.Provider(from.File), yaml.Parser()); err != nil {
		return layer{}, fault.New(fault.KindMisconfigured, "settings file %s is not readable: %v", from.File, err).
			WithHint("write YAML with one setting per line, such as addr: 127.0.0.1:8080")
	}
	return l, nil
}

// envLayer reads the environment variables of settings and ignores all others. An empty variable is treated as not set,
// except for the OAuth secret, where it means "no secret".
func envLayer(from Sources) (layer, error) {
	l := layer{koanf.New(noNesting), func(key string) string { return "in " + envPrefix + strings.ToUpper(key) }}
	named := func(name, value string) (string, any) {
		f, known := fieldOf(strings.ToLower(strings.TrimPrefix(name, envPrefix)))
		if !known || f.Env != name || value == "" && f.Key != "oauth_secret" {
			return "", nil
		}
		return f.Key, value
	}
	return l, l.values.Load(env.Provider(noNesting, env.Opt{
		Prefix: envPrefix, TransformFunc: named, EnvironFunc: func() []string { return from.Environ },
	}), nil)
}

func flagLayer(from Sources) (layer, error) {
	l := layer{koanf.New(noNesting), func(key string) string { return "in --" + strings.ReplaceAll(key, "_", "-") }}
	values := make(map[string]any, len(from.Flags))
	for key, value := range from.Flags {
		values[key] = value
	}
	return l, l.values.Load(confmap.Provider(values, ""), nil)
}

// decode parses the values into settings and sets the other settings to their defaults.
func decode(given *koanf.Koanf) (Config, []mistake) {
	var c Config
	var mistakes []mistake
	fields := reflect.ValueOf(&c).Elem()
	for _, f := range Fields() {
		value := given.Get(f.Key)
		if value == nil { // absent, or a line without a value
			continue
		}
		text, ok := textOf(value)
		if !ok || parse(fields.Field(f.index), text) != nil || replaced(fields.Field(f.index), f, text) {
			fields.Field(f.index).SetZero()
			mistakes = append(mistakes, mistake{f.Key, fmt.Sprintf("is %q; use %s", text, f.Want)})
		}
	}
	return c.WithDefaults(), mistakes
}

// replaced reports whether [Config.WithDefaults] replaces a given value, such as 0, with a default. Such a value is
// invalid. An empty string means the default.
func replaced(field reflect.Value, f Field, text string) bool {
	if !field.IsZero() || f.Default == "" || strings.TrimSpace(text) == "" {
		return false
	}
	standard := reflect.New(field.Type()).Elem()
	return parse(standard, f.Default) == nil && !standard.IsZero()
}

func fieldOf(key string) (Field, bool) {
	for _, f := range Fields() {
		if f.Key == key {
			return f, true
		}
	}
	return Field{}, false
}

// misconfigured returns one fault that lists all mistakes.
func misconfigured(mistakes []mistake, origin map[string]string) error {
	var b strings.Builder
	for _, m := range mistakes {
		b.WriteString("\n  " + m.key)
		if where := origin[m.key]; where != "" {
			b.WriteString(" " + where)
		}
		b.WriteString(" " + m.text)
	}
	return fault.New(fault.KindMisconfigured, "invalid settings:%s", b.String())
}

func keys() (all []string) {
	for _, f := range Fields() {
		all = append(all, f.Key)
	}
	return all
}

// nearest returns the known name that is closest to an unknown name. It ignores case and the environment prefix.
func nearest(name string, known []string) string {
	plain := func(s string) string { return strings.ToLower(strings.TrimPrefix(s, envPrefix)) }
	best, distance := "", len(plain(name))/2+1
	for _, other := range known {
		if d := spelling.Distance(plain(name), plain(other)); d < distance {
			best, distance = other, d
		}
	}
	if best == "" {
		return ""
	}
	return "; did you mean " + best + "?"
}
