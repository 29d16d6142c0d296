import { styleText } from 'node:util';
import { harmless } from './harmless.ts';

/** A part of a text that goes on. What is not a terminal gets it as it is. */
export function printPart(text: string): void {
  process.stdout.write(process.stdout.isTTY ? harmless(text) : text);
}
export const print = (text: string) => printPart(`${text}\n`);
export const printJson = (value: unknown) => print(JSON.stringify(value, null, 2));

/** What a person has to read meanwhile: the standard output has results only. */
export function printNotice(text: string): void {
  process.stderr.write(`${text}\n`);
}

/** A line that the next one replaces. Shown on a terminal only. */
export function showProgress(text: string): void {
  if (process.stderr.isTTY) process.stderr.write(`\r\x1b[K${harmless(text)}`);
}

type Style = Parameters<typeof styleText>[0];

/** Has colours only on a terminal, and not with NO_COLOR. */
export const styled = (style: Style, text: string) => styleText(style, text, { stream: process.stdout });

const statusStyles: Record<string, Style> = {
  completed: 'green',
  ok: 'green',
  failed: 'red',
  error: 'red',
  cancelled: 'yellow',
  paused: 'yellow',
  waiting: 'yellow',
};
export const styledStatus = (status: string, text = status) => styled(statusStyles[status] ?? 'cyan', text);

export interface OutputColumn<Row> {
  title: string;
  text: (row: Row) => string;
  style?: (row: Row, text: string) => string;
}

/** Rows in columns. Without rows it prints nothing. */
export function printTable<Row>(
  columns: readonly OutputColumn<Row>[],
  rows: readonly Row[],
  { hasHead = true } = {},
) {
  if (rows.length === 0) return;
  const widths = columns.map(({ title, text }) =>
    Math.max(hasHead ? title.length : 0, ...rows.map((row) => text(row).length)),
  );
  if (hasHead) {
    print(styled('dim', columns.map(({ title }, n) => title.padEnd(widths[n] ?? 0)).join('  ')).trimEnd());
  }
  for (const row of rows) print(formatRow(columns, widths, row));
}

export const formatRow = <Row>(columns: readonly OutputColumn<Row>[], widths: readonly number[], row: Row) =>
  columns
    .map(({ text, style }, n) => {
      const padded = text(row).padEnd(widths[n] ?? 0);
      return style ? style(row, padded) : padded;
    })
    .join('  ')
    .trimEnd();

export function formatDuration(ms: number | null): string {
  if (ms === null) return '';
  return ms < 1_000 ? `${Math.round(ms)} ms` : `${(ms / 1_000).toFixed(1)} s`;
}
