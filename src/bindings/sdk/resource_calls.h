// The calls of the protocol that concern a managed resource. Each reads its request from the call
// and writes its response there, without problems.
#pragma once

#include "sdk/call.h"
#include "sdk/provider_service.h"

namespace kinu::sdk {

void ValidateResource(const BoundResource& resource, Call& call);
void UpgradeState(const BoundResource& resource, Call& call);
void UpgradeIdentity(const BoundResource& resource, Call& call);
void ReadResource(const BoundResource& resource, Call& call);
void PlanChange(const BoundResource& resource, Call& call);
void ApplyChange(const BoundResource& resource, Call& call);
void ImportState(const BoundResource& resource, Call& call);
void MoveState(const BoundResource& resource, Call& call);

}  // namespace kinu::sdk
