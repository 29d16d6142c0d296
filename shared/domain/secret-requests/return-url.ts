import * as z from 'zod';

const loopbacks = new Set(['localhost', '127.0.0.1', '[::1]']);

/** Only safe redirect targets: no script URLs, no embedded credentials. */
function isReturnUrl(text: string): boolean {
  const url = URL.parse(text);
  if (!url || url.username || url.password) return false;
  return url.protocol === 'https:' || (url.protocol === 'http:' && loopbacks.has(url.hostname));
}

export const ReturnUrl = z
  .string()
  .max(2_048)
  .refine(isReturnUrl, 'Expected an https URL, or an http URL on localhost')
  .meta({ format: 'uri' });
