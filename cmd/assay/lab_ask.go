package main

import (
	"os"

	"assay/internal/fault"
	"assay/internal/lab"
	"assay/internal/toolkit"
	"assay/internal/tools"
)

type labAsk struct {
	In string `required:"" placeholder:"F" help:"File with one JSON object per line: id, question, today."`
}

// Run prints one line for each question.
func (c *labAsk) Run(con *console) error {
	translator, err := toolkit.NewTranslator(tools.All())
	if err != nil {
		return err
	}
	file, err := os.Open(c.In)
	if err != nil {
		return fault.Invalid("%v", err)
	}
	defer file.Close()
	return lab.Ask{Translator: translator}.Run(c.In, file, con.out)
}
