// The functions behind the command table; each in a file of its own.
#pragma once

#include <string_view>

namespace kinu::cli {

struct Invocation;

int RunAbout(Invocation& invocation);
int RunApply(Invocation& invocation);
int RunDestroy(Invocation& invocation);
int RunEval(Invocation& invocation);
int RunInit(Invocation& invocation);
int RunOutput(Invocation& invocation);
int RunPlan(Invocation& invocation);
int RunProvidersSchema(Invocation& invocation);
int RunShow(Invocation& invocation);
int RunStateList(Invocation& invocation);
int RunValidate(Invocation& invocation);
int RunVersion(Invocation& invocation);

// Help texts; commands/<name>.md, included when building.
extern const std::string_view kAboutHelp, kApplyHelp, kDestroyHelp, kEvalHelp, kInitHelp,
    kOutputHelp, kPlanHelp, kProvidersHelp, kProvidersSchemaHelp, kShowHelp, kStateHelp,
    kStateListHelp, kValidateHelp, kVersionHelp;

}  // namespace kinu::cli
