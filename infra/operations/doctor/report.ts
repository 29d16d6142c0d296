import { styleText } from 'node:util';
import type { CheckFinding, CheckResult } from './check.ts';

const signs = { ok: ['✓', 'green'], warning: ['!', 'yellow'], problem: ['✗', 'red'] } as const;

/** One line per check, and below it what to do. Colored on a terminal. */
export function formatReport(results: readonly CheckResult[], stream: NodeJS.WriteStream): string {
  const width = Math.max(...results.map(({ what }) => what.length));
  const lines = results.flatMap(({ status, what, message, advice }) => {
    const [sign, color] = signs[status];
    return [
      `${styleText(color, sign, { stream })} ${what.padEnd(width)}  ${message}`,
      ...(advice ? [`  ${' '.repeat(width)}  → ${advice}`] : []),
    ];
  });
  return `${[...lines, '', summaryOf(results)].join('\n')}\n`;
}

function summaryOf(results: readonly CheckResult[]): string {
  const count = (status: CheckFinding['status']) =>
    results.filter((result) => result.status === status).length;
  const plural = (number: number, noun: string) => `${number} ${noun}${number === 1 ? '' : 's'}`;
  return `${plural(results.length, 'check')}: ${plural(count('problem'), 'problem')}, ${plural(count('warning'), 'warning')}`;
}
