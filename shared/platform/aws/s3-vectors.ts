import { S3VectorsClient } from '@aws-sdk/client-s3vectors';
import { loadOnce } from '../../core/concurrency/load-once.ts';
import { removeSdkLogger } from './sdk-clients.ts';

export interface VectorIndex {
  vectorBucketName: string;
  indexName: string;
}

export const s3Vectors = loadOnce(() =>
  removeSdkLogger(
    new S3VectorsClient({ requestHandler: { requestTimeout: 60_000, throwOnRequestTimeout: true } }),
  ),
);
