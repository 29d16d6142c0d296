import * as z from 'zod';

const loopbacks = new Set(['localhost', '127.0.0.1', '[::1]']);

/** Where a person may be led back to: never an address that runs something, or that carries a password. */
function isReturnUrl(text: string): boolean {
  const url = URL.parse(text);
  if (!url || url.username || url.password) return false;
  return url.protocol === 'https:' || (url.protocol === 'http:' && loopbacks.has(url.hostname));
}

export const ReturnUrl = z
  .string()
  .max(2_048)
  .refine(isReturnUrl, 'Expected an https address, or an http one of this machine')
  .meta({ format: 'uri' });
