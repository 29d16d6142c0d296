const rounds = 3;
const escapes =
  /(?:%[0-9a-f]{2})+|\\u([0-9a-f]{4})|\\x([0-9a-f]{2})|&#x([0-9a-f]{1,6});|&#(\d{1,7});|&(amp|lt|gt|quot|apos);|\\([nrt"'\\/])|[\0\r]/gi;
const named: Record<string, string> = { amp: '&', lt: '<', gt: '>', quot: '"', apos: "'" };
const letters: Record<string, string> = { n: '\n', r: '', t: '\t' };

/** Decodes the escapes of URLs, JSON and HTML in a text, also nested ones. */
export function decoded(text: string): string {
  let left = text;
  for (let round = 0; round < rounds; round++) {
    const next = once(left);
    if (next === left) break;
    left = next;
  }
  return left;
}

const once = (text: string) =>
  text.replace(
    escapes,
    (
      all: string,
      unicode?: string,
      byte?: string,
      hexEntity?: string,
      entity?: string,
      name?: string,
      letter?: string,
    ) => {
      if (all.startsWith('%')) return Buffer.from(all.replaceAll('%', ''), 'hex').toString();
      const hex = unicode ?? byte ?? hexEntity;
      if (hex) return character(Number.parseInt(hex, 16));
      if (entity) return character(Number(entity));
      if (name) return named[name.toLowerCase()] ?? all;
      return letter ? (letters[letter] ?? letter) : '';
    },
  );

const character = (code: number) => (code <= 0x10ffff ? String.fromCodePoint(code) : '');
