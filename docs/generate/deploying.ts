import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { measureDeployments } from '../../infra/aws/sizes/deployments.ts';
import { sizeRows } from '../../infra/aws/sizes/table.ts';
import { type EnvironmentName, environments } from '../../infra/environments.ts';
import {
  deadLetters,
  type QueueSpec,
  queues,
  queueVisibilitySeconds,
  workersMax,
} from '../../infra/resources.ts';

const names = Object.keys(environments) as EnvironmentName[];

/** docs/deploying.md with what follows from the environments, the queues and the templates in its marked parts. */
export function deployingDocument(root: string): string {
  const parts: Record<string, () => string> = {
    environments: environmentTable,
    queues: queueTable,
    sizes: () => table(sizeRows(measureDeployments())),
  };
  const text = readFileSync(join(root, 'docs/deploying.md'), 'utf8');
  return Object.entries(parts).reduce((document, [name, make]) => {
    const [begin, end] = [`<!-- ${name}: \`npm run docs\` writes this -->`, `<!-- end of ${name} -->`];
    const [before, rest = ''] = document.split(begin);
    const [, after] = rest.split(end);
    if (after === undefined) throw new Error(`docs/deploying.md needs ${begin} and ${end}`);
    return `${before}${begin}\n\n${make()}\n\n${end}${after}`;
  }, text);
}

function environmentTable(): string {
  type Environment = (typeof environments)[EnvironmentName];
  const row = (what: string, show: (environment: Environment, name: EnvironmentName) => string) => [
    what,
    ...names.map((name) => show(environments[name], name)),
  ];
  const yesOrNo = (is: boolean) => (is ? 'yes' : 'no');
  return table([
    ['', ...names],
    row('keep data when the stack is deleted; deletion protection of table and user pool', ({ keepsData }) =>
      yesOrNo(keepsData),
    ),
    row('refuse `cdk destroy` (termination protection)', ({ refusesDestroy }) => yesOrNo(refusesDestroy)),
    row('log retention', ({ logRetentionDays }) => `${logRetentionDays} days`),
    row(
      'requests per second before API Gateway throttles; a tenth of it for each public route',
      ({ requestsPerSecond }) => number(requestsPerSecond),
    ),
    row('web ACL: requests per IP address in five minutes', ({ wafRatePer5Minutes: rate }) =>
      rate === 'off' ? 'no web ACL' : number(rate),
    ),
    row('alarms and a dashboard', ({ alarms }) => yesOrNo(alarms)),
    row('canary releases', ({ canary }) => yesOrNo(canary)),
    row('Lambda concurrency reserved for the authorizer', ({ authorizersReserved }) =>
      authorizersReserved === 0 ? 'none' : number(authorizersReserved),
    ),
    row('invocations of all workers at a time, at most', (_, name) => number(workersMax(name))),
    row('of a Lambda quota of 1,000, what they leave for requests', ({ authorizersReserved }, name) =>
      number(1_000 - authorizersReserved - workersMax(name)),
    ),
  ]);
}

function queueTable(): string {
  const row = ([queue, spec]: [string, QueueSpec]) => [
    `\`${queue}\`${spec.fifo ? ' (FIFO)' : ''}`,
    `\`${spec.worker}\``,
    ...names.map((name) => number(spec.maxConcurrency[name])),
    seconds(spec.timeoutSeconds),
    seconds(queueVisibilitySeconds(spec)),
    number(spec.maxReceiveCount),
    `\`${spec.deadLetterWorker}\``,
  ];
  const header = [
    'queue',
    'worker',
    ...names.map((name) => `at a time in ${name}`),
    'time limit',
    'a message is invisible for',
    'deliveries',
    `then, ${deadLetters.maxConcurrency} at a time`,
  ];
  return table([header, ...Object.entries<QueueSpec>(queues).map(row)]);
}

const number = (value: number) => value.toLocaleString('en-US');
const seconds = (value: number) => (value % 60 === 0 ? `${value / 60} min` : `${value} s`);

function table([header = [], ...rows]: readonly string[][]): string {
  const line = (cells: readonly string[]) => `| ${cells.join(' | ')} |`;
  return [line(header), line(header.map(() => '---')), ...rows.map(line)].join('\n');
}
