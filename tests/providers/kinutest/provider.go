package main

import (
	"context"

	"github.com/hashicorp/terraform-plugin-framework/datasource"
	"github.com/hashicorp/terraform-plugin-framework/ephemeral"
	"github.com/hashicorp/terraform-plugin-framework/function"
	"github.com/hashicorp/terraform-plugin-framework/provider"
	"github.com/hashicorp/terraform-plugin-framework/provider/schema"
	"github.com/hashicorp/terraform-plugin-framework/resource"
	"github.com/hashicorp/terraform-plugin-framework/types"
)

type testProvider struct{}

// settings is the part of the provider's configuration that resources use.
type settings struct {
	directory string
	prefix    string
}

type providerModel struct {
	Directory types.String `tfsdk:"directory"`
	Prefix    types.String `tfsdk:"prefix"`
	Token     types.String `tfsdk:"token"`
}

func newProvider() provider.Provider { return &testProvider{} }

func (p *testProvider) Metadata(_ context.Context, _ provider.MetadataRequest, resp *provider.MetadataResponse) {
	resp.TypeName = "kinutest"
	resp.Version = "1.0.0"
}

func (p *testProvider) Schema(_ context.Context, _ provider.SchemaRequest, resp *provider.SchemaResponse) {
	resp.Schema = schema.Schema{
		Description: "Objects for tests.",
		Attributes: map[string]schema.Attribute{
			"directory": schema.StringAttribute{
				Optional:    true,
				Description: "Directory that objects are kept in; without it they exist in the state alone.",
			},
			"prefix": schema.StringAttribute{Optional: true, MarkdownDescription: "Start of every `id`."},
			"token":  schema.StringAttribute{Optional: true, Sensitive: true},
		},
	}
}

func (p *testProvider) Configure(ctx context.Context, req provider.ConfigureRequest, resp *provider.ConfigureResponse) {
	var model providerModel
	resp.Diagnostics.Append(req.Config.Get(ctx, &model)...)
	if resp.Diagnostics.HasError() {
		return
	}
	if model.Token.ValueString() == "wrong" {
		resp.Diagnostics.AddError("Invalid token", "The token is wrong.")
		return
	}
	prefix := model.Prefix.ValueString()
	if prefix == "" {
		prefix = "thing"
	}
	given := settings{directory: model.Directory.ValueString(), prefix: prefix}
	resp.ResourceData = given
	resp.DataSourceData = given
	resp.EphemeralResourceData = given
}

func (p *testProvider) Resources(context.Context) []func() resource.Resource {
	return []func() resource.Resource{
		func() resource.Resource { return &thing{} },
		func() resource.Resource { return &entry{} },
	}
}

func (p *testProvider) DataSources(context.Context) []func() datasource.DataSource {
	return []func() datasource.DataSource{func() datasource.DataSource { return &lookup{} }}
}

func (p *testProvider) EphemeralResources(context.Context) []func() ephemeral.EphemeralResource {
	return []func() ephemeral.EphemeralResource{func() ephemeral.EphemeralResource { return &token{} }}
}

func (p *testProvider) Functions(context.Context) []func() function.Function {
	return []func() function.Function{func() function.Function { return shout{} }}
}
