import { isIPv4 } from 'node:net';
import { CliError } from '../cli-error.ts';

const example = 'Example: https://api.example.com';

/** The address of an API as it is stored: without what would not lead to its endpoints. @throws CliError if it has more */
export function deploymentAddress(typedAddress: string): string {
  const url = URL.parse(typedAddress);
  if (!url || !['https:', 'http:'].includes(url.protocol)) {
    throw new CliError(`${typedAddress} is not an address that begins with https:// or http://. ${example}`);
  }
  if (url.username || url.password) {
    throw new CliError(`The address must not contain a user or a password. ${example}`);
  }
  if (url.search || url.hash) {
    throw new CliError(`Leave out of the address what begins with ? or #. ${example}`);
  }
  return url.href.replace(/\/+$/, '');
}

/** Whether a key that is sent there can be read on its way. */
export function isReadableOnTheWay(address: string): boolean {
  const { protocol, hostname } = new URL(address);
  const staysHere =
    /^(.+\.)?localhost$/.test(hostname) ||
    hostname === '[::1]' ||
    (isIPv4(hostname) && hostname.startsWith('127.'));
  return protocol === 'http:' && !staysHere;
}
