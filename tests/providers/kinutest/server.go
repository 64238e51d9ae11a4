package main

import (
	"context"
	"sync"

	"github.com/hashicorp/terraform-plugin-framework/providerserver"
	"github.com/hashicorp/terraform-plugin-go/tfprotov6"
	"github.com/hashicorp/terraform-plugin-go/tftypes"
)

// server adds two things to the provider: the function prefixed(text), which exists only once the
// provider is configured because it uses the configured prefix, and faults (faults.go).
type server struct {
	tfprotov6.ProviderServer
	mutex   sync.Mutex
	prefix  *string
	stop    sync.Once
	stopped chan struct{} // closed when the provider receives Stop
}

func newFaultless() tfprotov6.ProviderServer {
	return providerserver.NewProtocol6(newProvider())()
}

func newServer() tfprotov6.ProviderServer {
	return &server{ProviderServer: newFaultless(), stopped: make(chan struct{})}
}

func (s *server) configured() *string {
	s.mutex.Lock()
	defer s.mutex.Unlock()
	return s.prefix
}

func (s *server) ConfigureProvider(ctx context.Context, req *tfprotov6.ConfigureProviderRequest) (*tfprotov6.ConfigureProviderResponse, error) {
	config, err := req.Config.Unmarshal(tftypes.Object{AttributeTypes: map[string]tftypes.Type{
		"directory": tftypes.String, "prefix": tftypes.String, "token": tftypes.String,
	}})
	if err != nil {
		return nil, err
	}
	var attributes map[string]tftypes.Value
	if err := config.As(&attributes); err != nil {
		return nil, err
	}
	if err := s.before("ConfigureProvider"); err != nil {
		return nil, err
	}
	if faultOf("ConfigureProvider") == "refuse" {
		return &tfprotov6.ConfigureProviderResponse{Diagnostics: []*tfprotov6.Diagnostic{
			{Severity: tfprotov6.DiagnosticSeverityError, Summary: "Cannot log in", Detail: "There is nobody to log in."},
			{Severity: tfprotov6.DiagnosticSeverityError, Summary: "No token", Detail: "A token is needed.",
				Attribute: tftypes.NewAttributePath().WithAttributeName("token")},
		}}, nil
	}
	prefix := "unknown"
	if attributes["prefix"].IsKnown() && !attributes["prefix"].IsNull() {
		if err := attributes["prefix"].As(&prefix); err != nil {
			return nil, err
		}
	}
	s.mutex.Lock()
	s.prefix = &prefix
	s.mutex.Unlock()
	return s.ProviderServer.ConfigureProvider(ctx, req)
}

func (s *server) GetFunctions(ctx context.Context, req *tfprotov6.GetFunctionsRequest) (*tfprotov6.GetFunctionsResponse, error) {
	resp, err := s.ProviderServer.GetFunctions(ctx, req)
	if err == nil && s.configured() != nil {
		resp.Functions["prefixed"] = &tfprotov6.Function{
			Parameters: []*tfprotov6.FunctionParameter{{Name: "text", Type: tftypes.String}},
			Return:     &tfprotov6.FunctionReturn{Type: tftypes.String},
			Summary:    "The text behind the configured prefix",
		}
	}
	return resp, err
}

func (s *server) CallFunction(ctx context.Context, req *tfprotov6.CallFunctionRequest) (*tfprotov6.CallFunctionResponse, error) {
	if err := s.before("CallFunction"); err != nil {
		return nil, err
	}
	prefix := s.configured()
	if req.Name != "prefixed" || prefix == nil {
		return s.ProviderServer.CallFunction(ctx, req)
	}
	value, err := req.Arguments[0].Unmarshal(tftypes.String)
	if err != nil {
		return nil, err
	}
	var text string
	if err := value.As(&text); err != nil {
		return nil, err
	}
	if text == "" {
		argument := int64(0)
		return &tfprotov6.CallFunctionResponse{
			Error: &tfprotov6.FunctionError{Text: "there is nothing to prefix", FunctionArgument: &argument},
		}, nil
	}
	result, err := tfprotov6.NewDynamicValue(tftypes.String, tftypes.NewValue(tftypes.String, *prefix+"-"+text))
	return &tfprotov6.CallFunctionResponse{Result: &result}, err
}
