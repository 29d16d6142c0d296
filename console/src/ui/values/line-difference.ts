import { structuredPatch } from 'diff';

export interface DifferenceLine {
  kind: 'removed' | 'added' | 'same';
  text: string;
}

/** Beyond it, a comparison would block the page: both texts are shown whole. */
const workMs = 100;
const lineMax = 5_000;

/** The lines that differ between two texts, with three lines around each place. */
export function lineDifference(before: string, after: string): DifferenceLine[] {
  const patch = structuredPatch('', '', before, after, '', '', { context: 3, timeout: workMs });
  if (!patch) return [...whole('removed', before), ...whole('added', after)];
  return patch.hunks.flatMap(({ lines }, place) => [
    ...(place > 0 ? [{ kind: 'same' as const, text: '…' }] : []),
    // A line that begins with a backslash says that a text does not end with a line break.
    ...lines
      .filter((line) => !line.startsWith('\\'))
      .map((line) => ({ kind: kinds[line[0] ?? ' '] ?? 'same', text: cut(line.slice(1)) })),
  ]);
}

const kinds: Record<string, DifferenceLine['kind']> = { '-': 'removed', '+': 'added' };
const cut = (text: string) => (text.length > lineMax ? `${text.slice(0, lineMax)} …` : text);
const whole = (kind: DifferenceLine['kind'], text: string) =>
  text === '' ? [] : text.split('\n').map((line) => ({ kind, text: cut(line) }));
