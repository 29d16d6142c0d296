interface SurfaceType {
  /** What it does for its callers; undefined if it can only be stored and configured. */
  summary?: string;
  /** Whether its items are called by their slugs. */
  hasEndpoints: boolean;
  /** The messaging channel that it needs. This service connects none. */
  channel?: string;
}

const channel = (name: string): SurfaceType => ({ hasEndpoints: false, channel: name });

/** All types of surfaces by name. To add one, add a line. */
export const surfaceTypes = {
  api: { summary: 'Runs a capability by POST, and answers with JSON or a stream', hasEndpoints: true },
  webhook: { summary: 'Runs a capability for each signed event of another service', hasEndpoints: true },
  schedule: { summary: 'Runs flows by the clock', hasEndpoints: false },
  chat: { summary: 'Chats with the visitors of pages', hasEndpoints: false },
  mcp: { summary: 'Offers each capability as a tool of an MCP server', hasEndpoints: true },
  mcp_code: { hasEndpoints: false },
  a2a: { summary: 'Offers each capability as a skill of an A2A agent', hasEndpoints: true },
  'hosted-page': { hasEndpoints: false },
  email: channel('email'),
  slack: channel('Slack'),
  sms: channel('SMS'),
  imessage: channel('iMessage'),
  discord: channel('Discord'),
  whatsapp: channel('WhatsApp'),
  telegram: channel('Telegram'),
} satisfies Record<string, SurfaceType>;

export type SurfaceTypeName = keyof typeof surfaceTypes;
export const surfaceTypeNames = Object.keys(surfaceTypes) as [SurfaceTypeName, ...SurfaceTypeName[]];
export const getSurfaceType = (name: SurfaceTypeName): SurfaceType => surfaceTypes[name];
