/** Decodes a text by its byte order mark, its content type, or the charset that it declares. */
export function decodeText(bytes: Uint8Array, contentType = ''): string {
  const charset = charsetOfMark(bytes) ?? charsetIn(contentType) ?? charsetInside(bytes, contentType);
  return decoder(charset).decode(bytes);
}

function charsetOfMark([first, second]: Uint8Array): string | undefined {
  if (first === 0xff && second === 0xfe) return 'utf-16le';
  if (first === 0xfe && second === 0xff) return 'utf-16be';
  return undefined;
}

const charsetIn = (text: string) => /charset\s*=[\s"']*([^\s;"'>]+)/i.exec(text)?.[1];

/** Where browsers look: `<meta charset>` in HTML, the declaration in XML. */
function charsetInside(bytes: Uint8Array, contentType: string): string | undefined {
  if (!/html|xml/i.test(contentType)) return undefined;
  const start = Buffer.from(bytes.subarray(0, 1_024)).toString('latin1');
  const declared = /^\s*<\?xml[^>]*encoding\s*=\s*["']([^"']+)/i.exec(start)?.[1];
  const named = declared ?? charsetIn(/<meta[^>]+charset[^>]*>/i.exec(start)?.[0] ?? '');
  // The declaration was readable as ASCII, so the text is not UTF-16.
  return named?.toLowerCase().startsWith('utf-16') ? 'utf-8' : named;
}

function decoder(charset: string | undefined): TextDecoder {
  try {
    return new TextDecoder(charset);
  } catch {
    return new TextDecoder();
  }
}
