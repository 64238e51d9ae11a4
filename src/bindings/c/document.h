// The document behind a handle of the C interface.
#pragma once

#include <kinu/kinu.h>
#include <kinu/tfjson.h>

struct kinu_document {
  kinu::v1::Document document;
};
