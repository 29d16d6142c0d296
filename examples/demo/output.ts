import { styleText } from 'node:util';

const { stdout } = process;
const style = (format: Parameters<typeof styleText>[0], text: string) =>
  styleText(format, text, { stream: stdout });

export const count = (value: number) => value.toLocaleString('en');
export const shortDuration = (ms: number) =>
  ms < 1_000 ? `${Math.round(ms)} ms` : `${(ms / 1_000).toFixed(1)} s`;

const labelWidth = 10;

/** Prints a label, and the lines beside it. */
export function printLabelled(label: string, lines: string | string[]): void {
  const [first = '', ...rest] = [lines].flat();
  stdout.write(`  ${style('bold', label.padEnd(labelWidth))}${first}\n`);
  for (const line of rest) stdout.write(`  ${' '.repeat(labelWidth)}${line}\n`);
}

const textWidth = 80;

/** Prints text as it arrives, with line breaks between words. */
export function liveText(label: string) {
  let column = 0;
  stdout.write(`  ${style('bold', label.padEnd(labelWidth))}`);
  return {
    write(piece: string): void {
      for (const word of piece.split(/(?<=\s)/)) {
        if (column > 0 && column + word.trimEnd().length > textWidth) {
          stdout.write(`\n  ${' '.repeat(labelWidth)}`);
          column = 0;
        }
        stdout.write(word.replaceAll(/\s*\n/g, ' '));
        column += word.length;
      }
    },
    end: () => void stdout.write('\n'),
  };
}

export const heading = (text: string) => stdout.write(`\n  ${style('bold', text)}\n\n`);
export const note = (text: string) => stdout.write(`  ${style('dim', text)}\n`);

/** Prints the members of an object, one per line. */
export function show(members: Record<string, unknown>): void {
  const width = Math.max(...Object.keys(members).map(({ length }) => length));
  for (const [name, value] of Object.entries(members)) {
    stdout.write(`  ${style('dim', name.padEnd(width))}   ${value}\n`);
  }
  stdout.write('\n');
}

export interface DemoColumn<Row> {
  title: string;
  value: (row: Row) => string;
  /** Aligns numbers on the right. */
  right?: boolean;
}

export function table<Row>(columns: DemoColumn<Row>[], rows: Row[]): void {
  const texts = rows.map((row) => columns.map(({ value }) => value(row)));
  const widths = columns.map(({ title }, index) =>
    Math.max(title.length, ...texts.map((row) => row[index]?.length ?? 0)),
  );
  const line = (cells: string[]) =>
    cells
      .map((cell, index) => cell[columns[index]?.right ? 'padStart' : 'padEnd'](widths[index] ?? 0))
      .join('   ')
      .trimEnd();
  note(line(columns.map(({ title }) => title)));
  for (const row of texts) stdout.write(`  ${line(row)}\n`);
}

const barWidth = 30;

/** Prints progress: an updating line in a terminal, elsewhere one line for each fifth. */
export function progressPrinter(label: string) {
  let fifths = 0;
  return (done: number, total: number) => {
    const text = `${count(done)} of ${count(total)}`;
    if (stdout.isTTY) {
      const filled = Math.round((barWidth * done) / total);
      const bar = '█'.repeat(filled) + style('dim', '░'.repeat(barWidth - filled));
      stdout.write(`\r\x1b[K  ${style('bold', label.padEnd(labelWidth))}${bar} ${text}`);
      if (done === total) stdout.write('\n');
      return;
    }
    const reached = Math.floor((5 * done) / total);
    if (reached > fifths) printLabelled(label, text);
    fifths = Math.max(fifths, reached);
  };
}
