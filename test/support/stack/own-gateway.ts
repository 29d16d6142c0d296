import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { createServer } from 'node:http';
import { type AddressInfo, connect } from 'node:net';
import { text } from 'node:stream/consumers';
import { exportJWK, generateKeyPair, SignJWT } from 'jose';
import { vi } from 'vitest';
import { createGateway } from '../../../infra/local/gateway/gateway.ts';
// Who signs tokens is read once.
import '../suite/fresh-modules.ts';

export const testAudience = 'the audience';

/** An OIDC issuer that signs whatever a test wants, and counts what it is asked. */
export async function ownIssuer() {
  const pairs = {
    ES256: await generateKeyPair('ES256', { extractable: true }),
    RS256: await generateKeyPair('RS256', { extractable: true }),
  };
  const published = await Promise.all(
    Object.entries(pairs).map(async ([alg, { publicKey }]) => ({
      ...(await exportJWK(publicKey)),
      alg,
      kid: alg,
      use: 'sig',
    })),
  );
  const asked: Record<string, number> = {};
  const state = { published: published as object[], status: 200, discovery: {} };
  const server = createServer((request, response) => {
    const path = request.url ?? '';
    asked[path] = (asked[path] ?? 0) + 1;
    const answer =
      path === '/jwks'
        ? { keys: state.published }
        : { issuer: url, jwks_uri: `${url}/jwks`, ...state.discovery };
    response.writeHead(state.status, { 'content-type': 'application/json' }).end(JSON.stringify(answer));
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;

  // The table is everybody's.
  const userId = `user-${randomUUID()}`;

  /** A token as it should be, but for what a test changes; `undefined` leaves a claim out. */
  function sign(
    claims: Record<string, unknown> = {},
    header: Record<string, unknown> = {},
    key: Parameters<SignJWT['sign']>[0] = pairs.ES256.privateKey,
  ): Promise<string> {
    const now = Math.floor(Date.now() / 1_000);
    const usual = { iss: url, aud: testAudience, sub: userId, iat: now, exp: now + 600 };
    return new SignJWT({ ...usual, ...claims })
      .setProtectedHeader({ alg: 'ES256', kid: 'ES256', ...header })
      .sign(key);
  }
  const close = () => {
    server.closeAllConnections();
    server.close();
  };
  return { url, sign, pairs, published, asked, state, close };
}

/** The gateway in this process, on the stack's table, with an issuer of its own. */
export async function ownGateway() {
  const issuer = await ownIssuer();
  vi.stubEnv('OIDC_ISSUER', issuer.url);
  vi.stubEnv('OIDC_AUDIENCE', testAudience);
  const server = createGateway(Promise.resolve({}));
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  return {
    issuer,
    url: `http://127.0.0.1:${port}`,
    send: (lines: readonly string[], request?: RawRequest) => sendRaw(port, lines, request),
    close: () => {
      issuer.close();
      server.closeAllConnections();
      server.close();
    },
  };
}
export type OwnGateway = Awaited<ReturnType<typeof ownGateway>>;

export interface RawRequest {
  method?: string;
  path?: string;
  body?: string;
}

/** Sends header lines as they are, which HTTP clients would not. */
async function sendRaw(
  port: number,
  lines: readonly string[],
  { method = 'GET', path = '/v1/flows', body = '' }: RawRequest = {},
) {
  const socket = connect(port, '127.0.0.1');
  const head = [
    `${method} ${path} HTTP/1.1`,
    'Host: localhost',
    'Connection: close',
    ...(body ? ['Content-Type: application/json', `Content-Length: ${Buffer.byteLength(body)}`] : []),
    ...lines,
  ];
  socket.write(`${head.join('\r\n')}\r\n\r\n${body}`);
  const [answerHead = '', ...rest] = (await text(socket)).split('\r\n\r\n');
  const [statusLine = '', ...headerLines] = answerHead.split('\r\n');
  const answerBody = rest.join('\r\n\r\n');
  return {
    status: Number(statusLine.split(' ')[1]),
    headers: new Headers(headerLines.map((line) => line.split(/: (.*)/s).slice(0, 2) as [string, string])),
    body: answerBody.startsWith('{') ? JSON.parse(answerBody) : answerBody,
  };
}
