// Command terraform-provider-kinutest is the provider that end-to-end tests run against: protocol 6,
// one resource type that uses every kind of attribute and block, and one of each other kind of
// object. It talks to nothing but an optional directory of JSON files.
package main

import (
	"context"
	"flag"
	"log"

	"github.com/hashicorp/terraform-plugin-framework/providerserver"
)

func main() {
	debug := flag.Bool("debug", false, "stay, and say how to attach to this process")
	flag.Parse()
	err := providerserver.Serve(context.Background(), newProvider, providerserver.ServeOpts{
		Address:         "registry.opentofu.org/kinu/kinutest",
		ProtocolVersion: 6,
		Debug:           *debug,
	})
	if err != nil {
		log.Fatal(err)
	}
}
