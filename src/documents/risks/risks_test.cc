#include "risks/risks.h"

#include <string>

#include <gtest/gtest.h>

#include "json/tree.h"
#include "risks/report.h"
#include "risks/rules.h"

namespace kinu::risks {
namespace {

/// The risks of a plan with these changes, as "severity rule address, address: reason" lines.
class RisksTest : public ::testing::Test {
 protected:
  std::string Lines(const std::string& changes, const std::string& more = "") {
    auto document = json::Document::Parse(R"({"format_version": "1.2", "resource_changes": [)" +
                                          changes + "]" + more + "}");
    EXPECT_TRUE(document.has_value());
    document_ = *std::move(document);
    auto report = ReadRisks(document_->root(), facts_, rules_.limits());
    EXPECT_TRUE(report.has_value());
    report_ = *std::move(report);
    rules_.Apply(report_, "2027-01-01");
    Collect(report_);
    std::string out;
    for (const Risk& risk : report_.risks) {
      out += std::string(SeverityName(risk.severity)) + " " + std::string(risk.rule) + " " +
             Addresses(risk) + (risk.ignored.empty() ? ": " + risk.reason : " ignored") + "\n";
    }
    return out;
  }

  static std::string Change(const std::string& address, const std::string& actions,
                            const std::string& before, const std::string& after,
                            const std::string& more = "") {
    return R"({"address": ")" + address + R"(", "mode": "managed", "type": ")" +
           address.substr(0, address.find('.')) +
           R"(", "provider_name": "new", "change": {"actions": )" + actions + R"(, "before": )" +
           before + R"(, "after": )" + after + more + "}}";
  }

  void AddRules(const std::string& text) {
    Diagnostics diags;
    rules_.Add("rules.hcl", text, diags);
    EXPECT_FALSE(diags.has_errors());
  }
  std::string ProblemOf(const std::string& text) {
    Diagnostics diags;
    rules_.Add("rules.hcl", text, diags);
    return diags.empty() ? std::string() : diags.begin()->summary + ": " + diags.begin()->detail;
  }

  Facts facts_;
  Rules rules_;
  Report report_;
  std::unique_ptr<json::Document> document_;
};

constexpr std::string_view kDelete = R"(["delete"])";

TEST_F(RisksTest, TypesSayWhatIsHeld) {
  HeldTypes types;
  EXPECT_EQ(types.Of("aws_db_instance"), Holds::kData);
  EXPECT_EQ(types.Of("acme_bucket"), Holds::kData);
  EXPECT_EQ(types.Of("azurerm_dns_a_record"), Holds::kNames);
  EXPECT_EQ(types.Of("aws_instance"), Holds::kNothing);
  EXPECT_EQ(types.Of("aws_s3_bucket_policy"), Holds::kNothing);
  types.Add(Holds::kNothing, {"acme_bucket"});
  types.Add(Holds::kData, {"aws_*_policy"});
  EXPECT_EQ(types.Of("acme_bucket"), Holds::kNothing);
  EXPECT_EQ(types.Of("aws_s3_bucket_policy"), Holds::kData);
  types.DropDefaults();
  types.Add(Holds::kNames, {"other"});
  EXPECT_EQ(types.Of("aws_db_instance"), Holds::kNothing);
}

TEST_F(RisksTest, DestructionSaysWhatProtects) {
  facts_.objects["aws_db_instance.a"] = {.prevention = Prevention::kNoBlock};
  EXPECT_EQ(
      Lines(Change("aws_db_instance.a", R"(["delete"])",
                   R"({"deletion_protection": false, "skip_final_snapshot": true})", "null")),
      "high data-deleted aws_db_instance.a: It holds data. No block declares it any more, so that "
      "nothing prevents its destruction. deletion_protection is false. skip_final_snapshot is "
      "true, so that no last snapshot is made.\n");
  EXPECT_EQ(Lines(Change("acme_thing.a", R"(["create", "delete"])",
                         R"({"deletion_protection": true})", R"({"deletion_protection": true})",
                         R"(, "replace_paths": [["zone"], ["zone", 0], ["kind"]])")),
            "high data-replaced acme_thing.a: It holds data, as deletion_protection says. zone, "
            "kind cannot be updated in place. deletion_protection is true, so that the provider "
            "may refuse to delete it.\n");
  EXPECT_EQ(Lines(Change("aws_eip.a", R"(["delete"])", "{}", "null")),
            "medium name-deleted aws_eip.a: Others may know its name or address.\n");
  EXPECT_EQ(Lines(Change("aws_instance.a", R"(["delete"])", "{}", "null")), "");
  EXPECT_EQ(Lines(Change("aws_db_instance.a", R"(["forget"])", "{}", "null")), "");
}

TEST_F(RisksTest, SensitiveFlagsAreNotTold) {
  EXPECT_EQ(Lines(Change("aws_db_instance.a", R"(["delete"])", R"({"deletion_protection": false})",
                         "null", R"(, "before_sensitive": {"deletion_protection": true})")),
            "high data-deleted aws_db_instance.a: It holds data.\n");
}

TEST_F(RisksTest, ProtectionIsTurnedOff) {
  EXPECT_EQ(Lines(Change("aws_lb.a", R"(["update"])", R"({"enable_deletion_protection": true})",
                         R"({"enable_deletion_protection": false})")),
            "high deletion-protection-off aws_lb.a: The plan turns off what protects it: "
            "enable_deletion_protection.\n");
  EXPECT_EQ(Lines(Change("aws_lb.a", R"(["update"])", R"({"enable_deletion_protection": false})",
                         R"({"enable_deletion_protection": false})")),
            "");
  facts_.objects["aws_db_instance.a"] = {.prevention = Prevention::kAbsent};
  EXPECT_EQ(Lines(Change("aws_db_instance.a", R"(["create"])", "null",
                         R"({"deletion_protection": false})")),
            "medium deletion-protection-off aws_db_instance.a: It holds data, and "
            "deletion_protection is false.\n"
            "medium no-prevent-destroy aws_db_instance.a: It will hold data. Its block has no "
            "prevent_destroy.\n");
}

TEST_F(RisksTest, SecretsBecomeVisible) {
  const auto of = [&](const std::string& before, const std::string& after, const std::string& was,
                      const std::string& is) {
    const std::string lines =
        Lines(Change("t.a", R"(["update"])", before, after,
                     R"(, "before_sensitive": )" + was + R"(, "after_sensitive": )" + is));
    const size_t begin = lines.find(": ");
    return begin == lines.npos ? lines : lines.substr(begin + 2, lines.find(" w") - begin - 2);
  };
  EXPECT_EQ(of(R"({"v": "x"})", R"({"v": "x"})", R"({"v": true})", "{}"), "v");
  EXPECT_EQ(of(R"({"v": "x"})", R"({"v": "x"})", R"({"v": true})", R"({"v": true})"), "");
  EXPECT_EQ(of(R"({"v": "x"})", R"({"v": null})", R"({"v": true})", "{}"), "");
  EXPECT_EQ(of(R"({"v": {"a b": 1, "c": 2}})", R"({"v": {"a b": 1, "c": 2}})",
               R"({"v": {"a b": true, "c": true}})", R"({"v": {"c": true}})"),
            "v['a b']");
  EXPECT_EQ(of(R"({"l": [{"s": 1}, {"s": 2}]})", R"({"l": [{"s": 1}, {"s": 2}]})",
               R"({"l": [{"s": true}, {"s": true}]})", R"({"l": [{"s": true}, {}]})"),
            "l[1].s");
  // A set in another order.
  EXPECT_EQ(of(R"({"l": [{"s": 1}, {}]})", R"({"l": [{}, {"s": 1}]})",
               R"({"l": [{"s": true}, {}]})", R"({"l": [{}, {"s": true}]})"),
            "");
  // A part of what was sensitive as a whole still is.
  EXPECT_EQ(
      of(R"({"v": {"a": 1}})", R"({"v": {"a": 1}})", R"({"v": true})", R"({"v": {"a": true}})"),
      "");
  EXPECT_EQ(of(R"({"v": "x"})", "{}", R"({"v": true})", R"({}, "after_unknown": {"v": true})"),
            "v");
  EXPECT_EQ(Lines("", R"(, "output_changes": {
                          "o": {"before": "x", "after": "x", "before_sensitive": true},
                          "p": {"before": "x", "after": "x", "before_sensitive": true},
                          "q": {"before": null, "after": "x", "before_sensitive": true},
                          "r": {"actions": ["delete"], "before": "x", "after": null, "before_sensitive": true},
                          "s": {"before": "x", "after": "x", "before_sensitive": false}},
                        "configuration": {"root_module": {"outputs": {
                          "o": {}, "p": {"sensitive": true}, "q": {}, "r": {}, "s": {}}}})"),
            "high secret-visible output.o: It was sensitive, and no longer is: the value is shown "
            "from now on.\n");
}

TEST_F(RisksTest, FewOfManyAttributesAreNamed) {
  std::string values;
  std::string mask;
  for (int i = 0; i < 12; ++i) {
    const std::string name = (i == 0 ? "" : ",") + ("\"k" + std::to_string(i)) + "\": ";
    values += name + "1";
    mask += name + "true";
  }
  EXPECT_EQ(Lines(Change("t.a", R"(["update"])", "{" + values + "}", "{" + values + "}",
                         R"(, "before_sensitive": {)" + mask + "}")),
            "high secret-visible t.a: k0, k1, k2, k3, k4, k5, k6, k7, k8, k9 and 2 more were "
            "sensitive, and no longer are: the values are shown from now on.\n");
}

TEST_F(RisksTest, WriteOnlyAttributesAreLeft) {
  EXPECT_EQ(Lines(Change("t.a", R"(["update"])", R"({"pass": null, "pass_wo_version": 1})",
                         R"({"pass": "x", "pass_wo_version": null})",
                         R"(, "after_sensitive": {"pass": true})")),
            "medium write-only-dropped t.a: pass was write-only: the state has the value from now "
            "on.\n");
  EXPECT_EQ(Lines(Change("t.a", R"(["update"])", R"({"pass": null, "pass_wo_version": 1})",
                         R"({"pass": null, "pass_wo_version": 2})")),
            "");
}

TEST_F(RisksTest, ProvidersHaveChanged) {
  facts_.objects["t.a"] = {.earlier_provider = "old"};
  facts_.objects["t.b"] = {.schema_versions = {{1, 2}}};
  EXPECT_EQ(Lines(Change("t.a", R"(["no-op"])", "{}", "{}") + "," +
                  Change("t.b", R"(["no-op"])", "{}", "{}")),
            "medium provider-changed t.a: The state was written with the provider old, and the "
            "plan uses new.\n"
            "medium provider-version-changed t.b: The provider has another version than when the "
            "state was written: its schema version is 2, that of the state 1. After an apply older "
            "versions of the provider cannot read it.\n");
}

TEST_F(RisksTest, ManyAreDestroyedAtOnce) {
  const auto lines = [&](int destroyed, int kept) {
    std::string changes;
    for (int i = 0; i < destroyed + kept; ++i) {
      changes += (i == 0 ? "" : ",") + Change("t.a[" + std::to_string(i) + "]",
                                              i < destroyed ? R"(["delete"])" : R"(["no-op"])",
                                              "{}", "null");
    }
    return Lines(changes);
  };
  EXPECT_EQ(lines(4, 0), "");
  EXPECT_EQ(lines(5, 6), "");
  EXPECT_EQ(lines(5, 5),
            "high many-deleted : The plan destroys 5 of 10 objects, those that it replaces "
            "included.\n");
  EXPECT_EQ(lines(19, 100), "");
  EXPECT_NE(lines(20, 100), "");
  AddRules("many = 200\nshare = 10");
  EXPECT_EQ(lines(20, 300), "");
  EXPECT_NE(lines(20, 100), "");
}

TEST_F(RisksTest, ObjectsOfABlockAreOneRisk) {
  std::string changes;
  for (const std::string key : {"0", "1", "2", "3"}) {
    changes += (changes.empty() ? "" : ",") +
               Change("aws_s3_bucket.a[" + key + "]", std::string(kDelete), "{}", "null");
  }
  EXPECT_EQ(Lines(changes),
            "high data-deleted aws_s3_bucket.a[0], aws_s3_bucket.a[1], aws_s3_bucket.a[2] and 1 "
            "more: It holds data.\n");
  EXPECT_EQ(report_.Count(Severity::kHigh), 4);
  AddRules(R"(ignore "aws_s3_bucket.a[1]" { reason = "empty" })");
  EXPECT_EQ(Lines(changes),
            "high data-deleted aws_s3_bucket.a[0], aws_s3_bucket.a[2], aws_s3_bucket.a[3]: It "
            "holds data.\nhigh data-deleted aws_s3_bucket.a[1] ignored\n");
  EXPECT_EQ(report_.Count(Severity::kHigh), 3);
  EXPECT_EQ(Headline(report_), "Risks: 3 high; 1 does not count.");
}

TEST_F(RisksTest, ExceptionsEnd) {
  AddRules(R"(ignore "aws_eip.*" {
    rules   = ["name-deleted"]
    reason  = "spare"
    expires = "2026-12-31"
  })");
  EXPECT_EQ(Lines(Change("aws_eip.a", R"(["delete"])", "{}", "null")),
            "medium name-deleted aws_eip.a: Others may know its name or address.\n");
  EXPECT_EQ(report_.risks[0].note, "the rule \"spare\" expired on 2026-12-31");
}

TEST_F(RisksTest, RulesHaveProblems) {
  EXPECT_EQ(ProblemOf("many = 0"),
            "Invalid value: The argument must be a whole number from 1 to 1000000000.");
  EXPECT_EQ(ProblemOf("share = 1.5"),
            "Invalid value: The argument must be a whole number from 1 to 100.");
  EXPECT_EQ(ProblemOf("data_types = []"), "Invalid value: The list must name types of resources.");
  EXPECT_EQ(ProblemOf("default_types = null"),
            "Invalid value: The argument must be true or false.");
  EXPECT_EQ(ProblemOf("ignore \"*\" {\n rules = [\"nothing\"]\n reason = \"r\"\n}"),
            "Unknown rule: There is no rule with the name \"nothing\".");
}

TEST_F(RisksTest, FailedPlansMayHaveMore) {
  EXPECT_EQ(Lines("", R"(, "errored": true)"), "");
  EXPECT_EQ(Headline(report_), "Risks: none; planning failed, there may be more.");
}

TEST_F(RisksTest, OnlyPlansHaveRisks) {
  const auto state = json::Document::Parse(R"({"format_version": "1.0", "values": {}})");
  EXPECT_FALSE(ReadRisks((*state)->root(), {}, {}).has_value());
}

}  // namespace
}  // namespace kinu::risks
