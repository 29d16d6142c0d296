import { generateToken } from '../../shared/domain/mcp-connections/mcp-connection.ts';

/** Browsers accept the prefix, which keeps other hosts from setting the cookie, only over https. */
const nameAt = (baseUrl: string) =>
  baseUrl.startsWith('https://') ? '__Host-mcp-authorization' : 'mcp-authorization';

const maxAgeSeconds = 1_800;

/** The token of the browser in the header Cookie. */
export const browserIn = (cookies: string | undefined, baseUrl: string): string | undefined =>
  new RegExp(`(?:^|;)\\s*${nameAt(baseUrl)}=([\\w-]{43})(?:;|$)`).exec(cookies ?? '')?.[1];

/** The token of the browser, which several authorizations share, and the cookie that keeps it. */
export function browserCookie(cookies: string | undefined, baseUrl: string) {
  const browser = browserIn(cookies, baseUrl) ?? generateToken();
  const attributes = ['Path=/', 'HttpOnly', 'SameSite=Lax', `Max-Age=${maxAgeSeconds}`];
  if (baseUrl.startsWith('https://')) attributes.push('Secure');
  return { browser, cookie: [`${nameAt(baseUrl)}=${browser}`, ...attributes].join('; ') };
}
