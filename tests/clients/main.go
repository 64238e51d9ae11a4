// Command clients reads documents with the types of terraform-json, the module that other tools
// use, writes them again, and reports the differences:
//
//	clients KIND=FILE...
//
// KIND is plan, state, provider-schemas, validate, functions, version or messages (a stream). Data
// that the module has no field for, and numbers that it converts to float64, are listed in lost.go.
// Any other difference is a failure.
package main

import (
	"bytes"
	"encoding/json"
	"fmt"
	"os"
	"sort"
	"strings"

	tfjson "github.com/hashicorp/terraform-json"
)

// reread decodes a document into the module's type and encodes it again.
func reread(kind string, text []byte) ([]byte, error) {
	var document any
	switch kind {
	case "plan":
		plan := &tfjson.Plan{}
		plan.UseJSONNumber(true)
		document = plan
	case "state":
		state := &tfjson.State{}
		state.UseJSONNumber(true)
		document = state
	case "provider-schemas":
		document = &tfjson.ProviderSchemas{}
	case "validate":
		document = &tfjson.ValidateOutput{}
	case "functions":
		document = &tfjson.MetadataFunctions{}
	case "version":
		document = &tfjson.VersionOutput{}
	default:
		return nil, fmt.Errorf("no kind of document: %s", kind)
	}
	if err := json.Unmarshal(text, document); err != nil {
		return nil, err
	}
	return json.Marshal(document)
}

// generic decodes JSON and keeps numbers as text.
func generic(text []byte) (any, error) {
	decoder := json.NewDecoder(bytes.NewReader(text))
	decoder.UseNumber()
	var value any
	err := decoder.Decode(&value)
	return value, err
}

// check returns the differences between a document and its rewritten form.
func check(kind string, text []byte) ([]string, error) {
	again, err := reread(kind, text)
	if err != nil {
		return nil, err
	}
	before, err := generic(text)
	if err != nil {
		return nil, err
	}
	after, err := generic(again)
	if err != nil {
		return nil, err
	}
	comparison := &comparison{kind: kind}
	comparison.values("", before, after)
	return comparison.problems, nil
}

func checkMessages(text []byte) ([]string, error) {
	var problems []string
	for number, line := range bytes.Split(bytes.TrimSpace(text), []byte("\n")) {
		message, err := tfjson.UnmarshalLogMessage(line)
		if err != nil {
			return nil, fmt.Errorf("line %d: %w", number+1, err)
		}
		again, err := json.Marshal(message)
		if err != nil {
			return nil, fmt.Errorf("line %d: %w", number+1, err)
		}
		before, _ := generic(line)
		after, _ := generic(again)
		comparison := &comparison{kind: "messages"}
		comparison.values("", before, after)
		for _, problem := range comparison.problems {
			problems = append(problems, fmt.Sprintf("line %d: %s", number+1, problem))
		}
	}
	return problems, nil
}

func main() {
	counts := map[string]int{}
	failed := 0
	for _, argument := range os.Args[1:] {
		kind, path, _ := strings.Cut(argument, "=")
		text, err := os.ReadFile(path)
		var problems []string
		if err == nil && kind == "messages" {
			problems, err = checkMessages(text)
		} else if err == nil {
			problems, err = check(kind, text)
		}
		if err != nil {
			problems = []string{err.Error()}
		}
		counts[kind]++
		if len(problems) > 0 {
			failed++
			fmt.Printf("FAIL %s %s\n  %s\n", kind, path, strings.Join(problems, "\n  "))
		}
	}
	var kinds []string
	total := 0
	for kind, count := range counts {
		kinds = append(kinds, fmt.Sprintf("%d %s", count, kind))
		total += count
	}
	sort.Strings(kinds)
	fmt.Printf("%s\n%d passed, %d failed\n", strings.Join(kinds, ", "), total-failed, failed)
	if failed > 0 {
		os.Exit(1)
	}
}
