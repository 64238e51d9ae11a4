-- What depends on a block, directly or through others, modules and their outputs: $block, such as 'cloud_network.main'
-- or 'module.shop.cloud_host.web'. Documents of plans do not have local values: what refers to a block through one of
-- them is not found.
with recursive
edges as (
  -- An argument of a module call is the variable of that module; module.m.o is the output o of m.
  select distinct
    source,
    case when address like 'module.%' and path not in ('count', 'for_each', 'depends_on')
      then concat_ws('.', module, address, 'var', regexp_extract(path, '^[^.\[]+'))
      else concat_ws('.', module, address) end as dependent,
    case
      when reference like 'module.%.%' then concat_ws('.', module, 'module', part[2], 'output', part[3])
      when reference like 'data.%' then concat_ws('.', module, 'data', part[2], part[3])
      else concat_ws('.', module, part[1], part[2]) end as dependency
  from (select *, string_split(regexp_replace(reference, '\[[^\]]*\]', '', 'g'), '.') as part from "references")
),
reached as (
  select source, dependent, 1 as distance from edges where dependency = $block
  union
  select edges.source, edges.dependent, reached.distance + 1
  from edges
  join reached on edges.source = reached.source and edges.dependency = reached.dependent
  where reached.distance < 100
)
select source, dependent, min(distance) as distance
from reached
where not regexp_matches(dependent, '(^|\.)(var|output)\.[^.]*$')
group by all
order by source, distance, dependent;
