// Command terraform-provider-kinutest is the provider that end-to-end tests run against: protocol 6,
// one resource type that uses every kind of attribute and block, one with an identity and deprecated
// parts, and one of each other kind of object. It talks to nothing but an optional directory of JSON
// files.
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
