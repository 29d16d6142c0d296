import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';

/** The contents of an object's version, or `deleted` for a delete marker; the last counts. */
export type Versions = Record<string, (Buffer | 'deleted')[]>;

/** What S3 does with the objects of a versioned bucket, of which fauxqs has none. */
export async function versionedBucket(bucket: string, objects: Versions) {
  const requests: string[] = [];
  const server = createServer(({ method = '', url = '' }, response) => {
    const { pathname, searchParams } = new URL(url, 'http://s3');
    const key = decodeURIComponent(pathname.slice(bucket.length + 2));
    requests.push(method);
    const versionId = searchParams.get('versionId');
    if (searchParams.has('versions')) return response.end(listing(objects, searchParams.get('prefix') ?? ''));
    if (method === 'DELETE' && versionId) {
      objects[key]?.splice(Number(versionId), 1);
      return response.writeHead(204).end();
    }
    const current = objects[key]?.at(-1);
    if (current instanceof Buffer) return response.end(current);
    return response.writeHead(404).end();
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  return { url, requests, close: () => server.close() };
}

/** Newest first, as S3 lists them. */
function listing(objects: Versions, prefix: string): string {
  const entries = Object.entries(objects)
    .filter(([key]) => key.startsWith(prefix))
    .flatMap(([key, versions]) =>
      versions
        .map((version, index) => {
          const kind = version === 'deleted' ? 'DeleteMarker' : 'Version';
          return `<${kind}><Key>${key}</Key><VersionId>${index}</VersionId></${kind}>`;
        })
        .toReversed(),
    );
  return `<?xml version="1.0"?><ListVersionsResult>${entries.join('')}</ListVersionsResult>`;
}
