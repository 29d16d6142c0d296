import { mkdtempDisposable } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import {
  PutCommand,
  type PutCommandInput,
  TransactWriteCommand,
  type TransactWriteCommandInput,
} from '@aws-sdk/lib-dynamodb';
import { startDynamoDb } from '../../infra/local/dynamodb/dynamodb.ts';
import { ensureTable } from '../../infra/local/dynamodb/table.ts';
import { documentClient } from '../../shared/platform/data/client.ts';
import { useTable } from '../http/warm-get.ts';
import type { SentCommand } from '../measure/recorder.ts';

type Client = ReturnType<typeof documentClient>;
export type BareWrite =
  | { name: 'Put'; input: PutCommandInput }
  | { name: 'TransactWrite'; input: TransactWriteCommandInput };

/** As many as a batch runs concurrently. */
const recordsAtOnce = 10;

/** The commands that wrote step results. */
export const stepResultWrites = (sent: readonly SentCommand[]) =>
  sent.filter(
    (command): command is SentCommand & BareWrite =>
      (command.name === 'Put' || command.name === 'TransactWrite') &&
      itemsOf(command as BareWrite).some((item) => item?._type === 'checkpoint'),
  );

const itemsOf = ({ name, input }: BareWrite) =>
  name === 'Put' ? [input.Item] : (input.TransactItems ?? []).map(({ Put }) => Put?.Item);

/** The same results as a worker without group commit writes them: one transaction per record. */
export const oneTransactionARecord = (writes: readonly BareWrite[]): BareWrite[] =>
  writes.flatMap((write): BareWrite[] => {
    if (write.name === 'Put') return [write];
    const { TransactItems = [] } = write.input;
    const [counter] = TransactItems.filter(({ Update }) => Update);
    return TransactItems.filter(({ Put }) => Put).map((item) => ({
      name: 'TransactWrite',
      input: { TransactItems: counter ? [item, counter] : [item] },
    }));
  });

/** Sends the same writes again to an idle engine with an empty table on disk. @returns seconds. */
export async function secondsOfWrites(
  table: string,
  { warmUp, measured }: { warmUp: readonly BareWrite[]; measured: readonly BareWrite[] },
  atOnce = recordsAtOnce,
): Promise<number> {
  await using directory = await mkdtempDisposable(join(tmpdir(), 'bench-bare-'));
  const engine = await startDynamoDb(directory.path);
  try {
    useTable(engine.endpoint, table);
    await ensureTable(table);
    const client = documentClient();
    await sendAll(client, warmUp, atOnce);
    const began = performance.now();
    await sendAll(client, measured, atOnce);
    return (performance.now() - began) / 1_000;
  } finally {
    await engine.stop();
  }
}

async function sendAll(client: Client, writes: readonly BareWrite[], atOnce: number): Promise<void> {
  const remaining = writes.values();
  const sendSome = async () => {
    for (const { name, input } of remaining) {
      if (name === 'Put') await client.send(new PutCommand(input));
      else await client.send(new TransactWriteCommand(input));
    }
  };
  await Promise.all(Array.from({ length: atOnce }, sendSome));
}
