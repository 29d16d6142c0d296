# What the guides expect of a terminal (bash or zsh), in the folder of the repository: `. docs/guides/terminal.sh`
# To use another deployment, set API, KEY and TEST_KEY before.

API=${API:-http://127.0.0.1:3000}
KEY=${KEY:-$(jq -r .liveKey "${DATA_DIR:-.local}/credentials.json")}
TEST_KEY=${TEST_KEY:-$(jq -r .testKey "${DATA_DIR:-.local}/credentials.json" 2> /dev/null || true)}

# Lets zsh accept the comments in commands.
[ -z "${ZSH_VERSION-}" ] || setopt interactive_comments

# api <path> [options of curl]: prints the response; fails if its status is 400 or higher.
api() {
  curl -sS --fail-with-body -H "Authorization: Bearer $KEY" -H 'Content-Type: application/json' "$API$1" "${@:2}"
}
