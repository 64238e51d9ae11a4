#include "addrs/targets.h"

#include <string>
#include <vector>

#include <gtest/gtest.h>

namespace kinu {
namespace {

TEST(Targets, ContainWhatTheirAddressCovers) {
  struct Case {
    const char* target;
    const char* instance;
    bool contained;
    bool touched;  ///< the block of the instance, keys ignored
  };
  static constexpr Case kCases[] = {
      {"t.a", "t.a", true, true},
      {"t.a", "t.a[0]", true, true},
      {"t.a[0]", "t.a[0]", true, true},
      {"t.a[0]", "t.a[1]", false, true},
      {"t.a[\"k\"]", "t.a[\"k\"]", true, true},
      {"t.a", "t.b", false, false},
      {"t.a", "data.t.a", false, false},
      {"data.t.a", "data.t.a[1]", true, true},
      {"module.m", "module.m.t.a", true, true},
      {"module.m", "module.m[1].t.a", true, true},
      {"module.m", "module.m[1].module.n.t.a[3]", true, true},
      {"module.m[0]", "module.m[0].t.a", true, true},
      {"module.m[0]", "module.m[1].t.a", false, true},
      {"module.m[0]", "module.m.t.a", false, true},
      {"module.m.module.n", "module.m[0].module.n.t.a", false, true},
      {"module.m.t.a", "module.m[0].t.a", false, true},
      {"module.m[0].t.a", "module.m[0].t.a[2]", true, true},
      {"module.m", "t.a", false, false},
  };
  for (const Case& c : kCases) {
    SCOPED_TRACE(std::string(c.target) + " and " + c.instance);
    Program program;
    std::vector<TargetAddress> list(1);
    ASSERT_TRUE(ParseTarget(program, c.target, list.data()));
    EXPECT_EQ(ToText(program, list[0]), c.target);
    Targets targets(program, list, {});
    Targets excludes(program, {}, list);
    ResourceInstance instance;
    ASSERT_TRUE(program.ParseResourceInstance(c.instance, &instance));
    const ConfigResource block{program.ModuleOf(instance.resource.module),
                               instance.resource.resource};
    EXPECT_EQ(targets.Contains(instance), c.contained);
    EXPECT_EQ(targets.Wants(instance), c.contained);
    EXPECT_EQ(excludes.Wants(instance), !c.contained);
    EXPECT_EQ(targets.Touches(block), c.touched);
  }
}

}  // namespace
}  // namespace kinu
