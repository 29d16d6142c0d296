import {
  ConditionalCheckFailedException,
  TransactionCanceledException,
  TransactionConflictException,
} from '@aws-sdk/client-dynamodb';
import { unmarshall } from '@aws-sdk/util-dynamodb';

/** A write was rejected because its condition, or that of another write in the transaction, did not hold. */
export class ConditionFailed extends Error {
  /** The indexes of the writes whose conditions failed. */
  readonly failed: readonly number[];
  /** The stored item, if the command requested it. */
  readonly item: Record<string, unknown> | undefined;

  constructor(failed: readonly number[], item: Record<string, unknown> | undefined, cause: unknown) {
    super('A condition on a write did not hold', { cause });
    this.failed = failed;
    this.item = item;
  }
}

/** Returns a fallback if a condition did not hold. For `catch`. */
export const onConditionFailed =
  <T>(answer: T) =>
  (error: unknown): T => {
    if (error instanceof ConditionFailed) return answer;
    throw error;
  };

export function toConditionFailed(error: unknown): ConditionFailed | undefined {
  if (error instanceof ConditionalCheckFailedException) {
    return new ConditionFailed([0], error.Item && unmarshall(error.Item), error);
  }
  if (!(error instanceof TransactionCanceledException)) return;
  const failed = listReasons(error).flatMap((code, index) =>
    code === 'ConditionalCheckFailed' ? [index] : [],
  );
  return failed.length > 0 ? new ConditionFailed(failed, undefined, error) : undefined;
}

const passing = new Set(['TransactionConflict', 'ThrottlingError', 'ProvisionedThroughputExceeded']);
const throttling = new Set([
  'ThrottlingException',
  'ProvisionedThroughputExceededException',
  'RequestLimitExceeded',
]);

/** Another writer or a limit of DynamoDB interfered: a retry may succeed. */
export function isContention(error: unknown): boolean {
  if (error instanceof TransactionConflictException) return true;
  if (error instanceof Error && throttling.has(error.name)) return true;
  if (!(error instanceof TransactionCanceledException)) return false;
  const reasons = listReasons(error).filter((code) => code !== 'None');
  return reasons.length > 0 && reasons.every((code) => passing.has(code));
}

/** DynamoDB is unreachable or failed: a later retry may succeed. */
export function isOutage(error: unknown): boolean {
  if (!(error instanceof Error)) return false;
  const { $metadata, code } = error as Error & { $metadata?: { httpStatusCode?: number }; code?: unknown };
  const status = $metadata?.httpStatusCode;
  if (status !== undefined) return status >= 500;
  return error.name === 'TimeoutError' || (typeof code === 'string' && /^E[A-Z]/.test(code));
}

const listReasons = ({ CancellationReasons = [] }: TransactionCanceledException) =>
  CancellationReasons.map(({ Code = 'None' }) => Code);
