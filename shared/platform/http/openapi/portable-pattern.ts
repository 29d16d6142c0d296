/** Spelled out: Python's `\d` and `\w` match every script; Python and JavaScript without `u` lack `\p`. */
const sets: Record<string, string> = {
  '\\d': '0-9',
  '\\w': 'A-Za-z0-9_',
  '\\p{Cc}': '\\x00-\\x1F\\x7F-\\x9F',
};
const complements: Record<string, string> = {
  '\\D': '0-9',
  '\\W': 'A-Za-z0-9_',
  '\\P{Cc}': '\\x00-\\x1F\\x7F-\\x9F',
};

/** So that JavaScript (with and without `u`), Python and Go interpret it alike. */
export function portablePattern(source: string): string {
  let inClass = false;
  return source.replace(/\\(?:p\{\w+\}|.)|[[\]]/gi, (token) => {
    if (token === '[' || token === ']') inClass = token === '[';
    if (inClass) return sets[token] ?? token;
    if (sets[token]) return `[${sets[token]}]`;
    return complements[token] ? `[^${complements[token]}]` : token;
  });
}
