#!/usr/bin/env bash
# Writes summary.md as a comment of the pull request, in place of the one from before. Uses gh and its token.
set -euo pipefail
. "$(dirname "${BASH_SOURCE[0]}")/settings.sh"

number=$("$kinu" query -raw '$.pull_request.number' "$GITHUB_EVENT_PATH")
if [ -z "$number" ]; then
  echo "No comment: this run is not about a pull request."
  exit 0
fi
comments=repos/$GITHUB_REPOSITORY/issues/$number/comments
gh api --paginate "$comments" >"$output/comments.json"
before=$("$kinu" query -lines -raw "\$[?search(@.body, '^$mark')].id" "$output/comments.json" | tail -1)
rm -f "$output/comments.json"
if [ -n "$before" ]; then
  gh api -X PATCH "repos/$GITHUB_REPOSITORY/issues/comments/$before" -F body=@"$output/summary.md" >/dev/null
else
  gh api -X POST "$comments" -F body=@"$output/summary.md" >/dev/null
fi
