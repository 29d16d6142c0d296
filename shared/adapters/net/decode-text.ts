import {
  type DecodedText,
  decodeAs,
  decodeUnnamed,
  detectMark,
  resolveEncoding,
} from '../../core/text-encoding.ts';

/** Decodes a text by its byte order mark, its content type, the charset that it declares, or what its bytes show. */
export function decodeText(bytes: Uint8Array, contentType = ''): DecodedText {
  const named =
    detectMark(bytes) ??
    findEncoding(findCharset(contentType)) ??
    findEncoding(charsetInside(bytes, contentType));
  if (named !== undefined) return decodeAs(bytes, named);
  return decodeUnnamed(bytes) ?? decodeAs(bytes, 'utf-8');
}

const findEncoding = (label: string | undefined) =>
  label === undefined ? undefined : resolveEncoding(label);

const findCharset = (text: string) => /charset\s*=[\s"']*([^\s;"'>]+)/i.exec(text)?.[1];

/** Where browsers look: `<meta charset>` in HTML, the declaration in XML. */
function charsetInside(bytes: Uint8Array, contentType: string): string | undefined {
  if (!/html|xml/i.test(contentType)) return undefined;
  const start = Buffer.from(bytes.subarray(0, 1_024)).toString('latin1');
  const declared = /^\s*<\?xml[^>]*encoding\s*=\s*["']([^"']+)/i.exec(start)?.[1];
  const named = declared ?? findCharset(/<meta[^>]+charset[^>]*>/i.exec(start)?.[0] ?? '');
  // The declaration was readable as ASCII, so the text is not UTF-16.
  return named?.toLowerCase().startsWith('utf-16') ? 'utf-8' : named;
}

/** What may be wrong with the letters of a text; undefined for binary data that is asked for as text. */
export function findEncodingProblem({ text, encoding, isGuess, isDamaged }: DecodedText): string | undefined {
  if (text.slice(0, 8_000).includes('\0')) return undefined;
  const parts = [
    ...(isGuess ? [`names no encoding and was read as ${encoding}`] : []),
    ...(isDamaged ? [`contains bytes that are not ${encoding}, which were replaced by \uFFFD`] : []),
  ];
  return parts.length > 0 ? parts.join(', and ') : undefined;
}
