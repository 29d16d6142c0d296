import { randomInt } from 'node:crypto';
import { platform } from 'node:os';
import { Agent, fetch, type RequestInit } from 'undici';

const byte = () => randomInt(1, 255);
/** Linux answers on all of 127.0.0.0/8. */
export const newAddress = () => `127.${byte()}.${byte()}.${byte()}`;

/**
 * The address that a file's requests without a credential come from, because each address has few of them. Only on
 * Linux: elsewhere the files share one address.
 */
export const ownAddress = platform() === 'linux' ? newAddress() : '127.0.0.1';

const dispatcher = new Agent({ localAddress: ownAddress });

export const fetchFromOwnAddress = (url: string, init: RequestInit) => fetch(url, { ...init, dispatcher });
