/** A group has READ, WRITE or EXECUTE if endpoints use them. Add it with the first endpoint that requires it. */
export const permissions = {
  '*': 'full access to all resources',
  'FLOWS:*': 'full access to flows',
  'FLOWS:READ': 'read flows',
  'FLOWS:WRITE': 'create or update flows',
  'FLOWS:EXECUTE': 'execute flows',
  'RECORDS:*': 'full access to records',
  'RECORDS:READ': 'read records',
  'RECORDS:WRITE': 'create or update records',
  'SECRETS:*': 'full access to secrets',
  'SECRETS:READ': 'list secrets and read their metadata, never their values',
  'SECRETS:WRITE': 'create, change or delete secrets',
  'MODELS:*': 'full access to model configs and provider keys',
  'MODELS:READ': 'list model configs and read the usage of models',
  'MODELS:WRITE': 'create, change or delete model configs and provider keys',
  'TOOLS:*': 'full access to tools',
  'TOOLS:READ': 'read tools',
  'TOOLS:WRITE': 'create, change or delete tools',
  'TOOLS:EXECUTE': 'run tools',
  'AGENTS:*': 'full access to agents',
  'AGENTS:READ': 'read agents and their executions',
  'AGENTS:WRITE': 'create, change or delete agents',
  'AGENTS:EXECUTE': 'run agents',
  'PRODUCTS:*': 'full access to products',
  'PRODUCTS:READ': 'read products, their surfaces and schedules',
  'PRODUCTS:WRITE': 'create, change or delete products, their surfaces and schedules',
  'PRODUCTS:EXECUTE': 'call the surfaces of products',
  'CLIENT_TOKENS:*': 'full access to client tokens',
  'CLIENT_TOKENS:READ': 'read client tokens, with their values',
  'CLIENT_TOKENS:WRITE': 'create, change or delete client tokens',
  'CONVERSATIONS:*': 'full access to conversations',
  'CONVERSATIONS:READ': 'read conversations and their messages',
  'CONVERSATIONS:WRITE': 'create, change or delete conversations',
  'BUDGETS:*': 'full access to budgets',
  'BUDGETS:READ': 'read budgets and what is spent of them',
  'BUDGETS:WRITE': 'create, change or delete budgets',
  'ALERTS:*': 'full access to alerts',
  'ALERTS:READ': 'read alerts and what they have told',
  'ALERTS:WRITE': 'create, change or delete alerts',
  'TELEMETRY:*': 'full access to the export of runs',
  'TELEMETRY:READ': 'read where runs are sent',
  'TELEMETRY:WRITE': 'change where runs are sent',
  'PROMPTS:*': 'full access to prompts',
  'ANALYTICS:READ': 'read analytics data',
  'API_KEYS:WRITE': 'create API keys (sessions only)',
} as const;

export type Permission = keyof typeof permissions;
export const permissionNames = Object.keys(permissions) as [Permission, ...Permission[]];

export function listPermissionGroups() {
  const groups = Object.groupBy(permissionNames, (name) => name.split(':')[0] ?? name);
  return Object.entries(groups).map(([key, names = []]) => ({
    key,
    label: key === '*' ? 'Everything' : toTitle(key),
    description: permissions[names[0] as Permission],
    permissions: names,
  }));
}

const toTitle = (key: string) =>
  (key.charAt(0) + key.slice(1).toLowerCase().replaceAll('_', ' ')).replace(/^Api\b/, 'API');

/** `*` covers everything, `FLOWS:*` covers `FLOWS:READ`; WRITE does not imply READ. */
export function covers(held: readonly string[], needed: string): boolean {
  return held.includes('*') || held.includes(needed) || held.includes(`${needed.split(':')[0]}:*`);
}

/** Whether a name covers any permission. `API_KEYS:*` does, although no key can have it. */
export const isKnown = (name: string) => permissionNames.some((permission) => covers([name], permission));

/** Test keys cannot have every permission, manage keys, budgets and alerts, write secrets and what models the tenant's keys pay for, or send runs elsewhere. */
export const isBarredFromTestKeys = (permission: string) =>
  [
    '*',
    'SECRETS:*',
    'SECRETS:WRITE',
    'MODELS:*',
    'MODELS:WRITE',
    'BUDGETS:*',
    'BUDGETS:WRITE',
    'ALERTS:*',
    'ALERTS:WRITE',
  ].includes(permission) || /^(API_KEYS|TELEMETRY):/.test(permission);

/** What an endpoint requires. A list: any of these permissions, and the handler looks which ones the caller has. */
export type Access =
  | Permission
  | readonly [Permission, Permission, ...Permission[]]
  | 'authenticated'
  | 'public';

/** Whether these permissions give access. */
export const grants = (held: readonly string[], access: Access): boolean =>
  access === 'public' || access === 'authenticated' || [access].flat().some((needed) => covers(held, needed));
