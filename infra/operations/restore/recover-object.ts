import { requireEnv } from '../../../shared/core/environment.ts';
import { requestS3 } from '../../../shared/platform/aws/s3.ts';

/**
 * Brings back an object that was deleted from a versioned bucket: removes its delete markers, so that its last version
 * counts again. That is the right one, because payloads are never overwritten.
 * @returns whether the object is there now.
 */
export async function recoverObject(pointer: string): Promise<boolean> {
  const bucket = requireEnv('PAYLOAD_BUCKET');
  const query = new URLSearchParams({ versions: '', prefix: pointer });
  const listing = await (await requestS3(bucket, 'GET', '', { query })).text();
  const markers = entriesIn(listing, 'DeleteMarker', pointer);
  const hasVersion = entriesIn(listing, 'Version', pointer).length > 0;
  if (!hasVersion) return false;
  for (const versionId of markers)
    await requestS3(bucket, 'DELETE', pointer, { query: new URLSearchParams({ versionId }) });
  return true;
}

/** The version ids of an object in the answer of ListObjectVersions. */
const entriesIn = (listing: string, kind: 'DeleteMarker' | 'Version', key: string): string[] =>
  [...listing.matchAll(new RegExp(`<${kind}>(.*?)</${kind}>`, 'gs'))].flatMap(([, entry = '']) =>
    textIn(entry, 'Key') === key ? [textIn(entry, 'VersionId')] : [],
  );

const entities: Record<string, string> = { amp: '&', lt: '<', gt: '>', quot: '"', apos: "'" };

const textIn = (entry: string, name: string) =>
  (entry.match(new RegExp(`<${name}>(.*?)</${name}>`, 's'))?.[1] ?? '').replace(
    /&(\w+);/g,
    (all, entity: string) => entities[entity] ?? all,
  );
