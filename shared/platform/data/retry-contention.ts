import { setTimeout as sleep } from 'node:timers/promises';
import type { DynamoDBDocumentClient } from '@aws-sdk/lib-dynamodb';
import { isContention, isOutage, toConditionFailed } from './condition-failed.ts';

const contentionRetries = 8;

/** Retries on contention. A failed condition goes to the caller. */
export async function retryContention<T>(send: () => Promise<T>): Promise<T> {
  for (let attempt = 1; ; attempt++) {
    try {
      return await send();
    } catch (error) {
      if (isContention(error) && attempt <= contentionRetries) await backOff(attempt);
      else throw toConditionFailed(error) ?? error;
    }
  }
}

/** Retries until the signal is aborted. For workers: they have time, and have paid for their results. */
export const retryOutages = (client: DynamoDBDocumentClient, signal: AbortSignal): DynamoDBDocumentClient => {
  const send = async (...parameters: Parameters<DynamoDBDocumentClient['send']>) => {
    for (let attempt = 1; ; attempt++) {
      try {
        return await client.send(...parameters);
      } catch (error) {
        if (signal.aborted || !(isOutage(error) || isContention(error))) throw error;
        await backOff(attempt);
      }
    }
  };
  return { send } as DynamoDBDocumentClient;
};

export const backOff = (attempt: number, pauseMsMax = 2_000) =>
  sleep(Math.random() * Math.min(pauseMsMax, 20 * 2 ** attempt));
