#include "view/human/shown.h"

#include <algorithm>
#include <span>

#include "cty/whole_numbers.h"
#include "view/human/diff.h"

namespace kinu::view {

bool IsNothing(const Value* value) {
  return value == nullptr || value->IsNull() || !value->IsKnown();
}

Shown ShownAs(const Value* value) {
  if (IsNothing(value)) {
    return Shown::kNull;
  }
  switch (value->kind()) {
    case TypeKind::kBool:
      return Shown::kBool;
    case TypeKind::kNumber:
      return Shown::kNumber;
    case TypeKind::kString:
      return Shown::kString;
    case TypeKind::kList:
    case TypeKind::kSet:
    case TypeKind::kTuple:
      return Shown::kArray;
    case TypeKind::kMap:
    case TypeKind::kObject:
      return Shown::kObject;
    case TypeKind::kDynamic:
    case TypeKind::kCapsule:
      return Shown::kNull;
  }
  return Shown::kNull;
}

bool IsSensitive(const Value* value) {
  return value != nullptr && value->IsMarked() && value->marks().sensitive();
}

namespace {

std::string NumberText(const Value& value) {
  if (value.IsMarked()) {
    for (const MarkSet::Rare& mark : value.marks().rare()) {
      if (mark.name == kNumberTextMark) {
        return mark.detail;
      }
    }
  }
  return value.AsNumber().ToText();
}

bool ObjectsEqual(const Value& a, const Value& b) {
  const std::span<const Value> as = a.elements();
  const std::span<const Value> bs = b.elements();
  size_t i = 0;
  size_t j = 0;
  while (true) {
    while (i < as.size() && !as[i].IsKnown()) {
      ++i;
    }
    while (j < bs.size() && !bs[j].IsKnown()) {
      ++j;
    }
    if (i == as.size() || j == bs.size()) {
      return i == as.size() && j == bs.size();
    }
    if (a.key(i) != b.key(j) || !ShownEqual(&as[i], &bs[j])) {
      return false;
    }
    ++i;
    ++j;
  }
}

/// Whole numbers are compared by all their digits: states have these, and a new value may be shown
/// with fewer.
std::string ComparedText(const Value& number) {
  std::string text = NumberText(number);
  const bool own = number.AsNumber().IsInteger() && text == number.AsNumber().ToText();
  return own ? ExactText(number.AsNumber()) : text;
}

}  // namespace

bool ShownEqual(const Value* a, const Value* b) {
  const Shown kind = ShownAs(a);
  if (kind != ShownAs(b)) {
    return false;
  }
  if (kind == Shown::kNull || a == b || a->SameRepresentation(*b)) {
    return true;
  }
  switch (kind) {
    case Shown::kNull:
      return true;
    case Shown::kBool:
      return a->AsBool() == b->AsBool();
    case Shown::kNumber:
      return ComparedText(*a) == ComparedText(*b);
    case Shown::kString:
      return a->AsString() == b->AsString();
    case Shown::kArray:
      return std::ranges::equal(a->elements(), b->elements(),
                                [](const Value& x, const Value& y) { return ShownEqual(&x, &y); });
    case Shown::kObject:
      return ObjectsEqual(*a, *b);
  }
  return false;
}

void AppendShown(std::string& out, const Value* value) {
  switch (ShownAs(value)) {
    case Shown::kNull:
      out += '~';
      return;
    case Shown::kBool:
      out += value->AsBool() ? 'T' : 'F';
      return;
    case Shown::kNumber:
      out += '#';
      out += ComparedText(*value);
      out += ';';
      return;
    case Shown::kString: {
      const std::string_view text = value->AsString();
      out += '"';
      out += std::to_string(text.size());
      out += ':';
      out += text;
      return;
    }
    case Shown::kArray:
      out += '[';
      for (const Value& element : value->elements()) {
        AppendShown(out, &element);
      }
      out += ']';
      return;
    case Shown::kObject: {
      out += '{';
      const std::span<const Value> elements = value->elements();
      for (size_t i = 0; i < elements.size(); ++i) {
        if (elements[i].IsKnown()) {
          out += std::to_string(value->key(i).size());
          out += ':';
          out += value->key(i);
          AppendShown(out, &elements[i]);
        }
      }
      out += '}';
      return;
    }
  }
}

}  // namespace kinu::view
