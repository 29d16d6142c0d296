import { expect, test } from 'vitest';
import * as z from 'zod';
import { endpoints } from '../../functions/index.ts';
import type { AnyEndpoint } from '../../shared/platform/http/endpoint.ts';

/** By the reason why whoever gets a member may have it: its endpoints, `*` for all of those whose response has it. */
const stated: Readonly<Record<string, Readonly<Record<string, readonly string[]>>>> = {
  'No capability: part of a word, a state, a name, or what a person wrote into the resource that he reads': {
    code: ['*'],
    errorCode: ['*'],
    statusCode: ['*'],
    state: ['*'],
    value: ['agent-runs', 'dispatch', 'records.field-values', 'waits', 'alerts'],
    itemKey: ['*'],
    isTestKey: ['*'],
    hasPlatformKey: ['*'],
    supportsCustomKey: ['*'],
    planHash: ['*'],
    signature: ['surface-a2a'],
    key: ['api-keys.options', 'run-metrics.get', 'secrets'],
    secretKey: ['secrets'],
    phantomToken: ['secrets'],
    nextPageToken: ['surface-a2a.list-tasks'],
  },
  'Metadata of a credential, without its value, which is a member that is listed below': {
    apiKey: ['api-keys'],
    maskedKey: ['api-keys'],
    clientToken: ['client-tokens'],
    providerKey: ['provider-keys'],
  },
  'A public address of the service, of its pages, its documents or its sign-in': {
    dashboardUrl: ['*'],
    documentationUrl: ['*'],
    authorizationEndpoint: ['public.sign-in'],
    tokenEndpoint: ['public.sign-in'],
    endSessionEndpoint: ['public.sign-in'],
    endpoint: ['surface-mcp.info'],
    manifest: ['surface-mcp.info'],
    resource: ['surface-mcp.metadata'],
    redirect_uris: ['mcp-authorization.client-metadata'],
    url: ['surface-a2a.card', 'surface-a2a.extended-card'],
  },
  'A redirect of OAuth, which takes the state of an authorization that this response does not show': {
    callbackUrl: ['mcp-connections'],
  },
  'An address of a server as it was set by whoever could, where his credentials do not stand': {
    url: ['mcp-connections', 'agents.fetch-agent-card'],
    iconUrl: ['agents.fetch-agent-card'],
    endpoint: ['telemetry'],
    webhookUrl: ['budgets', 'alerts'],
    emails: ['budgets', 'alerts', 'waits'],
  },
  'The source of an answer, which a run has read': {
    url: ['agent-runs', 'dispatch'],
  },
  'Its values are hidden: ••••': {
    headers: ['telemetry'],
  },
  'Continues a run: those who start and continue flows have FLOWS:EXECUTE, runs.get shows it with that alone, and agents wait for none':
    {
      callbackUrl: ['dispatch', 'runs.get', 'agent-runs'],
    },
  'Reads a file of the caller’s records or runs, or takes one, for an hour or a day: to who may read or write them':
    {
      url: ['imports.create', 'imports.get', 'exports.get', 'exports.list'],
      problemsUrl: ['imports'],
      headers: ['imports.create', 'imports.get'],
    },
  'Reads the output of the run that the caller may read, for an hour': {
    outputUrl: ['runs.get'],
  },
  'Made by this request, and shown once: to whoever may make it. The other endpoints of its group have null or no member':
    {
      authorizeUrl: ['mcp-connections'],
      secret: ['budgets', 'alerts'],
      secrets: ['workspace.apply'],
      value: ['workspace.apply'],
      plainKey: ['api-keys.create', 'api-keys.regenerate'],
      key: ['products.create', 'surface-keys.create'],
      testApiKey: ['products.create'],
      token: ['client-tokens.create', 'client-tokens.regenerate'],
    },
  'Shown to the session of a person alone': {
    key: ['api-keys.reveal', 'surface-keys.reveal'],
    code: ['api-keys.allow-login'],
  },
  'Has the one-time code and the verifier of the sign-in': {
    plainKey: ['public.redeem-login'],
  },
  'Public: pages contain it, and its permission says that it is read with its value': {
    token: ['client-tokens.get-value'],
    tokenValue: ['client-tokens'],
  },
  'Sets values of secrets and replaces none, which is less than the permission of the request': {
    url: ['secrets.setup-url'],
    returnUrl: ['secrets'],
  },
  'The address that the caller of the task has given himself, whose own tasks it lists': {
    url: ['surface-a2a.add-push-config', 'surface-a2a.list-push-configs', 'surface-a2a.get-push-config'],
  },
};

const words =
  'url uri uris token key secret secrets address email emails callback link links credential credentials password signature endpoint headers cookie code state nonce hash value';
const capabilities = new Set(words.split(' '));

const lastWord = (name: string) =>
  name
    .replaceAll(/([a-z0-9])([A-Z])/g, '$1_$2')
    .toLowerCase()
    .split(/[_-]/)
    .at(-1) ?? '';

/** The members of a JSON schema that look like something with which one can act. */
function* capabilitiesIn(schema: unknown): Generator<string> {
  if (typeof schema !== 'object' || schema === null) return;
  const { properties = {}, examples: _examples, ...rest } = schema as Record<string, object>;
  for (const [name, member] of Object.entries(properties as Record<string, { format?: string }>)) {
    const isSecret = member.format === 'uri' || member.format === 'password';
    if (isSecret || capabilities.has(lastWord(name))) yield name;
    yield* capabilitiesIn(member);
  }
  for (const each of Object.values(rest)) yield* capabilitiesIn(each);
}

const isSchema = (value: unknown): value is z.ZodType => value instanceof z.ZodType;

const found = (endpoints as readonly AnyEndpoint[]).flatMap(({ id, response }) => {
  const parts = Object.values(response).flatMap((part) =>
    isSchema(part) ? [part] : Object.values(part ?? {}),
  );
  const names = parts
    .filter(isSchema)
    .flatMap((part) => [...capabilitiesIn(z.toJSONSchema(part, { unrepresentable: 'any', io: 'output' }))]);
  return [...new Set(names)].map((name) => ({ id, name }));
});

const isOf = (id: string, of: string) => of === '*' || id === of || id.startsWith(`${of}.`);
const places = Object.values(stated).flatMap((members) =>
  Object.entries(members).flatMap(([name, of]) => of.map((each) => ({ name, of: each }))),
);

test('every member of a response with which its reader could act says why he may have it', () => {
  const unstated = found.filter(
    ({ id, name }) => !places.some((place) => place.name === name && isOf(id, place.of)),
  );
  expect(unstated).toEqual([]);
});

test('no reason is left of a member that no response has', () => {
  const idle = places.filter(
    (place) => !found.some(({ id, name }) => place.name === name && isOf(id, place.of)),
  );
  expect(idle).toEqual([]);
});
