/** A generator of the same random numbers for the same seed (mulberry32). */
export function seededRandom(seed: number) {
  let state = seed;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4_294_967_296;
  };
}

type Random = ReturnType<typeof seededRandom>;

const between = (random: Random, min: number, max: number) => min + Math.floor(random() * (max - min + 1));

/** A value, a range, or a range with a step, from `min` on. */
function partOf(random: Random, min: number, max: number): { text: string; last: number } {
  const low = between(random, min, max);
  const high = between(random, low, max);
  const step = between(random, 2, 10);
  const forms = [
    { text: `${low}`, last: low },
    { text: `${low}-${high}`, last: high },
    { text: `${low}-${high}/${step}`, last: high },
  ];
  return forms[between(random, 0, 2)] ?? { text: `${low}`, last: low };
}

/** Parts do not overlap: the other library takes no value twice. */
function fieldOf(random: Random, min: number, max: number, anyShare: number): string {
  if (random() < anyShare) return '*';
  if (random() < 0.2) return `*/${between(random, 2, Math.floor((max - min) / 2))}`;
  const parts: string[] = [];
  for (let from = min, wanted = between(random, 1, 3); from <= max && wanted > 0; wanted--) {
    const { text, last } = partOf(random, from, max);
    parts.push(text);
    from = last + 1;
  }
  return parts.join(',');
}

/** A random expression of five fields. It may never match. */
export const randomCron = (random: Random) =>
  [
    fieldOf(random, 0, 59, 0.1),
    fieldOf(random, 0, 23, 0.3),
    fieldOf(random, 1, 31, 0.5),
    fieldOf(random, 1, 12, 0.6),
    fieldOf(random, 0, 6, 0.5),
  ].join(' ');

const zones = Intl.supportedValuesOf('timeZone');

export const randomZone = (random: Random) => zones[between(random, 0, zones.length - 1)] as string;

/** From 2025 to 2034, half of them in the days around a change of a zone's clocks in Europe or America. */
export function randomStart(random: Random): Date {
  const at = Date.UTC(2025, 0, 1) + Math.floor(random() * 10 * 365 * 86_400) * 1_000;
  if (random() < 0.5) return new Date(at);
  const changes = [
    [2, 8],
    [2, 28],
    [9, 24],
    [9, 31],
  ] as const;
  const [month, day] = changes[between(random, 0, 3)] as (typeof changes)[number];
  return new Date(
    Date.UTC(between(random, 2025, 2034), month, day, between(random, 0, 23), between(random, 0, 59)),
  );
}
