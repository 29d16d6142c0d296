interface SurfaceType {
  /** What a caller does with it. */
  summary: string;
  /** Whether its items are called by a name in a path. */
  hasEndpoints: boolean;
  /** The messaging channel that it needs. This service connects none. */
  channel?: string;
}

const channel = (name: string): SurfaceType => ({
  ...{ summary: `Answers messages of ${name}`, hasEndpoints: false, channel: name },
});

/** All types of surfaces by name. To add one, add a line. */
export const surfaceTypes = {
  api: { summary: 'Runs a capability by POST, and answers with JSON or a stream', hasEndpoints: true },
  webhook: { summary: 'Runs a capability for each signed request of another service', hasEndpoints: true },
  schedule: { summary: 'Runs flows by the clock', hasEndpoints: false },
  chat: { summary: 'Holds conversations in a browser', hasEndpoints: false },
  mcp: { summary: 'Offers capabilities as tools of an MCP server', hasEndpoints: false },
  mcp_code: {
    summary: 'Offers one tool of an MCP server that runs code with the capabilities',
    hasEndpoints: false,
  },
  a2a: { summary: 'Offers capabilities as skills of an agent by the A2A protocol', hasEndpoints: false },
  'hosted-page': { summary: 'Shows capabilities on a page', hasEndpoints: false },
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
export const surfaceTypeOf = (name: SurfaceTypeName): SurfaceType => surfaceTypes[name];
