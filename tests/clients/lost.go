package main

import (
	"encoding/json"
	"fmt"
	"math/big"
	"reflect"
	"regexp"
	"sort"
	"time"
)

// limit describes data that the module always loses, for documents of any program.
type limit struct {
	kind string // empty: any
	path *regexp.Regexp
	when func(before, after any) bool // nil: always
	why  string
}

func at(pattern string) *regexp.Regexp { return regexp.MustCompile(pattern) }

var limits = []limit{
	{"plan", at(`\.variables\.[^.]+\.(type|required|ephemeral|deprecated)$`), nil,
		"variables have no such members"},
	{"plan", at(`\.outputs\.[^.]+\.(ephemeral|deprecated)$`), nil, "nor have outputs"},
	{"plan", at(`^\.(configuration|prior_state)\.`), sameFloat, "numbers there are float64"},
	{"plan", at(`\.expressions(\.|$)`), isBlock, "an expression cannot be a single or mapped block"},
	{"plan", at(`^\.errored$`), nil, "plans have no such member"},
	{"plan", at(`\.(before|after)_identity$`), nil, "nor have changes"},
	{"plan", at(`\.checks\[\d+\]\.address\.`), nil, "addresses of checks have fewer members"},
	{"state", at(`\.outputs\.[^.]+\.deprecated$`), nil, "outputs of states have no such member"},
	{"provider-schemas", at(`\.deprecation_message$`), nil, "nothing says why it is deprecated"},
	{"messages", at(`^\.(@module|@testfile|@testrun|type|tofu|change|changes|hook|outputs|state|round|planned|new|other|gone|test_\w+|workspaces|current_workspace)$`), nil,
		"only diagnostics are more than level, text and time"},
	{"messages", at(`^\.ui$`), nil, "versions get a third number"},
	{"messages", at(`^\.@timestamp$`), sameTime, "times lose zeros at their end"},
	{"messages", at(`^\.@timestamp$`), func(before, _ any) bool { return before == nil },
		"recorded messages may have no time"},
	{"", at(`\.(difference|snippet\.function_call)$`), nil, "diagnostics have no such members"},
}

func sameFloat(before, after any) bool {
	one, ok := before.(json.Number)
	other, otherOk := after.(json.Number)
	if !ok || !otherOk {
		return false
	}
	a, errA := one.Float64()
	b, errB := other.Float64()
	return errA == nil && errB == nil && a == b
}

// isBlock returns whether a value is an object of expressions and not an expression.
func isBlock(before, _ any) bool {
	object, ok := before.(map[string]any)
	if !ok {
		return false
	}
	_, constant := object["constant_value"]
	_, references := object["references"]
	return !constant && !references
}

func sameTime(before, after any) bool {
	one, _ := before.(string)
	other, _ := after.(string)
	a, errA := time.Parse(time.RFC3339Nano, one)
	b, errB := time.Parse(time.RFC3339Nano, other)
	return errA == nil && errB == nil && a.Equal(b)
}

// comparison collects the differences between a document and its rewritten form.
type comparison struct {
	kind     string
	problems []string
}

func (c *comparison) report(path, message string, before, after any) {
	if !c.limited(path, before, after) {
		c.problems = append(c.problems, path+": "+message)
	}
}

func (c *comparison) limited(path string, before, after any) bool {
	for _, limit := range limits {
		if (limit.kind == "" || limit.kind == c.kind) && limit.path.MatchString(path) &&
			(limit.when == nil || limit.when(before, after)) {
			return true
		}
	}
	return false
}

// empty returns whether encoders may omit or add the value.
func empty(value any) bool {
	switch value := value.(type) {
	case nil:
		return true
	case bool:
		return !value
	case string:
		return value == ""
	case []any:
		return len(value) == 0
	case map[string]any:
		for _, member := range value {
			if !empty(member) {
				return false
			}
		}
		return true
	case json.Number:
		return value == "0"
	}
	return false
}

func (c *comparison) values(path string, before, after any) {
	switch before := before.(type) {
	case map[string]any:
		if isBlock(before, nil) && c.kind == "plan" && c.limited(path, before, after) {
			return
		}
		after, ok := after.(map[string]any)
		if !ok {
			if !empty(before) {
				c.report(path, "the object is lost", before, after)
			}
			return
		}
		names := map[string]bool{}
		for name := range before {
			names[name] = true
		}
		for name := range after {
			names[name] = true
		}
		var sorted []string
		for name := range names {
			sorted = append(sorted, name)
		}
		sort.Strings(sorted)
		for _, name := range sorted {
			here := path + "." + name
			old, was := before[name]
			now, is := after[name]
			_, refers := before["references"]
			switch {
			case name == "constant_value" && refers && !is:
				// The module's types have no constant value for an expression with references.
			case was && !is && !empty(old):
				c.report(here, "lost", old, nil)
			case is && !was && !empty(now):
				c.report(here, fmt.Sprintf("new: %v", now), nil, now)
			case was && is:
				c.values(here, old, now)
			}
		}
	case []any:
		after, ok := after.([]any)
		if !ok || len(before) != len(after) {
			if !empty(before) {
				c.report(path, "the array is another", before, after)
			}
			return
		}
		for i := range before {
			c.values(fmt.Sprintf("%s[%d]", path, i), before[i], after[i])
		}
	case json.Number:
		if !sameNumber(before, after) {
			c.report(path, fmt.Sprintf("%v became %v", before, after), before, after)
		}
	default:
		if !reflect.DeepEqual(before, after) && !(empty(before) && empty(after)) {
			c.report(path, fmt.Sprintf("%v became %v", before, after), before, after)
		}
	}
}

func sameNumber(before json.Number, after any) bool {
	other, ok := after.(json.Number)
	if !ok {
		return false
	}
	if before == other {
		return true
	}
	one, _, err := big.ParseFloat(string(before), 10, 2000, big.ToNearestEven)
	two, _, otherErr := big.ParseFloat(string(other), 10, 2000, big.ToNearestEven)
	return err == nil && otherErr == nil && one.Cmp(two) == 0
}
