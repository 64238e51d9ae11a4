// Command terraform-provider-kinutest is the provider of the end-to-end tests: protocol 6, one
// resource type that uses every kind of attribute and block, one with an identity and deprecated
// parts, and one of each other kind of object. It uses no network and at most one directory, whose
// JSON files are the objects.
package main

import (
	"flag"
	"log"

	"github.com/hashicorp/terraform-plugin-go/tfprotov6/tf6server"
)

func main() {
	debug := flag.Bool("debug", false, "stay, and say how to attach to this process")
	flag.Parse()
	var options []tf6server.ServeOpt
	if *debug {
		options = append(options, tf6server.WithManagedDebug())
	}
	if err := tf6server.Serve("registry.opentofu.org/kinu/kinutest", newServer, options...); err != nil {
		log.Fatal(err)
	}
}
