import { createHash, randomBytes } from 'node:crypto';
import type { APIGatewayProxyEvent, APIGatewayProxyResult } from 'aws-lambda';
import { UntrustedToken } from '../../../shared/platform/auth/issuer.ts';
import type { LocalRoute } from '../gateway/gateway.ts';
import { type Claims, SessionClaims, type SessionTokens } from '../runtime/session-tokens.ts';
import { type SignInForm, signInPage } from './page.ts';

/** The client id of the console. */
const consoleClient = 'console';
const accessSeconds = 3_600;
/** Who signed in last with this browser, so that a reload of the console needs no form. */
const cookieName = 'local_sign_in';

/**
 * The authorization code flow with PKCE for the console (RFC 6749, RFC 7636), and the sign-out of OpenID Connect
 * RP-Initiated Logout. Only pages of this stack get codes.
 */
export function signInRoutes(issuerPath: string, tokens: SessionTokens, userId: string) {
  const codes = createCodes();
  const cookie = (value: string, seconds: number) =>
    `${cookieName}=${value}; Path=${issuerPath}; HttpOnly; SameSite=Lax; Max-Age=${seconds}`;

  const authorize: LocalRoute = async (_, event) => {
    const request = new URLSearchParams(event.queryStringParameters as Record<string, string>);
    const refusal = refusalOf(request, event);
    if (refusal) return json(400, { error: 'invalid_request', error_description: refusal });
    const signedInUser = request.get('prompt') === 'login' ? undefined : await signedIn(event, tokens);
    if (signedInUser) return redirect(answered(request, { code: granted(request, signedInUser) }));
    if (request.get('prompt') === 'none') return redirect(answered(request, { error: 'login_required' }));
    return page(200, { request, userId });
  };

  const signIn: LocalRoute = async (body, event) => {
    if (!isOwnOrigin(event))
      return json(403, { error: 'access_denied', error_description: 'Another page sent this form' });
    const {
      userId: user,
      organizationId,
      permissions,
      ...rest
    } = Object.fromEntries(new URLSearchParams(body));
    const request = new URLSearchParams(rest);
    const refusal = refusalOf(request, event);
    if (refusal) return json(400, { error: 'invalid_request', error_description: refusal });
    const { data: session, error } = SessionClaims.safeParse({
      userId: user,
      organizationId: organizationId || null,
      permissions: permissions?.split(/\s+/).filter(Boolean),
    });
    if (!session) {
      const problem = error.issues.map(({ path, message }) => `${path.join('.')}: ${message}`).join('. ');
      return page(400, { request, userId: user ?? userId, problem });
    }
    const answer = redirect(answered(request, { code: granted(request, session) }));
    const remembered = await tokens.refreshToken(session);
    return {
      ...answer,
      headers: { ...answer.headers, 'set-cookie': cookie(remembered, 12 * accessSeconds) },
    };
  };

  const granted = (request: URLSearchParams, session: Claims) =>
    codes.grant({
      session,
      redirectUri: request.get('redirect_uri') ?? '',
      codeChallenge: request.get('code_challenge') ?? '',
    });

  const token: LocalRoute = async (body, event) => {
    const form = new URLSearchParams(body);
    const session = await sessionOfGrant(form);
    if (!session) return json(400, { error: 'invalid_grant', error_description: 'Sign in again' });
    const answer = json(200, {
      access_token: await tokens.accessToken(session, accessSeconds),
      refresh_token: await tokens.refreshToken(session),
      token_type: 'Bearer',
      expires_in: accessSeconds,
    });
    return { ...answer, headers: { ...answer.headers, ...signInCorsHeaders(event) } };
  };

  async function sessionOfGrant(form: URLSearchParams): Promise<Claims | undefined> {
    const value = (name: string) => form.get(name) ?? '';
    if (value('grant_type') === 'authorization_code')
      return codes.redeem(value('code'), value('redirect_uri'), value('code_verifier'));
    if (value('grant_type') === 'refresh_token') return sessionIn(value('refresh_token'), tokens);
  }

  const signOut: LocalRoute = (_, event) => {
    const target = event.queryStringParameters?.post_logout_redirect_uri ?? '';
    if (!isOwnPage(target, event))
      return json(400, { error: 'invalid_request', error_description: ownPages });
    const answer = redirect(target);
    return { ...answer, headers: { ...answer.headers, 'set-cookie': cookie('', 0) } };
  };

  return {
    [`GET ${issuerPath}/authorize`]: authorize,
    [`POST ${issuerPath}/authorize`]: signIn,
    [`POST ${issuerPath}/token`]: token,
    [`GET ${issuerPath}/sign-out`]: signOut,
  };
}

const ownPages = 'Codes go only to the console of this stack: <this address>/console';

function refusalOf(request: URLSearchParams, event: APIGatewayProxyEvent): string | undefined {
  if (request.get('client_id') !== consoleClient) return `client_id must be ${consoleClient}`;
  if (request.get('response_type') !== 'code') return 'response_type must be code';
  if (request.get('code_challenge_method') !== 'S256' || !request.get('code_challenge'))
    return 'A code_challenge with the method S256 is required';
  return isOwnPage(request.get('redirect_uri') ?? '', event) ? undefined : ownPages;
}

async function signedIn({ headers }: APIGatewayProxyEvent, tokens: SessionTokens) {
  const cookies = headers.Cookie ?? headers.cookie ?? '';
  const value = new RegExp(`(?:^|; )${cookieName}=([^;]+)`).exec(cookies)?.[1];
  return value === undefined ? undefined : sessionIn(value, tokens);
}

async function sessionIn(refreshToken: string, tokens: SessionTokens): Promise<Claims | undefined> {
  try {
    return await tokens.sessionOfRefreshToken(refreshToken);
  } catch (error) {
    if (error instanceof UntrustedToken) return undefined;
    throw error;
  }
}

function answered(request: URLSearchParams, answer: Record<string, string>): string {
  const url = new URL(request.get('redirect_uri') ?? '');
  for (const [name, value] of Object.entries(answer)) url.searchParams.set(name, value);
  const state = request.get('state');
  if (state !== null) url.searchParams.set('state', state);
  return url.href;
}

/** The form leads to the console, which may have another name of this machine. */
const policyFor = (redirectUri: string) =>
  [
    "default-src 'none'; img-src data:; style-src 'unsafe-inline'; frame-ancestors 'none'; base-uri 'none'",
    `form-action 'self' ${new URL(redirectUri).origin}`,
  ].join('; ');

const page = (statusCode: number, form: SignInForm): APIGatewayProxyResult => ({
  statusCode,
  headers: {
    'content-type': 'text/html; charset=utf-8',
    'cache-control': 'no-store',
    'content-security-policy': policyFor(form.request.get('redirect_uri') ?? ''),
    // Not `no-referrer`: with that, the form would have no origin.
    'referrer-policy': 'same-origin',
  },
  body: signInPage(form),
});

const redirect = (location: string): APIGatewayProxyResult => ({
  statusCode: 303,
  headers: { location, 'cache-control': 'no-store' },
  body: '',
});

const json = (statusCode: number, body: object): APIGatewayProxyResult => ({
  statusCode,
  headers: { 'content-type': 'application/json', 'cache-control': 'no-store' },
  body: JSON.stringify(body),
});

/** What the console sent with its authorization request, and who signed in. */
interface Granted {
  session: Claims;
  redirectUri: string;
  codeChallenge: string;
}

const lifeMs = 60_000;

/** The authorization codes that are not exchanged yet. A code is valid once, for a minute (RFC 6749, 4.1.2). */
function createCodes(now: () => number = Date.now) {
  const codes = new Map<string, Granted & { until: number }>();
  return {
    grant(granted: Granted): string {
      for (const [code, { until }] of codes) if (until <= now()) codes.delete(code);
      const code = randomBytes(32).toString('base64url');
      codes.set(code, { ...granted, until: now() + lifeMs });
      return code;
    },
    /** @returns undefined if the code is not valid, or was not granted to the sender (PKCE, RFC 7636). */
    redeem(code: string, redirectUri: string, codeVerifier: string): Claims | undefined {
      const granted = codes.get(code);
      codes.delete(code);
      if (!granted || granted.until <= now()) return undefined;
      const challenge = createHash('sha256').update(codeVerifier).digest('base64url');
      return granted.redirectUri === redirectUri && granted.codeChallenge === challenge
        ? granted.session
        : undefined;
    },
  };
}

type Sent = Pick<APIGatewayProxyEvent, 'headers'>;

const loopbackNames = ['localhost', '127.0.0.1', '[::1]'];

/** Whether an address is that of the console of this stack, by any name of this machine. */
function isOwnPage(uri: string, { headers }: Sent): boolean {
  const { protocol, pathname, hostname = '', port } = URL.parse(uri) ?? {};
  const ownUrl = URL.parse(`http://${headers.Host ?? headers.host}`);
  const isHere = hostname === ownUrl?.hostname || loopbackNames.includes(hostname);
  return protocol === 'http:' && isHere && port === ownUrl?.port && pathname === '/console';
}

/** Whether a page of this stack sent the request, or no page. Without this, others could sign a person in as somebody. */
function isOwnOrigin({ headers }: Sent): boolean {
  const origin = headers.Origin ?? headers.origin;
  return origin === undefined || isOwnPage(`${origin}/console`, { headers });
}

/** For the console at `localhost`: the issuer has the address `127.0.0.1`. */
function signInCorsHeaders(event: Sent): Record<string, string> {
  const origin = event.headers.Origin ?? event.headers.origin;
  return origin && isOwnOrigin(event) ? { 'access-control-allow-origin': origin } : {};
}
