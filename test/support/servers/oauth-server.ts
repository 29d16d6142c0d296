import { createHash, randomUUID } from 'node:crypto';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { text } from 'node:stream/consumers';
import { serveHttp } from './serve.ts';

/** How a realm of the server behaves. Tests set it at `POST /<realm>/control`. */
export interface RealmOptions {
  /** Members of the metadata of the authorization server that are other than usual; null leaves one out. */
  metadata?: Record<string, unknown>;
  /** Likewise for the metadata of the resource. */
  resource?: Record<string, unknown>;
  /** Whether the 401 names the metadata of the resource. */
  challenges?: boolean;
  /** Where the metadata of the resource redirects. */
  redirectTo?: string;
  /** How many characters the metadata has. */
  padding?: number;
  /** The only client, with its secret; without it clients register themselves. */
  client?: { id: string; secret?: string };
  expiresIn?: number | null;
  /** The life of a refresh token: `rotating` ones work once, and a second use ends the grant. */
  refresh?: 'rotating' | 'steady' | 'none';
  /** How long a refresh takes. */
  refreshMs?: number;
  /** The issuer that the callback names; null for none. */
  iss?: string | null;
  /** Instead of a code. */
  error?: string;
  /** Scopes that a call of a tool demands. */
  demands?: string;
  tokenType?: string;
  /** Each access token, instead of a new one. */
  token?: string;
  /** The first refresh token of the realm, which begins with `refresh-0-`. */
  refreshToken?: string;
  /** Of each answer of the token endpoint, which is then no JSON. */
  tokenStatus?: number;
  /** The metadata of the resource that the 401 names. */
  challengeTo?: string;
  /** Where the MCP server redirects. */
  mcpRedirectTo?: string;
}

interface Grant {
  scope: string;
  refreshToken: string | undefined;
  isOver: boolean;
}

interface Realm {
  options: RealmOptions;
  clients: Map<string, { secret?: string; redirectUris: string[]; metadata: object }>;
  codes: Map<
    string,
    { challenge: string; clientId: string; redirectUri: string; scope: string; resource: string }
  >;
  tokens: Map<string, Grant>;
  grants: Grant[];
  /** What was requested, for tests. */
  seen: { method: string; path: string; authorization: string; body: string }[];
}

const newRealm = (): Realm => ({
  options: {},
  clients: new Map(),
  codes: new Map(),
  tokens: new Map(),
  grants: [],
  seen: [],
});

/**
 * An authorization server and an MCP server in one, for any number of tests: each has a realm, which is the first part of
 * its paths. `/<realm>/mcp` is the resource, `/<realm>/as` the issuer.
 */
export async function startOAuthServer() {
  const realms = new Map<string, Realm>();
  const server = await serveHttp(async (request, response) => {
    const url = new URL(request.url ?? '/', `http://${request.headers.host}`);
    const path = url.pathname;
    const named = /^\/(?:\.well-known\/[\w-]+\/)?([\w-]+)/.exec(path)?.[1] ?? '';
    const realm = realms.get(named) ?? newRealm();
    realms.set(named, realm);
    const body = await text(request);
    const authorization = request.headers.authorization ?? '';
    if (!path.endsWith('/control') && !path.endsWith('/seen'))
      realm.seen.push({ method: request.method ?? '', path, authorization, body });
    const context = { url, body, realm, base: `${url.origin}/${named}`, request };
    const route = routes.find(([pattern]) => pattern.test(path));
    const answer = (await route?.[1](context)) ?? { status: 404, json: {} };
    reply(response, answer);
  });
  return server;
}

interface Context {
  url: URL;
  body: string;
  realm: Realm;
  base: string;
  request: IncomingMessage;
}
interface Answer {
  status?: number;
  headers?: Record<string, string>;
  json?: unknown;
}

function reply(response: ServerResponse, { status = 200, headers = {}, json }: Answer) {
  response.writeHead(status, { 'content-type': 'application/json', ...headers });
  response.end(json === undefined ? '' : JSON.stringify(json));
}

const withoutNulls = (value: object) =>
  Object.fromEntries(Object.entries(value).filter(([, member]) => member !== null));

const resourceMetadata = ({ base, realm: { options } }: Context): Answer =>
  options.redirectTo
    ? { status: 302, headers: { location: options.redirectTo } }
    : {
        json: withoutNulls({
          resource: `${base}/mcp`,
          authorization_servers: [`${base}/as`],
          scopes_supported: ['read'],
          ...(options.padding && { padding: 'x'.repeat(options.padding) }),
          ...options.resource,
        }),
      };

const serverMetadata = ({ base, realm: { options } }: Context): Answer => ({
  json: withoutNulls({
    issuer: `${base}/as`,
    authorization_endpoint: `${base}/as/authorize`,
    token_endpoint: `${base}/as/token`,
    registration_endpoint: options.client ? null : `${base}/as/register`,
    response_types_supported: ['code'],
    code_challenge_methods_supported: ['S256'],
    token_endpoint_auth_methods_supported: ['none', 'client_secret_basic', 'client_secret_post'],
    authorization_response_iss_parameter_supported: true,
    ...options.metadata,
  }),
});

function register({ body, realm }: Context): Answer {
  const metadata = JSON.parse(body);
  const id = `client-${randomUUID()}`;
  const secret = `secret-${randomUUID()}`;
  realm.clients.set(id, { secret, redirectUris: metadata.redirect_uris, metadata });
  return {
    status: 201,
    json: { ...metadata, client_id: id, client_secret: secret, client_secret_expires_at: 0 },
  };
}

/** Everybody allows everything. */
function authorize({ url, realm, base }: Context): Answer {
  const { client, error, iss = `${base}/as` } = realm.options;
  const given = (name: string) => url.searchParams.get(name) ?? '';
  const clientId = given('client_id');
  const isKnown = realm.clients.has(clientId) || client?.id === clientId || clientId.startsWith('https://');
  if (!isKnown || given('code_challenge_method') !== 'S256')
    return { status: 400, json: { error: 'unknown' } };
  const back = new URL(given('redirect_uri'));
  const code = `code-${randomUUID()}`;
  realm.codes.set(code, {
    challenge: given('code_challenge'),
    clientId,
    redirectUri: given('redirect_uri'),
    scope: given('scope'),
    resource: given('resource'),
  });
  back.searchParams.set('state', given('state'));
  if (error) back.searchParams.set('error', error);
  else back.searchParams.set('code', code);
  if (iss !== null) back.searchParams.set('iss', iss);
  return { status: 302, headers: { location: back.href } };
}

async function token(context: Context): Promise<Answer> {
  const { body, realm, base } = context;
  if (realm.options.tokenStatus) return { status: realm.options.tokenStatus };
  const given = new URLSearchParams(body);
  const refusal = (error: string) => ({ status: 400, json: { error, error_description: `No: ${body}` } });
  if (!isAuthentic(context, given)) return { status: 401, json: { error: 'invalid_client' } };
  if (given.get('resource') !== `${base}/mcp`) return refusal('invalid_target');
  if (given.get('grant_type') === 'authorization_code') {
    const code = realm.codes.get(given.get('code') ?? '');
    realm.codes.delete(given.get('code') ?? '');
    const challenge = createHash('sha256')
      .update(given.get('code_verifier') ?? '')
      .digest('base64url');
    if (!code || code.challenge !== challenge || code.redirectUri !== given.get('redirect_uri'))
      return refusal('invalid_grant');
    const grant = { scope: code.scope, refreshToken: undefined, isOver: false };
    realm.grants.push(grant);
    return issue(realm, grant);
  }
  if (realm.options.refreshMs) await new Promise((done) => setTimeout(done, realm.options.refreshMs));
  const used = given.get('refresh_token') ?? '';
  const grant = realm.grants.find((one) => used.startsWith(`refresh-${realm.grants.indexOf(one)}-`));
  if (grant && grant.refreshToken !== used) grant.isOver = true;
  return !grant || grant.isOver ? refusal('invalid_grant') : issue(realm, grant);
}

function issue(realm: Realm, grant: Grant): Answer {
  const { refresh = 'rotating', expiresIn = 3_600, tokenType = 'Bearer' } = realm.options;
  const access = realm.options.token ?? `access-${randomUUID()}`;
  if (refresh === 'rotating' || (refresh === 'steady' && !grant.refreshToken))
    grant.refreshToken =
      realm.options.refreshToken ?? `refresh-${realm.grants.indexOf(grant)}-${randomUUID()}`;
  realm.tokens.set(access, grant);
  return {
    json: withoutNulls({
      access_token: access,
      token_type: tokenType,
      expires_in: expiresIn,
      scope: grant.scope,
      refresh_token: refresh === 'none' ? null : grant.refreshToken,
    }),
  };
}

function isAuthentic({ realm, request }: Context, given: URLSearchParams): boolean {
  const basic = /^Basic (.+)$/.exec(request.headers.authorization ?? '')?.[1];
  const [name = '', word = ''] = basic ? Buffer.from(basic, 'base64').toString().split(':') : [];
  const id = decodeURIComponent(name) || given.get('client_id') || '';
  const secret = decodeURIComponent(word) || given.get('client_secret') || undefined;
  if (id.startsWith('https://')) return secret === undefined;
  const { client } = realm.options;
  const known = client?.id === id ? client : realm.clients.get(id);
  return known !== undefined && known.secret === secret;
}

function mcp(context: Context): Answer {
  const { body, realm, base, request } = context;
  const { options } = realm;
  if (options.mcpRedirectTo) return { status: 307, headers: { location: options.mcpRedirectTo } };
  const bearer = /^Bearer (.+)$/.exec(request.headers.authorization ?? '')?.[1] ?? '';
  const grant = realm.tokens.get(bearer);
  if (!grant || grant.isOver) {
    const named = `, resource_metadata="${options.challengeTo ?? `${base}/prm`}"`;
    const challenge = `Bearer error="invalid_token"${options.challenges === false ? '' : named}`;
    return { status: 401, headers: { 'www-authenticate': challenge }, json: {} };
  }
  if (request.method !== 'POST') return { status: 405, json: {} };
  const { id, method, params } = JSON.parse(body);
  const result = (value: object) => ({ json: { jsonrpc: '2.0', id, result: value } });
  switch (method) {
    case 'initialize': {
      const { protocolVersion } = params;
      const about = { capabilities: { tools: {} }, serverInfo: { name: 'oauth', version: '1' } };
      return result({ protocolVersion, ...about });
    }
    case 'tools/list':
      return result({ tools: [{ name: 'whoami', inputSchema: { type: 'object' } }] });
    case 'tools/call': {
      const { demands } = options;
      if (demands && !demands.split(' ').every((scope) => grant.scope.split(' ').includes(scope))) {
        const challenge = `Bearer error="insufficient_scope", scope="${demands}"`;
        return { status: 403, headers: { 'www-authenticate': challenge }, json: {} };
      }
      // A server could repeat its token.
      return result({ content: [{ type: 'text', text: `scope ${grant.scope}; token ${bearer}` }] });
    }
    default:
      return id === undefined
        ? { status: 202 }
        : { json: { jsonrpc: '2.0', id, error: { code: -32_601, message: 'Unknown' } } };
  }
}

function control({ body, realm }: Context): Answer {
  const { options, forget } = JSON.parse(body || '{}');
  if (options) realm.options = options;
  if (forget === 'tokens') realm.tokens.clear();
  if (forget === 'clients') realm.clients.clear();
  if (forget === 'grants') for (const grant of realm.grants) grant.isOver = true;
  return { json: {} };
}

const seen = ({ realm }: Context): Answer => ({
  json: { seen: realm.seen, clients: [...realm.clients.values()].map(({ metadata }) => metadata) },
});

const routes: [RegExp, (context: Context) => Answer | Promise<Answer>][] = [
  [/^\/[\w-]+\/control$/, control],
  [/^\/[\w-]+\/seen$/, seen],
  [/^\/[\w-]+\/prm$/, resourceMetadata],
  [/^\/\.well-known\/oauth-protected-resource\//, resourceMetadata],
  [/^\/\.well-known\/oauth-authorization-server\//, serverMetadata],
  [/\/as\/register$/, register],
  [/\/as\/authorize$/, authorize],
  [/\/as\/token$/, token],
  [/^\/[\w-]+\/mcp/, mcp],
];
