import { stepsPerFlow } from '../flows/batch.ts';
import { prices, type ResourceUse } from '../measure/prices.ts';
import { priceOfMillionRequests, priceOfMillionRuns, type ServicePrices, totalUsd } from './price.ts';
import type { RunName } from './run-units.ts';
import type { RequestName, RowsName, Units } from './units.ts';

const requests: Record<RequestName, string> = {
  read: 'Read a flow (`GET /v1/flows/{id}`)',
  write: 'Create a record (`POST /v1/records`)',
  list: 'List ten records (`GET /v1/records`)',
  dispatch: 'Dispatch one `prompt` step (`POST /v1/dispatch`)',
  writeLarge: 'Create a flow of 225 KB',
  readLarge: 'Read a flow of 225 KB',
};
const flows: Record<keyof Units['records'], string> = {
  local: 'three steps without outside effects',
  model: 'three steps, one of them `prompt`',
  prompt: 'one `prompt` step',
};
const columns: Record<keyof ServicePrices, string> = {
  gateway: 'API Gateway',
  lambda: 'Lambda',
  dynamoDb: 'DynamoDB',
  sqs: 'SQS',
  s3: 'S3',
  logs: 'logs',
  traces: 'traces',
  dataOut: 'data out',
};

const rows: Record<RowsName, string> = {
  created: 'A row that becomes a record',
  updated: 'A row of an upsert that changes a record',
  unchanged: 'A row of an upsert that changes nothing',
  exported: 'A record in an export',
};

const runs: Record<RunName, string> = {
  agent: 'An agent calls a tool and answers (`POST /v1/agents/{id}/execute`)',
  chat: 'A visitor’s message to an agent, with a fifth of a session (`POST /v1/client/chat`)',
  webhook: 'A webhook starts a flow of one step',
  schedule: 'A schedule runs a flow of one step on a record',
};

type Row = readonly [what: string, price: ServicePrices];

export const requestSection = (units: Units): string => `## Per 1,000 requests

Each request is that of an API key which the authorizer's cache knows. Once a minute for each credential the authorizer
runs too, which costs about as much as reading a flow. A web ACL adds ${prices.wafMillionRequests / 1_000} USD.

${tableOf(
  Object.entries(requests).map(([name, what]) => [what, priceOf(units, name as RequestName)]),
  1_000,
)}`;

export function runSection(units: Units): string {
  const kinds = Object.entries(flows) as [keyof Units['records'], string][];
  const stepPrice = (kind: keyof Units['records']) =>
    (totalUsd(priceOfMillionRuns(units.records[kind])) / stepsPerFlow).toFixed(2);
  return `## Per 1,000 records run by a batch

By the flow that runs on each record. The prices of models are not included.

${tableOf(
  kinds.map(([kind, what]) => [what, priceOfMillionRuns(units.records[kind])]),
  1_000,
)}

## Per million steps

- Steps without outside effects, three in a flow: **${stepPrice('local')} USD**.
- Three steps in a flow, one of them a call to a model: **${stepPrice('model')} USD**.
- \`prompt\` steps alone, one in a flow: **${totalUsd(priceOfMillionRuns(units.records.prompt)).toFixed(2)} USD**. The step's share of a record with other steps is less.`;
}

export function rowSection(units: Units): string {
  const kinds = Object.entries(rows) as [RowsName, string][];
  const unitsOf = ({ writeUnits, readUnits, writeRequests }: ResourceUse) =>
    [writeUnits, readUnits, writeRequests].map((each) => each.toFixed(2)).join(' | ');
  return `## Per 1,000 rows of imports and exports

Of records of 150 bytes. Larger ones take another write unit for each KB, and in an index only their names.

${tableOf(
  kinds.map(([name, what]) => [what, priceOfMillionRuns(units.rows[name])]),
  1_000,
)}

What DynamoDB counts for one row:

| | write units | read units | requests that write |
| --- | --- | --- | --- |
${kinds.map(([name, what]) => `| ${what} | ${unitsOf(units.rows[name])} |`).join('\n')}`;
}

export const startSection = (
  units: Units,
): string => `## Per 1,000 runs of agents, chats, schedules and webhooks

Each with the request that starts it, except for the schedule, which starts itself. On top come ${secondOfEndpoint} USD per 1,000
for each second that a model takes, because the Lambda waits for it. The model's own price is usually many times that.

${tableOf(
  Object.entries(runs).map(([name, what]) => [what, priceOfStart(units, name as RunName)]),
  1_000,
)}`;

function priceOfStart(units: Units, name: RunName): ServicePrices {
  const price = priceOfMillionRequests(units.runs[name]);
  return name === 'schedule' ? { ...price, gateway: 0, dataOut: 0 } : price;
}

const secondOfEndpoint = (prices.lambdaArm64GbSecond * 500).toFixed(4);

const priceOf = (units: Units, name: RequestName) => priceOfMillionRequests(units.requests[name]);

/** @param count For how many the prices are. */
function tableOf(rows: readonly Row[], count: number): string {
  const names = Object.keys(columns) as (keyof ServicePrices)[];
  const used = names.filter((name) => rows.some(([, price]) => price[name] > 0));
  const usd = (million: number) => (million === 0 ? '0' : ((million * count) / 1_000_000).toFixed(5));
  return [
    `| USD | ${used.map((name) => columns[name]).join(' | ')} | total |`,
    `| --- | ${used.map(() => '---').join(' | ')} | --- |`,
    ...rows.map(
      ([what, price]) =>
        `| ${what} | ${used.map((name) => usd(price[name])).join(' | ')} | **${usd(totalUsd(price))}** |`,
    ),
  ].join('\n');
}
