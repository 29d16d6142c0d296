/** The wait that `Retry-After` asks for, in seconds or as a date (RFC 9110). Undefined if it asks for none. */
export function retryAfterMs(header: string | null | undefined, now: Date): number | undefined {
  const text = header?.trim() ?? '';
  if (text === '') return undefined;
  const seconds = Number(text);
  const ms = Number.isNaN(seconds) ? Date.parse(text) - now.getTime() : seconds * 1_000;
  return Number.isFinite(ms) && ms >= 0 ? ms : undefined;
}
