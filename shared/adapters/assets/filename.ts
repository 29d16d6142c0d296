import { StepError } from '../../core/errors/step-error.ts';
import { urlPart } from '../../core/text.ts';

const bytesMax = 255;

/** Characters that end a path, a header or a line, or that reverse the text direction. */
const unsafe = /[\p{Cc}/\\\u200e\u200f\u202a-\u202e\u2066-\u2069]/gu;

/** A filename that is valid everywhere. @throws StepError */
export function safeFilename(text: string): string {
  const name = text.toWellFormed().normalize('NFC').replace(unsafe, '_').trim();
  if (/^\.*$/.test(name)) throw new StepError(`${JSON.stringify(text)} is not a valid filename`);
  const bytes = Buffer.byteLength(name);
  if (bytes <= bytesMax) return name;
  throw new StepError(`A filename has at most ${bytesMax} bytes; this one has ${bytes}`);
}

/** Types that a browser displays without running code. */
const shownTypes = /^(?:image\/(?!svg)|audio\/|video\/|text\/plain\b|application\/pdf\b)/i;

/** The Content-Disposition header of a file (RFC 6266): browsers download files that could run scripts. */
export function contentDisposition(filename: string, contentType: string): string {
  const kind = shownTypes.test(contentType) ? 'inline' : 'attachment';
  const ascii = filename.replace(/[^\x20-\x7e]|["\\%]/g, '_');
  const encoded = urlPart(filename).replace(
    /['()*]/g,
    (character) => `%${character.charCodeAt(0).toString(16).toUpperCase()}`,
  );
  return `${kind}; filename="${ascii}"; filename*=UTF-8''${encoded}`;
}
