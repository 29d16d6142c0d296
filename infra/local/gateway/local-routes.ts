import type { IncomingMessage } from 'node:http';
import { isIP } from 'node:net';
import ipaddr from 'ipaddr.js';

/** Set to 1, it opens what only the embedded stack has to every peer. */
const opening = 'INSECURE_OPEN_LOCAL_ROUTES';
const areOpen = () => process.env[opening] === '1';

/** Why a request may not have a route that only the embedded stack has: whoever may gets a session of any user. */
export function refusalOf(request: IncomingMessage): string | undefined {
  // A page elsewhere whose name leads here would otherwise get a session.
  if (!isOwnName(request.headers.host))
    return 'The Host header must be an IP address, localhost or the value of HOST';
  if (areOpen() || isFromHere(request)) return undefined;
  return `This route responds only to this machine, on its loopback address. ${opening}=1 opens it to everyone.`;
}

/** What whoever starts the stack should know where others can reach it. */
export const exposure = (host: string, port: number) =>
  areOpen()
    ? `HOST=${host} and ${opening}=1 let anyone who reaches port ${port} get a session of any user and read what flows sent.`
    : `HOST=${host} lets other machines call the API on port ${port}. Sessions and the outbox (/local/*) respond only to this machine, unless ${opening}=1.`;

/** By its socket, and not where a proxy of this machine asks for another. */
const isFromHere = ({ socket, headers }: IncomingMessage) =>
  isLoopback(socket.remoteAddress) && !headers['x-forwarded-for'] && !headers.forwarded;

export const isLoopback = (address = '') => rangeOf(address) === 'loopback';
export const isAnyAddress = (address: string) => rangeOf(address) === 'unspecified';
const rangeOf = (address: string) => (ipaddr.isValid(address) ? ipaddr.process(address).range() : undefined);

/** An address, this machine's own name, or what the service was told to listen on. */
function isOwnName(host = ''): boolean {
  const name = host.replace(/:\d+$/, '').replace(/^\[(.*)\]$/, '$1');
  return isIP(name) !== 0 || name === 'localhost' || name === process.env.HOST;
}
