package main

import (
	"reflect"
	"testing"

	"assay/internal/config"
)

func TestEverySettingIsAFlag(t *testing.T) {
	t.Parallel()
	flags := reflect.TypeFor[settings]()
	fields := config.Fields()
	configured := reflect.TypeFor[config.Config]()
	if flags.NumField() != len(fields) {
		t.Fatalf("%d flags for %d settings", flags.NumField(), len(fields))
	}
	for i := range fields {
		if got, want := flags.Field(i).Name, configured.Field(i).Name; got != want {
			t.Errorf("flag %d is %s, want %s: flags have the order of the settings", i, got, want)
		}
	}
}
