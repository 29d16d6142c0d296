import { GetCommand, PutCommand } from '@aws-sdk/lib-dynamodb';
import { startDynamoDb } from '../../infra/local/dynamodb/dynamodb.ts';
import { ensureTable } from '../../infra/local/dynamodb/table.ts';
import { documentClient } from '../../shared/platform/data/client.ts';
import { useTable } from '../http/warm-get.ts';
import { type Figure, median, printProgress } from '../measure/figure.ts';

const table = 'request-cpu';
const requests = 4_000;
const atOnce = 8;
const readings = 5;

/** (c) The CPU time that a request to DynamoDB costs this process: the client, its signature and the socket. */
export async function measureRequestToTable(): Promise<Figure[]> {
  printProgress('c: CPU time of a request to DynamoDB');
  const engine = await startDynamoDb(undefined);
  try {
    useTable(engine.endpoint, table);
    await ensureTable(table);
    const client = documentClient();
    const Key = { PK: 'T#user:ada#FLOW#flow_1', SK: 'FLOW' };
    await client.send(new PutCommand({ TableName: table, Item: { ...Key, name: 'A flow', revision: 3 } }));
    const get = () => client.send(new GetCommand({ TableName: table, Key }));
    await cpuMs(get);
    const each: number[] = [];
    for (let reading = 0; reading < readings; reading++) each.push(await cpuMs(get));
    return [
      {
        figure: 'c',
        what: 'CPU time of a GetItem',
        value: Number(median(each).toFixed(3)),
        unit: 'ms',
        goal: { atMost: 0.15 },
        details: { requests, atOnce, readings: each.map((ms) => Number(ms.toFixed(3))) },
      },
    ];
  } finally {
    await engine.stop();
  }
}

/** @returns that of a request */
async function cpuMs(send: () => Promise<unknown>): Promise<number> {
  const before = process.cpuUsage();
  let left = requests;
  const sender = async () => {
    while (left-- > 0) await send();
  };
  await Promise.all(Array.from({ length: atOnce }, sender));
  const { user, system } = process.cpuUsage(before);
  return (user + system) / 1_000 / requests;
}
