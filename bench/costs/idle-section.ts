import { groups } from '../../functions/index.ts';
import { type EnvironmentName, environments } from '../../infra/environments.ts';
import { prices } from '../measure/prices.ts';
import { idleItems, polling, pollsPerQueueMonth } from './idle.ts';
import { metricCount } from './metric-count.ts';

/** What an environment costs without a request. */
export function idleSection(): string {
  const names = Object.keys(environments) as EnvironmentName[];
  const items = names.map((env) => idleItems(env));
  const rows = (items[0] ?? []).map(({ what }, index) => {
    const cells = items.map((of) => cellOf(of[index]?.count ?? 0, of[index]?.usd ?? 0));
    return `| ${what} | ${cells.join(' | ')} |`;
  });
  const totals = items.map((of) => `**${of.reduce((sum, { usd }) => sum + usd, 0).toFixed(2)}**`);
  const metrics = metricCount(Object.keys(groups).length);
  return `## Idle

USD a month, and how many there are. Storage and users come on top.

| | ${names.join(' | ')} |
| --- | ${names.map(() => '---').join(' | ')} |
${rows.join('\n')}
| **Total** | ${totals.join(' | ')} |

**Polling.** Lambda polls each queue with ${polling.pollers} long polls of ${polling.seconds} s, whether or not it contains messages:
${thousands(pollsPerQueueMonth)} requests a month for each queue and each dead-letter queue. Lambda would reduce the polls of a quiet queue
to two, but not if the event source has a maximum concurrency, as these have. AWS documents the five pollers for standard
queues; for FIFO queues this assumes the same.

**Custom metrics** cost only in the hours in which they are sent: ${prices.cloudWatchMetricMonth} USD a month each if sent in every hour. The service
has at most ${metrics}, and so at most ${(metrics * prices.cloudWatchMetricMonth).toFixed(2)} USD a month.`;
}

const cellOf = (count: number, usd: number) =>
  count === 0 ? '0' : `${usd.toFixed(2)} (${Number.isInteger(count) ? thousands(count) : count.toFixed(2)})`;

const thousands = (value: number) => Math.round(value).toLocaleString('en-US');
