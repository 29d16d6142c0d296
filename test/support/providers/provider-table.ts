import type { Feature, Wire } from './wire.ts';

/** The table of docs/providers.md: a column for each API, and the reasons for what it lacks as notes. */
export function providerTable(wires: readonly Wire[], features: Record<Feature, string>): string {
  const notes: string[] = [];
  const noteOf = (reason: string) => {
    if (!notes.includes(reason)) notes.push(reason);
    return `no (${notes.indexOf(reason) + 1})`;
  };
  const row = (cells: readonly string[]) => `| ${cells.join(' | ')} |`;
  const isLacked = (feature: string) => wires.some(({ lacks }) => lacks[feature as Feature]);
  const everywhere = Object.entries(features).filter(([feature]) => !isLacked(feature));
  const rows = Object.entries(features)
    .filter(([feature]) => isLacked(feature))
    .map(([feature, label]) =>
      row([
        label,
        ...wires.map(({ lacks }) => {
          const reason = lacks[feature as Feature];
          return reason ? noteOf(reason) : 'yes';
        }),
      ]),
    );
  return [
    '',
    `All have: ${everywhere.map(([, label]) => label).join('; ')}.`,
    '',
    row(['', ...wires.map(({ title, docs }) => `[${title}](${docs})`)]),
    row(['---', ...wires.map(() => '---')]),
    row(['provider', ...wires.map(({ provider }) => `\`${provider}\``)]),
    ...rows,
    '',
    ...notes.map((note, n) => `${n + 1}. ${note[0]?.toUpperCase()}${note.slice(1)}.`),
    '',
    '',
  ].join('\n');
}
