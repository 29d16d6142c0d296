import type { APIGatewayProxyEvent } from 'aws-lambda';

type Sent = Pick<APIGatewayProxyEvent, 'headers'>;

const loopbackNames = ['localhost', '127.0.0.1', '[::1]'];

/** Whether an address is that of the console of this stack, by any name of this machine. */
export function isOwnPage(uri: string, { headers }: Sent): boolean {
  const { protocol, pathname, hostname = '', port } = URL.parse(uri) ?? {};
  const own = URL.parse(`http://${headers.Host ?? headers.host}`);
  const isHere = hostname === own?.hostname || loopbackNames.includes(hostname);
  return protocol === 'http:' && isHere && port === own?.port && pathname === '/console';
}

/** Whether a page of this stack sent the request, or no page. Without this, others could sign a person in as somebody. */
export function isOwnOrigin({ headers }: Sent): boolean {
  const origin = headers.Origin ?? headers.origin;
  return origin === undefined || isOwnPage(`${origin}/console`, { headers });
}

/** For the console at `localhost`: the issuer has the address `127.0.0.1`. */
export function signInCorsHeaders(event: Sent): Record<string, string> {
  const origin = event.headers.Origin ?? event.headers.origin;
  return origin && isOwnOrigin(event) ? { 'access-control-allow-origin': origin } : {};
}
