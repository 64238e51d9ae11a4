-- An attribute over many states: the states in which it has another value than in most.
with found as (
  select source, address, text as value
  from attributes
  where side = 'state' and path = 'encrypted'
),
usual as (select mode(value) as value from found)
select found.source, found.address, found.value, usual.value as usual
from found, usual
where found.value is distinct from usual.value
order by found.source, found.address;
