#include "query/stream.h"

namespace kinu::query {

using json::Node;
using json::TokenStream;
using tfjson::TrailStep;

namespace {

/// Whether the segment is the member `values` of a state, which contains its outputs and modules
/// and has no mask beside it.
bool IsStateValues(const Query& query, size_t segment) {
  if (segment != 0 || query.segments.size() < 2 || query.segments[1].descendant ||
      query.segments[1].selectors.size() != 1) {
    return false;
  }
  const std::string& next = query.segments[1].selectors[0].name;
  return query.segments[0].selectors[0].name == "values" &&
         (next == "root_module" || next == "outputs");
}

/// Whether a selector can decide about each child in document order, without knowing the size.
bool IsForward(const Selector& selector) {
  switch (selector.kind) {
    case Selector::Kind::kName:
    case Selector::Kind::kWildcard:
    case Selector::Kind::kFilter:
      return true;
    case Selector::Kind::kIndex:
      return selector.index >= 0;
    case Selector::Kind::kSlice:
      return selector.step > 0 && selector.start.value_or(0) >= 0 && selector.end.value_or(0) >= 0;
  }
  return false;
}

class Walk {
 public:
  Walk(TokenStream& stream, const Query& query, const RunOptions& options, const FoundSink& sink)
      : stream_(stream),
        query_(query),
        keep_masks_(options.keep_masks),
        many_(options.many),
        streamed_(StreamedSegments(query, options)),
        sink_(sink) {}

  bool Run() {
    if (many_ && stream_.Peek() == '\0') {
      return stream_.TakeEnd();
    }
    do {
      if (!Visit(0) || stopped_) {
        return stopped_;
      }
    } while (many_ && stream_.Peek() != '\0');
    return stream_.TakeEnd();
  }

 private:
  /// Applies the query from segment number `segment` on to the current value, and reads past it.
  bool Visit(size_t segment) {
    if (segment >= streamed_) {
      return EvaluateInMemory(segment);
    }
    const Selector& selector = query_.segments[segment].selectors[0];
    const char first = stream_.Peek();
    if (first == '{' && selector.kind == Selector::Kind::kName) {
      return Members(segment, &selector.name);
    }
    const bool all =
        selector.kind == Selector::Kind::kWildcard || selector.kind == Selector::Kind::kFilter;
    if (first == '{' && all) {
      // Masks of a member may follow it, so the object must be held to its end.
      return keep_masks_ ? EvaluateInMemory(segment) : Members(segment, nullptr);
    }
    if (first == '[' && selector.kind != Selector::Kind::kName) {
      return Elements(segment, selector);
    }
    return stream_.SkipValue();
  }

  /// Continues at the current child, which the selector of `segment` has chosen.
  bool VisitChosen(size_t segment) {
    const Selector& selector = query_.segments[segment].selectors[0];
    if (selector.kind != Selector::Kind::kFilter) {
      return Visit(segment + 1);
    }
    if (!tree_.Read(stream_)) {
      return false;
    }
    Evaluator evaluator(tree_.root());
    const bool holds = evaluator.Test(*selector.filter, tree_.root());
    return !ReportAmbiguous(evaluator) && (!holds || Evaluate(evaluator, segment + 1));
  }

  /// Visits all members of an object, or those named `*wanted`.
  bool Members(size_t segment, const std::string* wanted) {
    bool found = false;
    stream_.Advance();
    for (bool first = true; stream_.Peek() != '}'; first = false) {
      if (!first && !stream_.Take(',', "',' or '}' is expected")) {
        return false;
      }
      if (stream_.Peek() != '"') {
        return stream_.FailHere("the name of a member is expected");
      }
      const std::string_view quoted = stream_.Text();
      bool chosen = true;
      // An escape is longer than its character, so a name that is not longer than the wanted one
      // can be compared without decoding.
      const bool escaped =
          (wanted == nullptr || quoted.size() > wanted->size() + 2) && stream_.HasEscapes();
      if (wanted != nullptr) {
        chosen = escaped ? json::DecodeString(quoted) == *wanted
                         : quoted.size() == wanted->size() + 2 &&
                               quoted.substr(1, wanted->size()) == *wanted;
        if (chosen && found) {
          return stream_.FailHere("an object has this name twice");
        }
        found = found || chosen;
      }
      if (chosen) {
        passed_.emplace_back(escaped ? json::DecodeString(quoted)
                                     : std::string(quoted.substr(1, quoted.size() - 2)));
      }
      stream_.Advance();
      if (!stream_.Take(':', "':' is expected")) {
        return false;
      }
      if (!chosen) {
        if (!stream_.SkipValue()) {
          return false;
        }
        continue;
      }
      if (!VisitChosen(segment) || stopped_) {
        return stopped_;
      }
      passed_.pop_back();
    }
    stream_.Advance();
    return true;
  }

  bool Elements(size_t segment, const Selector& selector) {
    uint64_t index = 0;
    stream_.Advance();
    for (; stream_.Peek() != ']'; ++index) {
      if (index > 0 && !stream_.Take(',', "',' or ']' is expected")) {
        return false;
      }
      bool chosen = true;
      if (selector.kind == Selector::Kind::kIndex) {
        chosen = index == static_cast<uint64_t>(selector.index);
      } else if (selector.kind == Selector::Kind::kSlice) {
        const auto start = static_cast<uint64_t>(selector.start.value_or(0));
        chosen = index >= start && (index - start) % static_cast<uint64_t>(selector.step) == 0 &&
                 (!selector.end || index < static_cast<uint64_t>(*selector.end));
      }
      if (!chosen) {
        if (!stream_.SkipValue()) {
          return false;
        }
        continue;
      }
      passed_.emplace_back(index);
      if (!VisitChosen(segment) || stopped_) {
        return stopped_;
      }
      passed_.pop_back();
    }
    stream_.Advance();
    return true;
  }

  /// Reads the value into memory and evaluates the rest of the query there.
  bool EvaluateInMemory(size_t segment) {
    if (!tree_.Read(stream_)) {
      return false;
    }
    Evaluator evaluator(tree_.root());
    return Evaluate(evaluator, segment);
  }

  bool Evaluate(Evaluator& evaluator, size_t segment) {
    const auto rest = std::span(query_.segments).subspan(segment);
    const bool all =
        evaluator.Run(rest, tree_.root(), [&](Node node, std::span<const TrailStep> trail) {
          return sink_({.node = node, .passed = passed_, .trail = trail});
        });
    if (ReportAmbiguous(evaluator)) {
      return false;
    }
    stopped_ = stopped_ || !all;
    return true;
  }

  bool ReportAmbiguous(const Evaluator& evaluator) {
    return evaluator.problem() &&
           !stream_.FailAt(evaluator.problem()->offset, evaluator.problem()->message);
  }

  TokenStream& stream_;
  const Query& query_;
  bool keep_masks_;
  bool many_;
  size_t streamed_;
  const FoundSink& sink_;
  json::Tree tree_;
  std::vector<tfjson::PathStep> passed_;
  bool stopped_ = false;
};

}  // namespace

size_t StreamedSegments(const Query& query, const RunOptions& options) {
  const QueryNeeds needs = NeedsOf(query);
  if (needs.root || needs.trail) {
    return 0;
  }
  size_t count = 0;
  for (const Segment& segment : query.segments) {
    if (segment.descendant || segment.selectors.size() != 1) {
      break;
    }
    const Selector& selector = segment.selectors[0];
    if (!IsForward(selector) ||
        (options.keep_masks && selector.kind == Selector::Kind::kName &&
         tfjson::HasMaskBeside(selector.name) && !IsStateValues(query, count))) {
      break;
    }
    ++count;
    if (selector.kind == Selector::Kind::kFilter) {
      break;
    }
  }
  return count;
}

bool RunQuery(TokenStream& stream, const Query& query, const RunOptions& options,
              const FoundSink& sink) {
  return Walk(stream, query, options, sink).Run();
}

}  // namespace kinu::query
