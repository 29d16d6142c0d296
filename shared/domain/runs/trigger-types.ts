export const triggerTypes = [
  'api',
  'console',
  'surface',
  'schedule',
  'webhook',
  'client',
  'mcp',
  'a2a',
  'run',
  'recompute',
] as const;
