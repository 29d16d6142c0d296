import type { MeasuredDeployment } from './deployments.ts';
import { type QuotaName, quotas } from './quotas.ts';

const kilobytes = (bytes: number) => `${Math.round(bytes / 1_000).toLocaleString('en-US')} KB`;
const number = (count: number) => count.toLocaleString('en-US');

/** The columns: a quota, its short name, and how its sizes are shown. */
const columns: [name: QuotaName, title: string, show: (size: number) => string][] = [
  ['operation', 'resources together', number],
  ['template', 'largest template', kilobytes],
  ['resources', 'resources of a stack', number],
  ['parameters', 'parameters of a stack', number],
  ['outputs', 'outputs of a stack', number],
  ['inline', 'largest policy of a role', number],
  ['managed', 'largest managed policy', number],
  ['document', 'document of the API', kilobytes],
  ['paths', 'resources of the API', number],
];

/** The sizes of deployments beside the quotas, as rows of texts; the first names the columns. */
export const sizeRows = (measured: readonly MeasuredDeployment[]): string[][] => [
  [
    'environment',
    'options',
    'stacks',
    ...columns.map(([name, title, show]) => `${title}, of ${show(quotas[name].max)}`),
  ],
  ...measured.map(({ env, options, sizes }) => [
    env,
    options,
    number(sizes.stacks.size),
    ...columns.map(([name, , show]) => show(sizes[name].size)),
  ]),
];

/** For a terminal: a line for each quota, since the names are longer than the numbers. */
export function sizeTable(measured: readonly MeasuredDeployment[]): string {
  const [titles = [], ...rows] = sizeRows(measured);
  const lines = titles.map((title, column) => [title, ...rows.map((row) => row[column] ?? '')]);
  const widths = [titles, ...rows].map((row) => Math.max(...row.map(({ length }) => length)));
  return lines
    .map(([title = '', ...cells]) =>
      [
        title.padEnd(widths[0] ?? 0),
        ...cells.map((cell, index) => cell.padStart(widths[index + 1] ?? 0)),
      ].join('  '),
    )
    .join('\n');
}
