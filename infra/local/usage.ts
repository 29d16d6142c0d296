/** What `npm start -- --help` writes. The guide has all settings. */
export const usage = `Starts the service on this machine.

  npm start                     with data in .local
  npm start -- --ephemeral      with data in memory
  npm start -- --accept-loss    without what DATA_DIR lacks: missing files, the end of a damaged log
  npm start -- --compact        first gives the disk space of deleted data back
  npm start -- --json           writes the addresses and keys as JSON

Settings are environment variables; docs/guides/self-hosting.md has them all:

  PORT, HOST       address of the API (3000, 127.0.0.1); port 0 selects a free port
  DATA_DIR         folder of all data (.local)
  OPENAI_API_KEY, ANTHROPIC_API_KEY, …
                   keys of the model providers
  LOCAL_MODEL      auto, stand-in or off: the model without a provider (auto)
  PUBLIC_URL       URL under which people reach the API
  AGENT_FLOW_INSTALL
                   never: does not install the database engine on machines where npm ci did not
  LOG_LEVEL        info, warn or error (info)
`;
