const dayMs = 86_400_000;

const formats = new Map<string, Intl.DateTimeFormat>();

function formatOf(zone: string): Intl.DateTimeFormat {
  const known = formats.get(zone);
  if (known) return known;
  const format = new Intl.DateTimeFormat('en-US', {
    timeZone: zone,
    hourCycle: 'h23',
    era: 'short',
    year: 'numeric',
    month: 'numeric',
    day: 'numeric',
    hour: 'numeric',
    minute: 'numeric',
    second: 'numeric',
  });
  formats.set(zone, format);
  return format;
}

/** The IANA name of a time zone, in its usual case; undefined for any other text. Keeps names that are renamed. */
export function timeZoneOf(text: string): string | undefined {
  // Offsets, as +01:00, are no names.
  if (!/^[A-Za-z][\w+/-]*$/.test(text)) return undefined;
  try {
    const { timeZone } = new Intl.DateTimeFormat('en-US', { timeZone: text }).resolvedOptions();
    return timeZone.toLowerCase() === text.toLowerCase() ? timeZone : text;
  } catch {
    return undefined;
  }
}

/** What clocks of a zone show at an instant, as if they showed UTC. Both in Unix milliseconds, to the second. */
export function wallTimeOf(zone: string, instantMs: number): number {
  const parts = formatOf(zone).formatToParts(instantMs);
  const of = (type: Intl.DateTimeFormatPartTypes) => Number(parts.find((part) => part.type === type)?.value);
  return Date.UTC(of('year'), of('month') - 1, of('day'), of('hour'), of('minute'), of('second'));
}

const offsetAt = (zone: string, instantMs: number) => wallTimeOf(zone, instantMs) - instantMs;

/** The first of two when clocks are set back, the first after the gap when set forward. In Unix ms. */
export function instantOf(zone: string, wallMs: number): number {
  const offsets = [offsetAt(zone, wallMs - dayMs), offsetAt(zone, wallMs + dayMs)];
  const candidates = offsets.map((offset) => wallMs - offset).sort((one, other) => one - other);
  const exact = candidates.find((instant) => wallTimeOf(zone, instant) === wallMs);
  if (exact !== undefined) return exact;
  let [before = 0, after = 0] = candidates;
  while (after - before > 1_000) {
    const middle = Math.floor((before + after) / 2_000) * 1_000;
    if (wallTimeOf(zone, middle) < wallMs) before = middle;
    else after = middle;
  }
  return after;
}
