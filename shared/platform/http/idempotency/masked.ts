/** The JSON of an answer without the values that are shown once. @param paths Dotted; `*` stands for each element of a list. */
export function masked(body: string, paths: readonly string[]): string {
  if (paths.length === 0) return body;
  const answer = JSON.parse(body);
  for (const path of paths) {
    const names = path.split('.');
    const last = names.pop() as string;
    for (const place of placesAt(answer, names)) {
      if (typeof place?.[last] === 'string') place[last] = maskedValue(place[last]);
    }
  }
  return JSON.stringify(answer);
}

type Place = Record<string, string> | undefined;

const placesAt = (answer: unknown, names: readonly string[]): Place[] =>
  names.reduce<unknown[]>(
    (places, name) =>
      places.flatMap((place) =>
        name === '*' ? (Array.isArray(place) ? place : []) : [(place as Place)?.[name]],
      ),
    [answer],
  ) as Place[];

/** The prefix of a value such as `tv_live_` with 4 more characters, and its last 4; of a link, that of its token. */
function maskedValue(value: string): string {
  const start = value.startsWith('http') ? Math.max(value.indexOf('#'), value.indexOf('=')) + 1 : 0;
  const [prefix = ''] = /^(?:[a-z]+_)*/.exec(value.slice(start)) ?? [];
  return `${value.slice(0, start + prefix.length + 4)}…${value.slice(-4)}`;
}
