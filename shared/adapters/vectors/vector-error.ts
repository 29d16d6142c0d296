import { GetIndexCommand, S3VectorsServiceException, ValidationException } from '@aws-sdk/client-s3vectors';
import { StepError } from '../../core/errors/step-error.ts';
import { s3Vectors, type VectorIndex } from '../../platform/aws/s3-vectors.ts';

interface Place {
  index: VectorIndex;
  collection: string;
  /** Of the vectors in the request. */
  dimension: number;
}

/** Calls S3 Vectors and turns its rejections into messages for the step's author. @throws StepError */
export async function translateVectorErrors<T>(place: Place, work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    if (!(error instanceof S3VectorsServiceException)) throw error;
    const { httpStatusCode: status = 0 } = error.$metadata;
    if (status === 429 || status >= 500) {
      throw new StepError(`The vector store answered ${status}: ${error.message}`, {
        retryable: true,
        cause: error,
      });
    }
    if (!(error instanceof ValidationException)) throw error;
    throw new StepError(
      (await findMismatch(place)) ?? `The vector store rejected the request: ${error.message}`,
      {
        cause: error,
      },
    );
  }
}

async function findMismatch({ index, collection, dimension }: Place): Promise<string | undefined> {
  const { index: existing } = await s3Vectors()
    .send(new GetIndexCommand({ ...index }))
    .catch(() => ({ index: undefined }));
  if (!existing || existing.dimension === dimension) return undefined;
  return `The collection ${collection} has vectors of ${existing.dimension} dimensions; this vector has ${dimension}`;
}
