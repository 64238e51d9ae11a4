-- What plans change about the cost of a month: the disks before and after, joined with a table of prices.
with disks as (
  select source, 1 as sign, after as attributes from changes where type = 'cloud_disk' and not drift
  union all
  select source, -1, before from changes where type = 'cloud_disk' and not drift
)
select disks.source, round(sum(sign * cast(attributes ->> '$.size' as double) * prices.month), 2) as difference
from disks
join prices on prices.class = attributes ->> '$.class'
group by disks.source
order by disks.source;
