import { createHash } from 'node:crypto';
import { toToolName } from './tool-name.ts';

const namesMax = 64;

/**
 * A name for `<owner>__<name>` that every provider accepts. It depends on nothing else, so that a run that is resumed
 * finds its tools. If characters have to go, a part of a hash takes their place.
 */
export function qualifiedName(owner: string, name: string): string {
  const full = `${owner}__${name}`;
  const plain = toToolName(full);
  if (plain === full && full.length <= namesMax) return full;
  const hash = createHash('sha256').update(full).digest('hex').slice(0, 8);
  return `${plain.slice(0, namesMax - hash.length - 1)}_${hash}`;
}
