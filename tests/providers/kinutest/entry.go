package main

import (
	"context"

	"github.com/hashicorp/terraform-plugin-framework/path"
	"github.com/hashicorp/terraform-plugin-framework/resource"
	"github.com/hashicorp/terraform-plugin-framework/resource/identityschema"
	"github.com/hashicorp/terraform-plugin-framework/resource/schema"
	"github.com/hashicorp/terraform-plugin-framework/resource/schema/planmodifier"
	"github.com/hashicorp/terraform-plugin-framework/resource/schema/stringplanmodifier"
	"github.com/hashicorp/terraform-plugin-framework/types"
)

// entry is a resource type with an identity, and with deprecated attributes and blocks at every
// depth. Its objects exist only in the state.
type entry struct{}

type entryModel struct {
	ID      types.String `tfsdk:"id"`
	Name    types.String `tfsdk:"name"`
	Region  types.String `tfsdk:"region"`
	Old     types.String `tfsdk:"old"`
	Former  types.String `tfsdk:"former"`
	One     types.Object `tfsdk:"one"`
	Parts   types.List   `tfsdk:"parts"`
	Keyed   types.Map    `tfsdk:"keyed"`
	Section types.List   `tfsdk:"section"`
	Legacy  types.List   `tfsdk:"legacy"`
	Retired types.Set    `tfsdk:"retired"`
}

type entryIdentity struct {
	Name   types.String `tfsdk:"name"`
	Region types.String `tfsdk:"region"`
}

func (r *entry) Metadata(_ context.Context, req resource.MetadataRequest, resp *resource.MetadataResponse) {
	resp.TypeName = req.ProviderTypeName + "_entry"
}

func (r *entry) Schema(_ context.Context, _ resource.SchemaRequest, resp *resource.SchemaResponse) {
	parts := map[string]schema.Attribute{
		"title": schema.StringAttribute{Optional: true},
		"was":   schema.StringAttribute{Optional: true, DeprecationMessage: "Use title."},
	}
	texts := map[string]schema.Attribute{"text": schema.StringAttribute{Optional: true}}
	resp.Schema = schema.Schema{
		Attributes: map[string]schema.Attribute{
			"id": schema.StringAttribute{
				Computed:      true,
				PlanModifiers: []planmodifier.String{stringplanmodifier.UseStateForUnknown()},
			},
			"name": schema.StringAttribute{
				Required:      true,
				PlanModifiers: []planmodifier.String{stringplanmodifier.RequiresReplace()},
			},
			"region": schema.StringAttribute{
				Optional:      true,
				PlanModifiers: []planmodifier.String{stringplanmodifier.RequiresReplace()},
			},
			"old":    schema.StringAttribute{Optional: true, DeprecationMessage: "Use name."},
			"former": schema.StringAttribute{Computed: true, DeprecationMessage: "Use id."},
			"one":    schema.SingleNestedAttribute{Optional: true, Attributes: parts},
			"parts": schema.ListNestedAttribute{
				Optional:     true,
				NestedObject: schema.NestedAttributeObject{Attributes: parts},
			},
			"keyed": schema.MapNestedAttribute{
				Optional:     true,
				NestedObject: schema.NestedAttributeObject{Attributes: parts},
			},
		},
		Blocks: map[string]schema.Block{
			"section": schema.ListNestedBlock{NestedObject: schema.NestedBlockObject{Attributes: parts}},
			"legacy": schema.ListNestedBlock{
				NestedObject:       schema.NestedBlockObject{Attributes: texts},
				DeprecationMessage: "Use section.",
			},
			"retired": schema.SetNestedBlock{
				NestedObject:       schema.NestedBlockObject{Attributes: parts},
				DeprecationMessage: "Use section instead.",
			},
		},
	}
}

func (r *entry) IdentitySchema(_ context.Context, _ resource.IdentitySchemaRequest, resp *resource.IdentitySchemaResponse) {
	resp.IdentitySchema = identityschema.Schema{
		Version: 1,
		Attributes: map[string]identityschema.Attribute{
			"name":   identityschema.StringAttribute{RequiredForImport: true, Description: "The name."},
			"region": identityschema.StringAttribute{OptionalForImport: true},
		},
	}
}

func (r *entry) UpgradeIdentity(context.Context) map[int64]resource.IdentityUpgrader {
	return map[int64]resource.IdentityUpgrader{
		0: {
			PriorSchema: &identityschema.Schema{Attributes: map[string]identityschema.Attribute{
				"title": identityschema.StringAttribute{RequiredForImport: true},
			}},
			IdentityUpgrader: func(ctx context.Context, req resource.UpgradeIdentityRequest, resp *resource.UpgradeIdentityResponse) {
				var title types.String
				resp.Diagnostics.Append(req.Identity.GetAttribute(ctx, path.Root("title"), &title)...)
				resp.Diagnostics.Append(resp.Identity.Set(ctx, entryIdentity{Name: title})...)
			},
		},
	}
}

func identityOf(model entryModel) entryIdentity {
	return entryIdentity{Name: model.Name, Region: model.Region}
}

func (r *entry) Create(ctx context.Context, req resource.CreateRequest, resp *resource.CreateResponse) {
	var model entryModel
	resp.Diagnostics.Append(req.Plan.Get(ctx, &model)...)
	if resp.Diagnostics.HasError() {
		return
	}
	model.ID = types.StringValue(model.Region.ValueString() + "/" + model.Name.ValueString())
	model.Former = model.ID
	resp.Diagnostics.Append(resp.State.Set(ctx, model)...)
	resp.Diagnostics.Append(resp.Identity.Set(ctx, identityOf(model))...)
}

func (r *entry) Read(ctx context.Context, req resource.ReadRequest, resp *resource.ReadResponse) {
	var model entryModel
	resp.Diagnostics.Append(req.State.Get(ctx, &model)...)
	if resp.Diagnostics.HasError() {
		return
	}
	if model.Name.ValueString() == "gone" {
		resp.State.RemoveResource(ctx)
		return
	}
	resp.Diagnostics.Append(resp.Identity.Set(ctx, identityOf(model))...)
}

func (r *entry) Update(ctx context.Context, req resource.UpdateRequest, resp *resource.UpdateResponse) {
	var model entryModel
	resp.Diagnostics.Append(req.Plan.Get(ctx, &model)...)
	if resp.Diagnostics.HasError() {
		return
	}
	model.Former = model.ID
	resp.Diagnostics.Append(resp.State.Set(ctx, model)...)
	resp.Diagnostics.Append(resp.Identity.Set(ctx, identityOf(model))...)
}

func (r *entry) Delete(context.Context, resource.DeleteRequest, *resource.DeleteResponse) {}

func (r *entry) ImportState(ctx context.Context, req resource.ImportStateRequest, resp *resource.ImportStateResponse) {
	name, region := types.StringValue(req.ID), types.StringNull()
	if req.ID == "" {
		var given entryIdentity
		resp.Diagnostics.Append(req.Identity.Get(ctx, &given)...)
		name, region = given.Name, given.Region
	}
	resp.Diagnostics.Append(resp.State.SetAttribute(ctx, path.Root("id"), region.ValueString()+"/"+name.ValueString())...)
	resp.Diagnostics.Append(resp.State.SetAttribute(ctx, path.Root("former"), region.ValueString()+"/"+name.ValueString())...)
	resp.Diagnostics.Append(resp.State.SetAttribute(ctx, path.Root("name"), name)...)
	resp.Diagnostics.Append(resp.State.SetAttribute(ctx, path.Root("region"), region)...)
	resp.Diagnostics.Append(resp.Identity.Set(ctx, entryIdentity{Name: name, Region: region})...)
}
