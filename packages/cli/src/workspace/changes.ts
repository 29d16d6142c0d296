import { print, styled } from '../terminal/output.ts';

interface Difference {
  path: string;
  before?: unknown;
  after?: unknown;
}

export interface PrintedChange {
  kind: string;
  name: string;
  action: string;
  diff: readonly Difference[];
}

const marks = {
  create: ['+', 'green'],
  update: ['~', 'yellow'],
  delete: ['-', 'red'],
  publish: ['^', 'cyan'],
} as const;

/** A line for each change, and below it what differs. @returns how many there are */
export function printChanges(changes: readonly PrintedChange[]): number {
  const shown = changes.filter(({ action }) => action in marks);
  for (const { kind, name, action, diff } of shown) {
    const [mark, style] = marks[action as keyof typeof marks];
    print(styled(style, `${mark} ${action} ${kind}: ${name}`));
    if (action !== 'update') continue;
    for (const { path, before, after } of diff) {
      print(styled('dim', `    ${path}: ${short(before)} → ${short(after)}`));
    }
  }
  return shown.length;
}

const charactersMax = 60;

function short(value: unknown): string {
  if (value === undefined) return 'nothing';
  const text = JSON.stringify(value);
  return text.length > charactersMax ? `${text.slice(0, charactersMax)}…` : text;
}
