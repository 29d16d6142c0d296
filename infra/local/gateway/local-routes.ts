import type { IncomingMessage } from 'node:http';
import { isIP } from 'node:net';
import ipaddr from 'ipaddr.js';

/** Set to 1, it opens the local routes to every client. */
const opening = 'INSECURE_OPEN_LOCAL_ROUTES';
const areOpen = () => process.env[opening] === '1';

/** Returns why a request may not use the local routes. They issue a session of any user, so access is restricted. */
export function localRouteRefusal(request: IncomingMessage): string | undefined {
  // DNS rebinding: a page under a foreign name would otherwise get a session.
  if (!isOwnName(request.headers.host))
    return 'The Host header must be an IP address, localhost or the value of HOST';
  if (areOpen() || isFromHere(request)) return undefined;
  // D176
  return `This route responds only to this machine, on its loopback address. ${opening}=1 opens it to everyone.`;
}

/** A warning for the operator if other machines can reach the stack. */
export const exposure = (host: string, port: number) =>
  areOpen()
    ? `HOST=${host} and ${opening}=1 let anyone who reaches port ${port} get a session of any user and read what flows sent.`
    : `HOST=${host} lets other machines call the API on port ${port}. Sessions and the outbox (/local/*) respond only to this machine, unless ${opening}=1.`;

/** Decides by the socket, and refuses requests that a local proxy forwards. */
const isFromHere = ({ socket, headers }: IncomingMessage) =>
  isLoopback(socket.remoteAddress) && !headers['x-forwarded-for'] && !headers.forwarded;

export const isLoopback = (address = '') => rangeOf(address) === 'loopback';
export const isAnyAddress = (address: string) => rangeOf(address) === 'unspecified';
const rangeOf = (address: string) => (ipaddr.isValid(address) ? ipaddr.process(address).range() : undefined);

/** An IP address, the machine's own name, or the configured host. */
function isOwnName(host = ''): boolean {
  const name = host.replace(/:\d+$/, '').replace(/^\[(.*)\]$/, '$1');
  return isIP(name) !== 0 || name === 'localhost' || name === process.env.HOST;
}
