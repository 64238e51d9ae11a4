// The functions behind the command table; each in a file of its own.
#pragma once

#include <string_view>

namespace kinu::cli {

struct Invocation;

int RunAbout(Invocation& invocation);
int RunApply(Invocation& invocation);
int RunCheck(Invocation& invocation);
int RunConsole(Invocation& invocation);
int RunConvert(Invocation& invocation);
int RunDestroy(Invocation& invocation);
int RunEval(Invocation& invocation);
int RunFmt(Invocation& invocation);
int RunForceUnlock(Invocation& invocation);
int RunGraph(Invocation& invocation);
int RunGet(Invocation& invocation);
int RunHcldec(Invocation& invocation);
int RunImport(Invocation& invocation);
int RunInit(Invocation& invocation);
int RunLogin(Invocation& invocation);
int RunLogout(Invocation& invocation);
int RunMetadataFunctions(Invocation& invocation);
int RunOutput(Invocation& invocation);
int RunPlan(Invocation& invocation);
int RunProviders(Invocation& invocation);
int RunProvidersLock(Invocation& invocation);
int RunProvidersMirror(Invocation& invocation);
int RunProvidersSchema(Invocation& invocation);
int RunQuery(Invocation& invocation);
int RunRefresh(Invocation& invocation);
int RunSchema(Invocation& invocation);
int RunShow(Invocation& invocation);
int RunStateList(Invocation& invocation);
int RunStateMv(Invocation& invocation);
int RunStatePull(Invocation& invocation);
int RunStatePush(Invocation& invocation);
int RunStateReplaceProvider(Invocation& invocation);
int RunStateRm(Invocation& invocation);
int RunStateShow(Invocation& invocation);
int RunTaint(Invocation& invocation);
int RunTest(Invocation& invocation);
int RunUntaint(Invocation& invocation);
int RunValidate(Invocation& invocation);
int RunVersion(Invocation& invocation);
int RunWorkspaceDelete(Invocation& invocation);
int RunWorkspace(Invocation& invocation);
int RunWorkspaceList(Invocation& invocation);
int RunWorkspaceNew(Invocation& invocation);
int RunWorkspaceSelect(Invocation& invocation);
int RunWorkspaceShow(Invocation& invocation);

// Help texts; commands/<name>.md, included when building.
extern const std::string_view kConsoleHelp, kLoginHelp, kLogoutHelp, kProvidersLockHelp,
    kProvidersMirrorHelp, kStateReplaceProviderHelp;
extern const std::string_view kAboutHelp, kApplyHelp, kConvertHelp, kDestroyHelp, kEvalHelp,
    kFmtHelp, kForceUnlockHelp, kGetHelp, kHcldecHelp, kInitHelp, kMetadataFunctionsHelp,
    kMetadataHelp, kOutputHelp, kPlanHelp, kProvidersHelp, kProvidersSchemaHelp, kShowHelp,
    kStateHelp, kStateListHelp, kStateMvHelp, kStatePullHelp, kStatePushHelp, kStateRmHelp,
    kStateShowHelp, kTaintHelp, kUntaintHelp, kValidateHelp, kVersionHelp, kWorkspaceDeleteHelp,
    kWorkspaceHelp, kWorkspaceListHelp, kWorkspaceNewHelp, kWorkspaceSelectHelp, kWorkspaceShowHelp;
extern const std::string_view kCheckHelp, kQueryHelp, kSchemaHelp, kTestHelp;
extern const std::string_view kGraphHelp, kImportHelp, kRefreshHelp;

}  // namespace kinu::cli
