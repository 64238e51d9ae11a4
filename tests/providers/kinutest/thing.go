package main

import (
	"context"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"time"

	"github.com/hashicorp/terraform-plugin-framework/path"
	"github.com/hashicorp/terraform-plugin-framework/resource"
	"github.com/hashicorp/terraform-plugin-framework/resource/schema"
	"github.com/hashicorp/terraform-plugin-framework/resource/schema/int64default"
	"github.com/hashicorp/terraform-plugin-framework/resource/schema/planmodifier"
	"github.com/hashicorp/terraform-plugin-framework/resource/schema/stringplanmodifier"
	"github.com/hashicorp/terraform-plugin-framework/types"
	"github.com/hashicorp/terraform-plugin-go/tfprotov6"
)

type thing struct{ settings settings }

type thingModel struct {
	ID       types.String `tfsdk:"id"`
	Name     types.String `tfsdk:"name"`
	Value    types.String `tfsdk:"value"`
	Secret   types.String `tfsdk:"secret"`
	Password types.String `tfsdk:"password"`
	Size     types.Int64  `tfsdk:"size"`
	Ratio    types.Number `tfsdk:"ratio"`
	Tags     types.Map    `tfsdk:"tags"`
	Revision types.Int64  `tfsdk:"revision"`
	Behave   types.String `tfsdk:"behave"`
	Settings types.Object `tfsdk:"settings"`
	Rules    types.List   `tfsdk:"rules"`
	Limits   types.Map    `tfsdk:"limits"`
	Members  types.Set    `tfsdk:"members"`
	Disk     types.List   `tfsdk:"disk"`
	Label    types.Set    `tfsdk:"label"`
	Network  types.Object `tfsdk:"network"`
}

func (r *thing) Metadata(_ context.Context, req resource.MetadataRequest, resp *resource.MetadataResponse) {
	resp.TypeName = req.ProviderTypeName + "_thing"
}

func (r *thing) Schema(_ context.Context, _ resource.SchemaRequest, resp *resource.SchemaResponse) {
	rule := schema.NestedAttributeObject{Attributes: map[string]schema.Attribute{
		"port":  schema.Int64Attribute{Required: true},
		"label": schema.StringAttribute{Optional: true},
	}}
	resp.Schema = schema.Schema{
		Version:     2,
		Description: "An object with everything.",
		Attributes: map[string]schema.Attribute{
			"id": schema.StringAttribute{
				Computed:      true,
				PlanModifiers: []planmodifier.String{stringplanmodifier.UseStateForUnknown()},
			},
			"name": schema.StringAttribute{
				Required:      true,
				PlanModifiers: []planmodifier.String{stringplanmodifier.RequiresReplace()},
			},
			"value":    schema.StringAttribute{Optional: true},
			"secret":   schema.StringAttribute{Optional: true, Sensitive: true},
			"password": schema.StringAttribute{Optional: true, WriteOnly: true},
			"size":     schema.Int64Attribute{Optional: true, Computed: true, Default: int64default.StaticInt64(1)},
			"ratio":    schema.NumberAttribute{Optional: true},
			"tags":     schema.MapAttribute{Optional: true, ElementType: types.StringType},
			"revision": schema.Int64Attribute{Computed: true, Description: "Counts the writes."},
			"behave": schema.StringAttribute{
				Optional:           true,
				Description:        "Misbehaviour to show: fail-create, fail-update, fail-delete, warn, slow, crash.",
				DeprecationMessage: "For tests only.",
			},
			"settings": schema.SingleNestedAttribute{
				Optional: true,
				Attributes: map[string]schema.Attribute{
					"enabled": schema.BoolAttribute{Required: true},
					"key":     schema.StringAttribute{Optional: true, Sensitive: true},
				},
			},
			"rules":   schema.ListNestedAttribute{Optional: true, NestedObject: rule},
			"limits":  schema.MapNestedAttribute{Optional: true, NestedObject: rule},
			"members": schema.SetNestedAttribute{Optional: true, NestedObject: rule},
		},
		Blocks: map[string]schema.Block{
			"disk": schema.ListNestedBlock{
				NestedObject: schema.NestedBlockObject{
					Attributes: map[string]schema.Attribute{
						"size": schema.Int64Attribute{Required: true},
						"kind": schema.StringAttribute{Optional: true},
					},
					Blocks: map[string]schema.Block{
						"partition": schema.ListNestedBlock{NestedObject: schema.NestedBlockObject{
							Attributes: map[string]schema.Attribute{"mount": schema.StringAttribute{Required: true}},
						}},
					},
				},
			},
			"label": schema.SetNestedBlock{NestedObject: schema.NestedBlockObject{
				Attributes: map[string]schema.Attribute{"text": schema.StringAttribute{Required: true}},
			}},
			"network": schema.SingleNestedBlock{Attributes: map[string]schema.Attribute{
				"address": schema.StringAttribute{Optional: true},
			}},
		},
	}
}

func (r *thing) Configure(_ context.Context, req resource.ConfigureRequest, _ *resource.ConfigureResponse) {
	if given, ok := req.ProviderData.(settings); ok {
		r.settings = given
	}
}

// wait takes the time that bench/refresh.py gives each call.
func wait() {
	if delay, err := time.ParseDuration(os.Getenv("KINUTEST_DELAY")); err == nil {
		time.Sleep(delay)
	}
}

func (r *thing) ValidateConfig(ctx context.Context, req resource.ValidateConfigRequest, resp *resource.ValidateConfigResponse) {
	wait()
	var name types.String
	resp.Diagnostics.Append(req.Config.GetAttribute(ctx, path.Root("name"), &name)...)
	if name.ValueString() == "invalid" {
		resp.Diagnostics.AddAttributeError(path.Root("name"), "Invalid name", "This name is not allowed.")
	}
	var behave types.String
	resp.Diagnostics.Append(req.Config.GetAttribute(ctx, path.Root("behave"), &behave)...)
	if behave.ValueString() == "warn" {
		resp.Diagnostics.AddAttributeWarning(path.Root("behave"), "Odd behaviour", "A warning was asked for.")
	}
}

func (r *thing) ModifyPlan(ctx context.Context, req resource.ModifyPlanRequest, resp *resource.ModifyPlanResponse) {
	wait()
	if req.Plan.Raw.IsNull() || req.State.Raw.IsNull() {
		return
	}
	var plan, state thingModel
	resp.Diagnostics.Append(req.Plan.Get(ctx, &plan)...)
	resp.Diagnostics.Append(req.State.Get(ctx, &state)...)
	if !resp.Diagnostics.HasError() && plan.Revision.IsUnknown() && req.Plan.Raw.Equal(req.State.Raw) {
		resp.Diagnostics.Append(resp.Plan.SetAttribute(ctx, path.Root("revision"), state.Revision)...)
	}
}

// misbehave does what the attribute `behave` demands at this point of an object's life.
func misbehave(model thingModel, point string, fail func(summary, detail string)) bool {
	switch model.Behave.ValueString() {
	case "fail-" + point:
		fail("Failed as told", "The object "+model.Name.ValueString()+" fails on "+point+".")
		return true
	case "crash":
		panic("crashed as told")
	case "slow":
		time.Sleep(2 * time.Second)
	}
	return false
}

func (r *thing) file(id string) string { return filepath.Join(r.settings.directory, id+".json") }

func (r *thing) save(model thingModel) error {
	if r.settings.directory == "" {
		return nil
	}
	text, err := json.Marshal(map[string]string{
		"name":  model.Name.ValueString(),
		"value": model.Value.ValueString(),
	})
	if err != nil {
		return err
	}
	// A test may kill this process while it writes: the file is the old one or the new one.
	file := r.file(model.ID.ValueString())
	if err := os.WriteFile(file+".new", text, 0o644); err != nil {
		return err
	}
	return os.Rename(file+".new", file)
}

func (r *thing) Create(ctx context.Context, req resource.CreateRequest, resp *resource.CreateResponse) {
	var model thingModel
	resp.Diagnostics.Append(req.Plan.Get(ctx, &model)...)
	if resp.Diagnostics.HasError() || misbehave(model, "create", resp.Diagnostics.AddError) {
		return
	}
	model.ID = types.StringValue(fmt.Sprintf("%s-%s", r.settings.prefix, model.Name.ValueString()))
	model.Revision = types.Int64Value(1)
	if err := r.save(model); err != nil {
		resp.Diagnostics.AddError("Cannot save", err.Error())
		return
	}
	resp.Diagnostics.Append(resp.Private.SetKey(ctx, "writes", []byte(`{"count":1}`))...)
	resp.Diagnostics.Append(resp.State.Set(ctx, model)...)
}

func (r *thing) Read(ctx context.Context, req resource.ReadRequest, resp *resource.ReadResponse) {
	wait()
	if r.settings.directory == "" {
		return
	}
	var model thingModel
	resp.Diagnostics.Append(req.State.Get(ctx, &model)...)
	if resp.Diagnostics.HasError() {
		return
	}
	text, err := os.ReadFile(r.file(model.ID.ValueString()))
	if os.IsNotExist(err) {
		resp.State.RemoveResource(ctx)
		return
	}
	stored := map[string]string{}
	if err == nil {
		err = json.Unmarshal(text, &stored)
	}
	if err != nil {
		resp.Diagnostics.AddError("Cannot read", err.Error())
		return
	}
	model.Name = types.StringValue(stored["name"])
	if stored["value"] != model.Value.ValueString() {
		model.Value = types.StringValue(stored["value"])
	}
	resp.Diagnostics.Append(resp.State.Set(ctx, model)...)
}

func (r *thing) Update(ctx context.Context, req resource.UpdateRequest, resp *resource.UpdateResponse) {
	var model, state thingModel
	resp.Diagnostics.Append(req.Plan.Get(ctx, &model)...)
	resp.Diagnostics.Append(req.State.Get(ctx, &state)...)
	if resp.Diagnostics.HasError() || misbehave(model, "update", resp.Diagnostics.AddError) {
		return
	}
	var writes struct{ Count int64 }
	private, diags := req.Private.GetKey(ctx, "writes")
	resp.Diagnostics.Append(diags...)
	if err := json.Unmarshal(private, &writes); err != nil {
		resp.Diagnostics.AddError("Private state lost", "The private state of the object is missing.")
		return
	}
	writes.Count++
	model.ID = state.ID
	model.Revision = types.Int64Value(writes.Count)
	if err := r.save(model); err != nil {
		resp.Diagnostics.AddError("Cannot save", err.Error())
		return
	}
	text := fmt.Sprintf(`{"count":%d}`, writes.Count)
	resp.Diagnostics.Append(resp.Private.SetKey(ctx, "writes", []byte(text))...)
	resp.Diagnostics.Append(resp.State.Set(ctx, model)...)
}

func (r *thing) Delete(ctx context.Context, req resource.DeleteRequest, resp *resource.DeleteResponse) {
	var model thingModel
	resp.Diagnostics.Append(req.State.Get(ctx, &model)...)
	if resp.Diagnostics.HasError() || misbehave(model, "delete", resp.Diagnostics.AddError) {
		return
	}
	if r.settings.directory != "" {
		if err := os.Remove(r.file(model.ID.ValueString())); err != nil && !os.IsNotExist(err) {
			resp.Diagnostics.AddError("Cannot delete", err.Error())
		}
	}
}

func (r *thing) ImportState(ctx context.Context, req resource.ImportStateRequest, resp *resource.ImportStateResponse) {
	if req.ID == "missing" {
		resp.Diagnostics.AddError("No such object", "There is no object "+req.ID+".")
		return
	}
	resp.Diagnostics.Append(resp.State.SetAttribute(ctx, path.Root("id"), req.ID)...)
	resp.Diagnostics.Append(resp.State.SetAttribute(ctx, path.Root("name"), req.ID)...)
	resp.Diagnostics.Append(resp.Private.SetKey(ctx, "writes", []byte(`{"count":1}`))...)
}

func (r *thing) UpgradeState(context.Context) map[int64]resource.StateUpgrader {
	return map[int64]resource.StateUpgrader{
		1: {StateUpgrader: func(ctx context.Context, req resource.UpgradeStateRequest, resp *resource.UpgradeStateResponse) {
			var old struct {
				ID    string `json:"id"`
				Title string `json:"title"`
			}
			if err := json.Unmarshal(req.RawState.JSON, &old); err != nil {
				resp.Diagnostics.AddError("Cannot upgrade", err.Error())
				return
			}
			text, err := json.Marshal(map[string]any{
				"id": old.ID, "name": old.Title, "size": 1, "revision": 1,
				"disk": []string{}, "label": []string{},
			})
			if err != nil {
				resp.Diagnostics.AddError("Cannot upgrade", err.Error())
				return
			}
			resp.DynamicValue = &tfprotov6.DynamicValue{JSON: text}
		}},
	}
}

// MoveState accepts objects of kinutest_entry, by their name, and of terraform_data, by their
// input.
func (r *thing) MoveState(context.Context) []resource.StateMover {
	return []resource.StateMover{{
		StateMover: func(ctx context.Context, req resource.MoveStateRequest, resp *resource.MoveStateResponse) {
			var old struct {
				ID    string `json:"id"`
				Name  string `json:"name"`
				Input struct {
					Value string `json:"value"`
				} `json:"input"`
			}
			known := req.SourceProviderAddress + " " + req.SourceTypeName
			if known != "registry.opentofu.org/kinu/kinutest kinutest_entry" && known != "terraform.io/builtin/terraform terraform_data" {
				return
			}
			if err := json.Unmarshal(req.SourceRawState.JSON, &old); err != nil {
				resp.Diagnostics.AddError("Cannot move", err.Error())
				return
			}
			if old.Name == "" {
				old.Name = old.Input.Value
			}
			if old.Name == "stuck" {
				resp.Diagnostics.AddAttributeError(path.Root("name"), "Cannot move", "This object stays what it is.")
				return
			}
			if old.Name == "doubtful" {
				resp.Diagnostics.AddWarning("Moved with doubts", "Have a look at the object.")
			}
			resp.Diagnostics.Append(resp.TargetState.SetAttribute(ctx, path.Root("id"), old.ID)...)
			resp.Diagnostics.Append(resp.TargetState.SetAttribute(ctx, path.Root("name"), old.Name)...)
			resp.Diagnostics.Append(resp.TargetState.SetAttribute(ctx, path.Root("size"), int64(1))...)
			resp.Diagnostics.Append(resp.TargetState.SetAttribute(ctx, path.Root("revision"), int64(1))...)
			resp.Diagnostics.Append(resp.TargetPrivate.SetKey(ctx, "writes", []byte(`{"count":1}`))...)
		},
	}}
}
