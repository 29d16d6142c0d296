import * as z from 'zod';

/** The limits of S3 Vectors: names, sizes and counts. */
const BucketName = z.string().regex(/^[a-z0-9][a-z0-9-]{1,61}[a-z0-9]$/);
const IndexName = z.string().regex(/^[a-z0-9][a-z0-9.-]{1,61}[a-z0-9]$/);
const Key = z.string().min(1).max(1_024);
const keys = (max: number) => z.array(Key).min(1).max(max);

const Data = z.object({ float32: z.array(z.number()).min(1).max(4_096) });
export const VectorMetadata = z.record(z.string().min(1).max(63), z.unknown());
export type VectorMetadata = z.infer<typeof VectorMetadata>;

export const NamedBucket = z.object({ vectorBucketName: BucketName });
export const NamedIndex = NamedBucket.extend({ indexName: IndexName });

export const CreateIndex = NamedIndex.extend({
  dataType: z.literal('float32'),
  dimension: z.int().min(1).max(4_096),
  distanceMetric: z.literal('cosine'),
  metadataConfiguration: z
    .object({ nonFilterableMetadataKeys: z.array(z.string().min(1).max(63)).min(1).max(10) })
    .optional(),
});
export const ListIndexes = NamedBucket.extend({
  maxResults: z.int().min(1).max(500).default(500),
  /** The last name of the previous page. */
  nextToken: z.string().default(''),
});
export const PutVectors = NamedIndex.extend({
  vectors: z
    .array(z.object({ key: Key, data: Data, metadata: VectorMetadata.optional() }))
    .min(1)
    .max(500),
});
const Returned = { returnData: z.boolean().default(false), returnMetadata: z.boolean().default(false) };
export const GetVectors = NamedIndex.extend({ keys: keys(100), ...Returned });
export const DeleteVectors = NamedIndex.extend({ keys: keys(500) });
export const ListVectors = NamedIndex.extend({
  maxResults: z.int().min(1).max(1_000).default(500),
  nextToken: z.string().regex(/^\d+$/).default('0'),
  ...Returned,
});

/** Of the filters of S3 Vectors, those that this service sends: each of some members has a value. */
const Filter = z
  .strictObject({
    $and: z
      .array(z.record(z.string(), z.strictObject({ $eq: z.union([z.string(), z.number(), z.boolean()]) })))
      .min(1),
  })
  .transform(({ $and }) =>
    $and.flatMap((members) => Object.entries(members).map(([name, { $eq }]) => ({ name, value: $eq }))),
  );
export type Filter = z.output<typeof Filter>;

export const QueryVectors = NamedIndex.extend({
  topK: z.int().min(1).max(100),
  queryVector: Data,
  filter: Filter.optional(),
  returnMetadata: z.boolean().default(false),
  returnDistance: z.boolean().default(false),
});
