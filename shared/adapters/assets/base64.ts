import { StepError } from '../../core/step-error.ts';

const dataUrl = /^data:([^,;]*)(?:;[^,;]+)*;base64,/i;
const alphabet = /^[A-Za-z0-9+/]*={0,2}$/;

/** The bytes of base 64, in its usual or its URL alphabet, and the type when it is a `data:` URL. @throws StepError */
export function decodeBase64(content: string): { bytes: Uint8Array; type: string | undefined } {
  const text = content.trim();
  const [prefix = '', type] = dataUrl.exec(text) ?? [];
  const encoded = text.slice(prefix.length).replace(/\s/g, '').replace(/-/g, '+').replace(/_/g, '/');
  // Node itself skips what it cannot read.
  if (!alphabet.test(encoded) || encoded.replace(/={1,2}$/, '').length % 4 === 1) {
    throw new StepError(`content is no base 64: ${text.slice(0, 40)}`);
  }
  return { bytes: Buffer.from(encoded, 'base64'), type: type || undefined };
}
