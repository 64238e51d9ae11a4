package main

import (
	"context"
	"errors"
	"os"
	"strings"

	"github.com/hashicorp/terraform-plugin-go/tfprotov6"
	"github.com/hashicorp/terraform-plugin-go/tftypes"
)

// The environment chooses the fault of a call: KINUTEST_FAULT="PlanResourceChange=crash,…".
//
//	crash    the process ends
//	hang     the call ends when the provider is asked to stop
//	error    the call fails as a call
//	garbage  the object is no encoded value
//	type     the object is a string
//	unknown  the object's id is unknown
//	null     there is no object
//	legacy   lists and sets of blocks are null where there are none, as the legacy SDK has it
//	write    the write-only password has a value
//	big      the private data is 200 MB of zeros
//	none     (ImportResourceState) there is nothing to import
//	two      (ImportResourceState) there are two objects
//	refuse   (ConfigureProvider) there are two problems with the configuration
func faultOf(call string) string {
	for _, entry := range strings.Split(os.Getenv("KINUTEST_FAULT"), ",") {
		if name, fault, found := strings.Cut(entry, "="); found && name == call {
			return fault
		}
	}
	return ""
}

// before simulates the faults that replace a call.
func (s *server) before(call string) error {
	switch faultOf(call) {
	case "crash":
		os.Exit(3)
	case "hang":
		<-s.stopped
		return errors.New("stopped as told")
	case "error":
		return errors.New("failed as told")
	}
	return nil
}

// after changes the object in the response of a call.
func after(call string, object **tfprotov6.DynamicValue, private *[]byte) {
	fault := faultOf(call)
	switch fault {
	case "garbage":
		*object = &tfprotov6.DynamicValue{MsgPack: []byte{0xc1}}
	case "type":
		value, _ := tfprotov6.NewDynamicValue(tftypes.String, tftypes.NewValue(tftypes.String, "a string"))
		*object = &value
	case "null":
		*object = nil
	case "unknown":
		replace(object, "id", tftypes.NewValue(tftypes.String, tftypes.UnknownValue))
	case "legacy":
		for _, name := range []string{"disk", "label"} {
			replace(object, name, tftypes.NewValue(thingType().(tftypes.Object).AttributeTypes[name], nil))
		}
	case "write":
		replace(object, "password", tftypes.NewValue(tftypes.String, "hunter2"))
	case "big":
		if private != nil {
			*private = make([]byte, 200<<20)
		}
	}
}

// replace sets an attribute of an encoded kinutest_thing.
func replace(object **tfprotov6.DynamicValue, name string, attribute tftypes.Value) {
	if *object == nil {
		return
	}
	kind := thingType()
	value, err := (*object).Unmarshal(kind)
	if err != nil || value.IsNull() {
		return
	}
	attributes := map[string]tftypes.Value{}
	if value.As(&attributes) != nil {
		return
	}
	attributes[name] = attribute
	changed, err := tfprotov6.NewDynamicValue(kind, tftypes.NewValue(kind, attributes))
	if err == nil {
		*object = &changed
	}
}

func thingType() tftypes.Type {
	schema, err := newFaultless().GetProviderSchema(context.Background(), &tfprotov6.GetProviderSchemaRequest{})
	if err != nil {
		return tftypes.DynamicPseudoType
	}
	return schema.ResourceSchemas["kinutest_thing"].ValueType()
}

func (s *server) StopProvider(ctx context.Context, req *tfprotov6.StopProviderRequest) (*tfprotov6.StopProviderResponse, error) {
	s.stop.Do(func() { close(s.stopped) })
	return s.ProviderServer.StopProvider(ctx, req)
}

func (s *server) ValidateProviderConfig(ctx context.Context, req *tfprotov6.ValidateProviderConfigRequest) (*tfprotov6.ValidateProviderConfigResponse, error) {
	if err := s.before("ValidateProviderConfig"); err != nil {
		return nil, err
	}
	return s.ProviderServer.ValidateProviderConfig(ctx, req)
}

func (s *server) ValidateResourceConfig(ctx context.Context, req *tfprotov6.ValidateResourceConfigRequest) (*tfprotov6.ValidateResourceConfigResponse, error) {
	if err := s.before("ValidateResourceConfig"); err != nil {
		return nil, err
	}
	return s.ProviderServer.ValidateResourceConfig(ctx, req)
}

func (s *server) UpgradeResourceState(ctx context.Context, req *tfprotov6.UpgradeResourceStateRequest) (*tfprotov6.UpgradeResourceStateResponse, error) {
	if err := s.before("UpgradeResourceState"); err != nil {
		return nil, err
	}
	resp, err := s.ProviderServer.UpgradeResourceState(ctx, req)
	if err == nil {
		after("UpgradeResourceState", &resp.UpgradedState, nil)
	}
	return resp, err
}

func (s *server) ReadResource(ctx context.Context, req *tfprotov6.ReadResourceRequest) (*tfprotov6.ReadResourceResponse, error) {
	if err := s.before("ReadResource"); err != nil {
		return nil, err
	}
	resp, err := s.ProviderServer.ReadResource(ctx, req)
	if err == nil {
		after("ReadResource", &resp.NewState, &resp.Private)
	}
	return resp, err
}

func (s *server) PlanResourceChange(ctx context.Context, req *tfprotov6.PlanResourceChangeRequest) (*tfprotov6.PlanResourceChangeResponse, error) {
	if err := s.before("PlanResourceChange"); err != nil {
		return nil, err
	}
	resp, err := s.ProviderServer.PlanResourceChange(ctx, req)
	if err == nil {
		after("PlanResourceChange", &resp.PlannedState, &resp.PlannedPrivate)
	}
	return resp, err
}

func (s *server) ApplyResourceChange(ctx context.Context, req *tfprotov6.ApplyResourceChangeRequest) (*tfprotov6.ApplyResourceChangeResponse, error) {
	if err := s.before("ApplyResourceChange"); err != nil {
		return nil, err
	}
	resp, err := s.ProviderServer.ApplyResourceChange(ctx, req)
	if err == nil {
		after("ApplyResourceChange", &resp.NewState, &resp.Private)
	}
	return resp, err
}

func (s *server) ImportResourceState(ctx context.Context, req *tfprotov6.ImportResourceStateRequest) (*tfprotov6.ImportResourceStateResponse, error) {
	if err := s.before("ImportResourceState"); err != nil {
		return nil, err
	}
	resp, err := s.ProviderServer.ImportResourceState(ctx, req)
	if err == nil && faultOf("ImportResourceState") == "none" {
		resp.ImportedResources = nil
	}
	if err == nil && faultOf("ImportResourceState") == "two" {
		resp.ImportedResources = append(resp.ImportedResources, resp.ImportedResources...)
	}
	if err == nil {
		for _, imported := range resp.ImportedResources {
			after("ImportResourceState", &imported.State, &imported.Private)
		}
	}
	return resp, err
}

func (s *server) MoveResourceState(ctx context.Context, req *tfprotov6.MoveResourceStateRequest) (*tfprotov6.MoveResourceStateResponse, error) {
	if err := s.before("MoveResourceState"); err != nil {
		return nil, err
	}
	resp, err := s.ProviderServer.MoveResourceState(ctx, req)
	if err == nil {
		after("MoveResourceState", &resp.TargetState, &resp.TargetPrivate)
	}
	return resp, err
}

func (s *server) ReadDataSource(ctx context.Context, req *tfprotov6.ReadDataSourceRequest) (*tfprotov6.ReadDataSourceResponse, error) {
	if err := s.before("ReadDataSource"); err != nil {
		return nil, err
	}
	resp, err := s.ProviderServer.ReadDataSource(ctx, req)
	if err == nil {
		after("ReadDataSource", &resp.State, nil)
	}
	return resp, err
}

func (s *server) ValidateDataResourceConfig(ctx context.Context, req *tfprotov6.ValidateDataResourceConfigRequest) (*tfprotov6.ValidateDataResourceConfigResponse, error) {
	if err := s.before("ValidateDataResourceConfig"); err != nil {
		return nil, err
	}
	return s.ProviderServer.ValidateDataResourceConfig(ctx, req)
}

func (s *server) ValidateEphemeralResourceConfig(ctx context.Context, req *tfprotov6.ValidateEphemeralResourceConfigRequest) (*tfprotov6.ValidateEphemeralResourceConfigResponse, error) {
	if err := s.before("ValidateEphemeralResourceConfig"); err != nil {
		return nil, err
	}
	return s.ProviderServer.ValidateEphemeralResourceConfig(ctx, req)
}

func (s *server) OpenEphemeralResource(ctx context.Context, req *tfprotov6.OpenEphemeralResourceRequest) (*tfprotov6.OpenEphemeralResourceResponse, error) {
	if err := s.before("OpenEphemeralResource"); err != nil {
		return nil, err
	}
	resp, err := s.ProviderServer.OpenEphemeralResource(ctx, req)
	if err == nil {
		after("OpenEphemeralResource", &resp.Result, &resp.Private)
	}
	return resp, err
}

func (s *server) CloseEphemeralResource(ctx context.Context, req *tfprotov6.CloseEphemeralResourceRequest) (*tfprotov6.CloseEphemeralResourceResponse, error) {
	if err := s.before("CloseEphemeralResource"); err != nil {
		return nil, err
	}
	return s.ProviderServer.CloseEphemeralResource(ctx, req)
}

func (s *server) UpgradeResourceIdentity(ctx context.Context, req *tfprotov6.UpgradeResourceIdentityRequest) (*tfprotov6.UpgradeResourceIdentityResponse, error) {
	if err := s.before("UpgradeResourceIdentity"); err != nil {
		return nil, err
	}
	return s.ProviderServer.UpgradeResourceIdentity(ctx, req)
}

func (s *server) GetProviderSchema(ctx context.Context, req *tfprotov6.GetProviderSchemaRequest) (*tfprotov6.GetProviderSchemaResponse, error) {
	if err := s.before("GetProviderSchema"); err != nil {
		return nil, err
	}
	return s.ProviderServer.GetProviderSchema(ctx, req)
}
