-- The modules that allow a provider below version 5, with the plans that they are in.
with required as (
  select source, coalesce(module, '') as module, version_constraint,
         cast(regexp_extract(version_constraint, '(\d+)', 1) as integer) as major
  from providers
  where provider like '%/acme/cloud'
)
select required.source, required.module, modules.module_source, required.version_constraint
from required
left join modules on modules.source = required.source and coalesce(modules.address, '') = required.module
where required.major < 5
order by all;
