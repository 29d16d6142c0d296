/** What was sent in a second, since 1970. */
export interface SentInSecond {
  second: number;
  requests: number;
  tokens: number;
}

const radix = 36;

/**
 * Some 400 bytes for a minute, so that a write costs one unit: the first second, and for each one that follows its requests
 * and tokens.
 */
export function packSent(sent: readonly SentInSecond[]): string {
  const all = summed(sent);
  const [first] = all;
  if (!first) return '';
  const parts: string[] = [];
  for (const { second, requests, tokens } of all) {
    parts[second - first.second] =
      `${requests.toString(radix)}${tokens === 0 ? '' : `.${tokens.toString(radix)}`}`;
  }
  return `${first.second.toString(radix)}:${parts.join()}`;
}

export function unpackSent(text: string): SentInSecond[] {
  const [first = '', parts = ''] = text.split(':');
  return parts.split(',').flatMap((part, index) => {
    if (part === '') return [];
    const [requests = '0', tokens = '0'] = part.split('.');
    const second = Number.parseInt(first, radix) + index;
    return [{ second, requests: Number.parseInt(requests, radix), tokens: Number.parseInt(tokens, radix) }];
  });
}

/** One entry a second, in order. */
export function summed(sent: readonly SentInSecond[]): SentInSecond[] {
  const seconds = new Map<number, SentInSecond>();
  for (const { second, requests, tokens } of sent) {
    const known = seconds.get(second) ?? { second, requests: 0, tokens: 0 };
    seconds.set(second, {
      second,
      requests: Math.max(0, known.requests + requests),
      tokens: Math.max(0, known.tokens + tokens),
    });
  }
  return [...seconds.values()].toSorted((one, other) => one.second - other.second);
}
