import { Agent, createServer, type IncomingHttpHeaders, request, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { buffer } from 'node:stream/consumers';

type Key = Record<string, { S: string }>;

interface Query {
  IndexName?: string;
  Limit?: number;
  ScanIndexForward?: boolean;
  ExclusiveStartKey?: Key;
  ExpressionAttributeValues: Record<string, { S?: string }>;
}

interface Answer {
  status: number;
  headers: IncomingHttpHeaders;
  body: string;
}

/** What a Query without a limit reads at most. */
const entriesMax = 50;

/**
 * Stands in front of a DynamoDB engine. Each page of a Query ends after a random number of entries, from none on, as
 * pages of DynamoDB do after 1 MB and where a filter lets nothing pass.
 */
export async function startShortPages(engine: string, seed: number) {
  const random = randomFrom(seed);
  /** Where pages without items ended. */
  const emptied = new Set<string>();
  const agent = new Agent({ keepAlive: true });
  const forward = (headers: IncomingHttpHeaders, body: string | Buffer): Promise<Answer> =>
    new Promise((resolve, reject) => {
      const sent = request(
        engine,
        { agent, method: 'POST', headers: sendable(headers, body) },
        async (answer) => {
          const text = (await buffer(answer)).toString();
          resolve({ status: answer.statusCode ?? 502, headers: answer.headers, body: text });
        },
      );
      sent.on('error', reject).end(body);
    });

  async function query(headers: IncomingHttpHeaders, input: Query): Promise<Answer> {
    const { Limit = entriesMax, ExclusiveStartKey } = input;
    const entries = Math.floor(random() * (Limit + 1));
    // Not twice in a row: some readers document how many Queries they make.
    const isAfterEmpty = emptied.delete(JSON.stringify(ExclusiveStartKey));
    if (entries > 0 || isAfterEmpty)
      return forward(headers, JSON.stringify({ ...input, Limit: Math.max(1, entries) }));
    if (ExclusiveStartKey) return emptyPage(ExclusiveStartKey);
    const first = await forward(headers, JSON.stringify({ ...input, Limit: 1 }));
    const { LastEvaluatedKey } = JSON.parse(first.body) as { LastEvaluatedKey?: Key };
    const before = LastEvaluatedKey && keyBefore(LastEvaluatedKey, input);
    return before ? emptyPage(before) : first;
  }

  function emptyPage(LastEvaluatedKey: Key): Answer {
    emptied.add(JSON.stringify(LastEvaluatedKey));
    const body = JSON.stringify({ Items: [], Count: 0, ScannedCount: 0, LastEvaluatedKey });
    return { status: 200, headers: { 'content-type': 'application/x-amz-json-1.0' }, body };
  }

  const server = createServer(async (incoming, response) => {
    const body = await buffer(incoming);
    const isQuery = String(incoming.headers['x-amz-target']).endsWith('.Query');
    const answer = isQuery
      ? query(incoming.headers, JSON.parse(body.toString()) as Query)
      : forward(incoming.headers, body);
    await answer.then(
      (given) => send(response, given),
      () => response.destroy(),
    );
  });
  server.listen(0, '127.0.0.1');
  await new Promise((resolve) => server.once('listening', resolve));
  const close = async () => {
    server.closeAllConnections();
    agent.destroy();
    await new Promise((resolve) => server.close(resolve));
  };
  return { endpoint: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, close };
}

function send(response: ServerResponse, { status, headers, body }: Answer): void {
  const kept = Object.entries(headers).filter(([name]) => /^content-type$|^x-amzn/.test(name));
  response.writeHead(status, { ...Object.fromEntries(kept), 'content-length': Buffer.byteLength(body) });
  response.end(body);
}

const sendable = ({ host: _host, ...headers }: IncomingHttpHeaders, body: string | Buffer) => ({
  ...headers,
  'content-length': Buffer.byteLength(body),
});

/** A key within the bounds of a query from which it goes on to the first entry; undefined if there is none. */
function keyBefore(first: Key, { IndexName, ScanIndexForward = true, ...query }: Query): Key | undefined {
  const name = `SK${IndexName?.slice(-1) ?? ''}`;
  const sortKey = first[name]?.S ?? '';
  const code = sortKey.charCodeAt(sortKey.length - 1) + (ScanIndexForward ? -1 : 1);
  const before = sortKey.slice(0, -1) + String.fromCharCode(code);
  const { ':from': from, ':to': to } = query.ExpressionAttributeValues;
  const isWithin = before >= (from?.S ?? '') && before <= (to?.S ?? '\uffff');
  return /[0-9a-z]$/.test(before) && isWithin ? { ...first, [name]: { S: before } } : undefined;
}

/** Numbers from 0 to 1 that follow from the seed. */
function randomFrom(seed: number) {
  let state = seed;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4_294_967_296;
  };
}
