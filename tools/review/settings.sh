# Settings and functions of the steps of action.yml. KINU_REVIEW_DIRECTORY is the configuration, _ARGUMENTS are further
# arguments of plan, _POLICIES is a check file or a directory of them, _OUTPUT receives the results; KINU is the program.
# shellcheck shell=bash
kinu=${KINU:-kinu}
directory=${KINU_REVIEW_DIRECTORY:-.}
policies=${KINU_REVIEW_POLICIES:-}
mkdir -p "${KINU_REVIEW_OUTPUT:-kinu-review}"
output=$(cd "${KINU_REVIEW_OUTPUT:-kinu-review}" && pwd)
mark='<!-- a review by kinu -->'

escaped() {  # TEXT [property]: the text as workflow commands require it
  local text=$1
  text=${text//'%'/'%25'}
  text=${text//$'\r'/'%0D'}
  text=${text//$'\n'/'%0A'}
  if [ "${2:-}" = property ]; then
    text=${text//:/'%3A'}
    text=${text//,/'%2C'}
  fi
  printf '%s' "$text"
}

# annotate FILE: prints the diagnostics in the JSON array FILE as workflow commands.
annotate() {
  local count i place severity
  value() { "$kinu" query -raw "\$[$i]$1" "$2"; }
  count=$("$kinu" query -count '$[*]' "$1")
  for ((i = 0; i < count; i++)); do
    severity=$(value .severity "$1")
    place=$(value .range.filename "$1")
    if [ -n "$place" ]; then
      [ "$directory" = . ] || place=$directory/$place
      place="file=$(escaped "$place" property),line=$(value .range.start.line "$1"),endLine=$(value .range.end.line "$1"),"
    fi
    printf '::%s %stitle=%s::%s\n' "$severity" "$place" "$(escaped "$(value .summary "$1")" property)" \
      "$(escaped "$(value .detail "$1")")"
  done
}

set_output() {  # NAME VALUE
  [ -z "${GITHUB_OUTPUT:-}" ] || printf '%s=%s\n' "$1" "$2" >>"$GITHUB_OUTPUT"
}
