import { readdirSync, readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { gunzipSync } from 'node:zlib';
import { DynamoDBClient, ScanCommand } from '@aws-sdk/client-dynamodb';
import type { StackFacts } from '../../../infra/local/stack.ts';
import { s3Fetch } from '../data/s3.ts';

/** All that something left behind, each with its name: what a test looks through for what must not be there. */
export type Traces = Map<string, Buffer>;

/** In which of them a word occurs: as it is, in base64 at any place, in hexadecimal digits, in UTF-16. */
export function findTraces(word: string, traces: Traces): string[] {
  const bytes = Buffer.from(word);
  const inBase64 = [0, 1, 2].map((before) =>
    Buffer.concat([Buffer.alloc(before), bytes])
      .toString('base64')
      .slice(Math.ceil((before * 8) / 6), Math.floor(((before + bytes.length) * 8) / 6)),
  );
  const forms = [
    bytes,
    ...[...inBase64, bytes.toString('hex')].map((text) => Buffer.from(text)),
    Buffer.from(word, 'utf16le'),
  ];
  return [...traces].flatMap(([name, trace]) => (forms.some((form) => trace.includes(form)) ? [name] : []));
}

/** Every item of a stack's table. */
export async function readTableItems({ aws, table }: StackFacts): Promise<Traces> {
  const credentials = { accessKeyId: 'local', secretAccessKey: 'local' };
  const client = new DynamoDBClient({ endpoint: aws.dynamodb, region: 'us-east-1', credentials });
  const traces: Traces = new Map();
  let ExclusiveStartKey: ScanCommand['input']['ExclusiveStartKey'];
  do {
    const page = await client.send(new ScanCommand({ TableName: table, ExclusiveStartKey }));
    for (const item of page.Items ?? []) {
      traces.set(`item ${item.PK?.S} ${item.SK?.S}`, Buffer.from(JSON.stringify(item)));
    }
    ExclusiveStartKey = page.LastEvaluatedKey;
  } while (ExclusiveStartKey);
  client.destroy();
  return traces;
}

/** Every object of a stack's buckets, unpacked. */
export async function readStoredObjects({ aws }: StackFacts): Promise<Traces> {
  const traces: Traces = new Map();
  for (const bucket of ['payloads', 'assets']) {
    const list = await (await s3Fetch(`${aws.s3}/${bucket}?list-type=2`)).text();
    for (const [, key = ''] of list.matchAll(/<Key>(.*?)<\/Key>/g)) {
      const body = Buffer.from(await (await s3Fetch(`${aws.s3}/${bucket}/${key}`)).arrayBuffer());
      const isPacked = body[0] === 0x1f && body[1] === 0x8b;
      traces.set(`object ${bucket}/${key}`, isPacked ? gunzipSync(body) : body);
    }
  }
  return traces;
}

/** Every file under a directory. */
export function readDirectory(directory: string): Traces {
  const paths = readdirSync(directory, { recursive: true }).map((path) => join(directory, String(path)));
  return new Map(
    paths.filter((path) => statSync(path).isFile()).map((path) => [`file ${path}`, readFileSync(path)]),
  );
}
