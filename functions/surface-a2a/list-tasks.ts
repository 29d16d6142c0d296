import * as z from 'zod';
import { restErrorBody } from '../../shared/adapters/a2a-server/error-bodies.ts';
import { respondToRest } from '../../shared/adapters/a2a-server/respond-rest.ts';
import { groupDigits } from '../../shared/core/text.ts';
import { countedMax } from '../../shared/platform/data/lists/counts.ts';
import { Flag, wholeNumber } from '../../shared/platform/data/lists/query-values.ts';
import { defineEndpoint } from '../../shared/platform/http/endpoint.ts';
import { toStreamingLambda } from '../../shared/platform/http/lambda/streaming-lambda.ts';
import { a2aScope, openSurface } from '../../shared/protocols/a2a/open-surface.ts';
import { a2aHeaders, a2aPath } from '../../shared/protocols/a2a/parameters.ts';
import { SurfaceParams } from '../surfaces/response-schemas.ts';
import { keyOrUser } from './caller.ts';
import { A2aTaskList } from './schemas.ts';

export const listA2aTasks = defineEndpoint({
  id: 'surface-a2a.list-tasks',
  method: 'GET',
  path: `${a2aPath}/tasks`,
  requestHeaders: a2aHeaders,
  errorBody: restErrorBody,
  permission: 'public',
  scope: keyOrUser,
  accepts: ['surface-key'],
  summary: 'List the tasks of an a2a surface',
  description: `The operation \`ListTasks\` of the HTTP+JSON binding of A2A 1.0: the tasks of this caller, newest first. \`status\` and \`statusTimestampAfter\` select within a page, so that a page may have fewer tasks, or none; \`totalSize\` counts without them, up to ${groupDigits(countedMax)}.`,
  params: SurfaceParams,
  query: z.object({
    contextId: z.string().max(256).optional(),
    status: z.string().max(64).optional().meta({ description: 'Such as TASK_STATE_COMPLETED' }),
    pageSize: wholeNumber(1, 100).optional().meta({ description: '1 to 100, default 50' }),
    pageToken: z.string().optional().meta({ description: 'The nextPageToken of an earlier response' }),
    historyLength: wholeNumber(0, 1_000)
      .optional()
      .meta({ description: 'Messages of each task. Default: 0' }),
    statusTimestampAfter: z.string().optional().meta({ description: 'A time in ISO 8601' }),
    includeArtifacts: Flag.transform((value) => value === 'true')
      .optional()
      .meta({ description: 'Whether with the answers. Default: false' }),
  }),
  open: 'brief',
  response: { kind: 'stream', mediaType: 'application/json', body: A2aTaskList },
  errors: [400, 404, 422, 503],
  needs: { scope: a2aScope },

  async handle({ query, ...request }, { scope }) {
    const { header, requestId } = request;
    const { agent, gone } = await openSurface(scope, request);
    const operation = { name: 'list' as const, query };
    return respondToRest(operation, { version: header('a2a-version'), requestId, gone }, agent);
  },
});

export const handler = toStreamingLambda(listA2aTasks);
