package main

import (
	"context"
	"strings"
	"time"

	"github.com/hashicorp/terraform-plugin-framework/datasource"
	dataschema "github.com/hashicorp/terraform-plugin-framework/datasource/schema"
	"github.com/hashicorp/terraform-plugin-framework/ephemeral"
	ephemeralschema "github.com/hashicorp/terraform-plugin-framework/ephemeral/schema"
	"github.com/hashicorp/terraform-plugin-framework/function"
	"github.com/hashicorp/terraform-plugin-framework/types"
)

// lookup is a data source that returns its key in capitals and its other arguments unchanged.
type lookup struct{}

type lookupModel struct {
	Key      types.String  `tfsdk:"key"`
	Value    types.String  `tfsdk:"value"`
	Anything types.Dynamic `tfsdk:"anything"`
	Echo     types.Dynamic `tfsdk:"echo"`
}

func (d *lookup) Metadata(_ context.Context, req datasource.MetadataRequest, resp *datasource.MetadataResponse) {
	resp.TypeName = req.ProviderTypeName + "_lookup"
}

func (d *lookup) Schema(_ context.Context, _ datasource.SchemaRequest, resp *datasource.SchemaResponse) {
	resp.Schema = dataschema.Schema{Attributes: map[string]dataschema.Attribute{
		"key":      dataschema.StringAttribute{Required: true},
		"value":    dataschema.StringAttribute{Computed: true},
		"anything": dataschema.DynamicAttribute{Optional: true},
		"echo":     dataschema.DynamicAttribute{Computed: true, Description: "The same as anything."},
	}}
}

func (d *lookup) Read(ctx context.Context, req datasource.ReadRequest, resp *datasource.ReadResponse) {
	var model lookupModel
	resp.Diagnostics.Append(req.Config.Get(ctx, &model)...)
	if resp.Diagnostics.HasError() {
		return
	}
	if model.Key.ValueString() == "missing" {
		resp.Diagnostics.AddError("Nothing found", "There is no value for this key.")
		return
	}
	model.Value = types.StringValue(strings.ToUpper(model.Key.ValueString()))
	model.Echo = model.Anything
	resp.Diagnostics.Append(resp.State.Set(ctx, model)...)
}

// token is an ephemeral resource that must be renewed.
type token struct{}

type tokenModel struct {
	Name  types.String `tfsdk:"name"`
	Token types.String `tfsdk:"token"`
}

func (e *token) Metadata(_ context.Context, req ephemeral.MetadataRequest, resp *ephemeral.MetadataResponse) {
	resp.TypeName = req.ProviderTypeName + "_token"
}

func (e *token) Schema(_ context.Context, _ ephemeral.SchemaRequest, resp *ephemeral.SchemaResponse) {
	resp.Schema = ephemeralschema.Schema{Attributes: map[string]ephemeralschema.Attribute{
		"name":  ephemeralschema.StringAttribute{Required: true},
		"token": ephemeralschema.StringAttribute{Computed: true, Sensitive: true},
	}}
}

func (e *token) Open(ctx context.Context, req ephemeral.OpenRequest, resp *ephemeral.OpenResponse) {
	var model tokenModel
	resp.Diagnostics.Append(req.Config.Get(ctx, &model)...)
	if resp.Diagnostics.HasError() {
		return
	}
	model.Token = types.StringValue("token-" + model.Name.ValueString())
	resp.RenewAt = time.Now().Add(time.Hour)
	resp.Diagnostics.Append(resp.Private.SetKey(ctx, "state", []byte(`{"renewed":0}`))...)
	resp.Diagnostics.Append(resp.Result.Set(ctx, model)...)
}

func (e *token) Renew(ctx context.Context, req ephemeral.RenewRequest, resp *ephemeral.RenewResponse) {
	private, diags := req.Private.GetKey(ctx, "state")
	resp.Diagnostics.Append(diags...)
	if len(private) == 0 {
		resp.Diagnostics.AddError("Private data lost", "The private data of the token is missing.")
	}
	resp.RenewAt = time.Now().Add(time.Hour)
}

func (e *token) Close(ctx context.Context, req ephemeral.CloseRequest, resp *ephemeral.CloseResponse) {
	private, diags := req.Private.GetKey(ctx, "state")
	resp.Diagnostics.Append(diags...)
	if len(private) == 0 {
		resp.Diagnostics.AddError("Private data lost", "The private data of the token is missing.")
	}
}

// shout implements the function shout(text, more...).
type shout struct{}

func (f shout) Metadata(_ context.Context, _ function.MetadataRequest, resp *function.MetadataResponse) {
	resp.Name = "shout"
}

func (f shout) Definition(_ context.Context, _ function.DefinitionRequest, resp *function.DefinitionResponse) {
	resp.Definition = function.Definition{
		Summary:     "Joins texts in capitals",
		Description: "Returns all arguments in capitals, joined by spaces.",
		Parameters:  []function.Parameter{function.StringParameter{Name: "text", Description: "What to shout."}},
		VariadicParameter: function.StringParameter{
			Name:           "more",
			AllowNullValue: true,
		},
		Return: function.StringReturn{},
	}
}

func (f shout) Run(ctx context.Context, req function.RunRequest, resp *function.RunResponse) {
	var text string
	var more []*string
	resp.Error = function.ConcatFuncErrors(resp.Error, req.Arguments.Get(ctx, &text, &more))
	if resp.Error != nil {
		return
	}
	if text == "" {
		resp.Error = function.NewArgumentFuncError(0, "there is nothing to shout")
		return
	}
	for _, word := range more {
		if word != nil {
			text += " " + *word
		}
	}
	resp.Error = function.ConcatFuncErrors(resp.Error, resp.Result.Set(ctx, strings.ToUpper(text)))
}
