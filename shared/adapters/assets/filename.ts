import { StepError } from '../../core/step-error.ts';

const bytesMax = 255;

/** What would end a path, a header or a line, and what turns the direction of the text that is shown. */
const unsafe = /[\p{Cc}/\\\u200e\u200f\u202a-\u202e\u2066-\u2069]/gu;

/** A name that a file can have wherever it is saved. @throws StepError */
export function safeFilename(text: string): string {
  const name = text.toWellFormed().normalize('NFC').replace(unsafe, '_').trim();
  if (/^\.*$/.test(name)) throw new StepError(`${JSON.stringify(text)} is no name of a file`);
  const bytes = Buffer.byteLength(name);
  if (bytes <= bytesMax) return name;
  throw new StepError(`The name of a file has ${bytesMax} bytes at most; this one has ${bytes}`);
}

/** Types that a browser shows without running anything in them. */
const shownTypes = /^(?:image\/(?!svg)|audio\/|video\/|text\/plain\b|application\/pdf\b)/i;

/** How a browser is to treat a file (RFC 6266): what could run scripts is saved and not shown. */
export function contentDisposition(filename: string, contentType: string): string {
  const kind = shownTypes.test(contentType) ? 'inline' : 'attachment';
  const ascii = filename.replace(/[^\x20-\x7e]|["\\%]/g, '_');
  const encoded = encodeURIComponent(filename).replace(
    /['()*]/g,
    (character) => `%${character.charCodeAt(0).toString(16).toUpperCase()}`,
  );
  return `${kind}; filename="${ascii}"; filename*=UTF-8''${encoded}`;
}
