import { StepError } from '../../core/errors/step-error.ts';
import { wholeOrLength } from '../../core/text.ts';

const dataUrl = /^data:([^,;]*)(?:;[^,;]+)*;base64,/i;
const alphabet = /^[A-Za-z0-9+/]*={0,2}$/;

/** Decodes base64, in its usual or its URL alphabet. Returns the type of a `data:` URL too. @throws StepError */
export function decodeBase64(content: string): { bytes: Uint8Array; type: string | undefined } {
  const text = content.trim();
  const [prefix = '', type] = dataUrl.exec(text) ?? [];
  const encoded = text.slice(prefix.length).replace(/\s/g, '').replace(/-/g, '+').replace(/_/g, '/');
  // Node skips invalid characters.
  if (!alphabet.test(encoded) || encoded.replace(/={1,2}$/, '').length % 4 === 1) {
    throw new StepError(`content is not valid base64: ${wholeOrLength(text, 40)}`);
  }
  return { bytes: Buffer.from(encoded, 'base64'), type: type || undefined };
}
