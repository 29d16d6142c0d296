import { withoutTrailing } from '../../core/text.ts';

/** A name that every model provider accepts: `^[a-zA-Z0-9_-]{1,64}$`. */
export function toToolName(name: string): string {
  const plain = name
    .normalize('NFKD')
    .replace(/\p{M}+/gu, '')
    .replace(/[^a-zA-Z0-9_-]+/g, '_')
    .replace(/^_+/, '');
  return withoutTrailing(plain, '_').slice(0, 64) || 'tool';
}
