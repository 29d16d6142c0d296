import { accountId, region } from '../runtime/account.ts';
import { vectorsConflict, vectorsInvalid, vectorsNotFound } from './errors.ts';
import * as requests from './requests.ts';
import type { IndexRow, VectorRow, VectorsStore } from './store.ts';

const metadataBytesMax = 40 * 1024;
const filterableBytesMax = 2 * 1024;
const metadataKeysMax = 50;

/** The actions of S3 Vectors. Dates are Unix seconds on the wire. */
export const vectorsActions = (store: VectorsStore): Record<string, (input: unknown) => object> => {
  function indexIn(input: unknown): IndexRow {
    const { vectorBucketName, indexName } = requests.NamedIndex.parse(input);
    const index = store.index(vectorBucketName, indexName);
    if (!index) throw vectorsNotFound('The specified index could not be found');
    return index;
  }

  return {
    CreateVectorBucket(input) {
      const { vectorBucketName } = requests.NamedBucket.parse(input);
      if (!store.addBucket(vectorBucketName))
        throw vectorsConflict('A vector bucket of this name exists already');
      return { vectorBucketArn: bucketArn(vectorBucketName) };
    },

    CreateIndex(input) {
      const { vectorBucketName: bucket, indexName: name, ...settings } = requests.CreateIndex.parse(input);
      if (!store.hasBucket(bucket)) throw vectorsNotFound('The specified vector bucket could not be found');
      const unfiltered = JSON.stringify(settings.metadataConfiguration?.nonFilterableMetadataKeys ?? []);
      const made = store.addIndex({ bucket, name, dimension: settings.dimension, unfiltered });
      if (!made) throw vectorsConflict('An index of this name exists already');
      return { indexArn: indexArn(bucket, name) };
    },

    GetIndex(input) {
      const { bucket, name, dimension, unfiltered, createdAt: creationTime } = indexIn(input);
      const nonFilterableMetadataKeys: string[] = JSON.parse(unfiltered);
      return {
        index: {
          vectorBucketName: bucket,
          indexName: name,
          indexArn: indexArn(bucket, name),
          creationTime,
          dataType: 'float32',
          dimension,
          distanceMetric: 'cosine',
          ...(nonFilterableMetadataKeys.length > 0 && {
            metadataConfiguration: { nonFilterableMetadataKeys },
          }),
        },
      };
    },

    ListIndexes(input) {
      const { vectorBucketName, maxResults, nextToken } = requests.ListIndexes.parse(input);
      if (!store.hasBucket(vectorBucketName))
        throw vectorsNotFound('The specified vector bucket could not be found');
      const names = store.indexNames(vectorBucketName, nextToken);
      const page = names.slice(0, maxResults);
      return {
        indexes: page.map((indexName) => ({
          vectorBucketName,
          indexName,
          indexArn: indexArn(vectorBucketName, indexName),
        })),
        ...(names.length > maxResults && { nextToken: page.at(-1) }),
      };
    },

    DeleteIndex(input) {
      store.removeIndex(indexIn(input));
      return {};
    },

    PutVectors(input) {
      const { vectors } = requests.PutVectors.parse(input);
      const index = indexIn(input);
      for (const { key, metadata = {} } of vectors) checkMetadata(index, key, metadata);
      store.put(
        index,
        vectors.map(({ key, data, metadata }) => ({ key, vector: floatsOf(index, key, data), metadata })),
      );
      return {};
    },

    GetVectors(input) {
      const { keys, ...returned } = requests.GetVectors.parse(input);
      return { vectors: store.get(indexIn(input), keys).map((row) => shown(row, returned)) };
    },

    DeleteVectors(input) {
      store.remove(indexIn(input), requests.DeleteVectors.parse(input).keys);
      return {};
    },

    ListVectors(input) {
      const { maxResults, nextToken, ...returned } = requests.ListVectors.parse(input);
      const rows = store.list(indexIn(input), Number(nextToken), maxResults + 1);
      const page = rows.slice(0, maxResults);
      return {
        vectors: page.map((row) => shown(row, returned)),
        ...(rows.length > maxResults && { nextToken: String(page.at(-1)?.id) }),
      };
    },

    QueryVectors(input) {
      const { topK, queryVector, filter, returnDistance, returnMetadata } =
        requests.QueryVectors.parse(input);
      const index = indexIn(input);
      if (filter) checkFilter(index, filter);
      const nearest = store.nearest(index, floatsOf(index, 'the query', queryVector), topK, filter);
      const vectors = nearest.map(({ key, distance }) => {
        const [row] = returnMetadata ? store.get(index, [key]) : [];
        return { key, ...(returnDistance && { distance }), ...(row?.metadata && { metadata: row.metadata }) };
      });
      return { vectors, distanceMetric: 'cosine' };
    },
  };
};

const bucketArn = (bucket: string) => `arn:aws:s3vectors:${region}:${accountId}:bucket/${bucket}`;
const indexArn = (bucket: string, index: string) => `${bucketArn(bucket)}/index/${index}`;

const shown = (
  { key, vector, metadata }: VectorRow,
  { returnData, returnMetadata }: { returnData: boolean; returnMetadata: boolean },
) => ({
  key,
  ...(returnData && { data: { float32: [...vector] } }),
  ...(returnMetadata && metadata && { metadata }),
});

function floatsOf({ dimension }: IndexRow, key: string, { float32 }: { float32: number[] }): Float32Array {
  if (float32.length !== dimension) {
    throw vectorsInvalid(
      `Invalid vector ${key}: the index has ${dimension} dimensions, it has ${float32.length}`,
    );
  }
  const vector = Float32Array.from(float32);
  if (!vector.every(Number.isFinite))
    throw vectorsInvalid(`Invalid vector ${key}: a value is no 32-bit float`);
  if (vector.every((value) => value === 0))
    throw vectorsInvalid(`Invalid vector ${key}: cosine allows no zero vector`);
  return vector;
}

function checkFilter({ unfiltered }: IndexRow, filter: requests.Filter): void {
  const refused = filter.find(({ name }) => (JSON.parse(unfiltered) as string[]).includes(name));
  if (refused) throw vectorsInvalid(`Invalid filter: the metadata key ${refused.name} is not filterable`);
}

function checkMetadata({ unfiltered }: IndexRow, key: string, metadata: requests.VectorMetadata): void {
  const names = Object.keys(metadata);
  const filterable = names.filter((name) => !(JSON.parse(unfiltered) as string[]).includes(name));
  const bytes = (of: string[]) =>
    Buffer.byteLength(JSON.stringify(Object.fromEntries(of.map((name) => [name, metadata[name]]))));
  const refuse = (what: string) => vectorsInvalid(`Invalid metadata of ${key}: ${what}`);
  if (names.length > metadataKeysMax) throw refuse(`more than ${metadataKeysMax} keys`);
  if (bytes(names) > metadataBytesMax) throw refuse(`more than ${metadataBytesMax} bytes`);
  if (bytes(filterable) > filterableBytesMax)
    throw refuse(`more than ${filterableBytesMax} filterable bytes`);
}
