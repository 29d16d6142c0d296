import { type ErrorDetail, invalid } from '../../core/errors.ts';
import type { AgentContent, storedContent } from './agent.ts';

/**
 * UTF-8 bytes of JSON, of all configs and capabilities together. An item of the table has 400 KB; the rest of it is the
 * name, the description, and the names of secrets and credentials.
 */
export const contentBytesMax = 300_000;

const members = ['config', 'externalConfig', 'vendorManagedConfig', 'capabilities'] as const;

/** @throws 400 that names the largest member. */
export function assertFits(stored: ReturnType<typeof storedContent<AgentContent>>): void {
  const sizes = members.map((path) => ({ path, bytes: Buffer.byteLength(stored[path]) }));
  const total = sizes.reduce((sum, { bytes }) => sum + bytes, 0);
  if (total <= contentBytesMax) return;
  const [largest] = sizes.toSorted((one, other) => other.bytes - one.bytes);
  const message = `config, externalConfig, vendorManagedConfig and capabilities of an agent have at most ${contentBytesMax} bytes of JSON together, not ${total}. Shorten the largest of them, ${largest?.path}`;
  throw invalid([{ path: largest?.path, code: 'TOO_LARGE', message } as ErrorDetail]);
}
