import type { Tenant } from '../stack/stack.ts';
import { expectStatus } from './flows.ts';

export interface StepResultRow {
  [field: string]: unknown;
  id: string;
  stepId: string;
  createdAt: string;
}

/** Reads a list of step results page by page, to its end. */
export async function everyStepResult({ call }: Pick<Tenant, 'call'>, path: string, query = '', limit = 100) {
  const rows: StepResultRow[] = [];
  for (let offset = 0; ; offset += limit) {
    const page = await expectStatus(200, call('GET', `${path}?limit=${limit}&offset=${offset}&${query}`));
    rows.push(...page.data);
    if (!page.pagination.hasMore) return rows;
  }
}

/** The fields of a step result. */
export const stepResultFields = [
  'id',
  'userId',
  'organizationId',
  'batchExecutionId',
  'executionSessionId',
  'flowId',
  'flowVersionId',
  'recordId',
  'recordName',
  'stepId',
  'stepPath',
  'itemIndex',
  'stepType',
  'stepName',
  'order',
  'status',
  'startedAt',
  'completedAt',
  'createdAt',
  'durationMs',
  'outputPreview',
  'recordMetadata',
  'stepConfig',
  'inputVariables',
  'resolvedPrompt',
  'modelUsed',
  'promptTokens',
  'completionTokens',
  'totalTokens',
  'estimatedCost',
  'reusedFrom',
  'savedCost',
  'errorCode',
  'errorMessage',
  'retryCount',
  'attempts',
  'warnings',
].toSorted();

/** Query strings that a list of step results refuses, and the parameter that each is refused for. */
export const badStepResultQueries = [
  ['limit=0', 'limit'],
  ['limit=-1', 'limit'],
  ['limit=abc', 'limit'],
  ['limit=101', 'limit'],
  ['offset=-1', 'offset'],
  ['offset=1.5', 'offset'],
  ['offset=abc', 'offset'],
  ['offset=1000001', 'offset'],
  ['status=done', 'status'],
  ['from=yesterday', 'from'],
  ['to=2026-13-01T00:00:00Z', 'to'],
  ['sortBy=cost', 'sortBy'],
  ['sortOrder=up', 'sortOrder'],
  ['batchId=batch_x', 'batchId'],
] as const;
